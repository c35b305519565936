package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"gopkg.in/yaml.v3"
)

// ProfileFormat is the value of Profile.Format.
const ProfileFormat = "monosim.profile/v1"

// Profile is a file of monosim-lab calibrate: how long work takes, as it was measured,
// and how well a simulation with it foretold other measurements.
type Profile struct {
	Format     string         `plan:"profile" json:"profile" required:"true" enum:"monosim.profile/v1"`
	Calibrated Calibrated     `plan:"calibrated" json:"calibrated"`
	Service    Service        `plan:"service" json:"-"`
	Network    ProfileNetwork `plan:"network" json:"-"`
	Fitted     []Fitted       `plan:"fitted" json:"fitted,omitempty"`
	HeldOut    []HeldOut      `plan:"held_out" json:"held_out,omitempty"`
}

// Calibrated says what a profile was made of.
type Calibrated struct {
	On        string `plan:"on" json:"on" doc:"the day"`
	Runs      int    `plan:"runs" json:"runs"`
	Calls     Count  `plan:"calls" json:"calls"`
	Disturbed int    `plan:"disturbed" json:"disturbed" doc:"runs in which others had much of the machine"`
}

// ProfileNetwork is what of the network was measured.
type ProfileNetwork struct {
	SameCluster TimeLaw  `plan:"same_cluster" default:"0.15ms"`
	PerRPC      Duration `plan:"overhead_per_rpc" default:"60us" range:">=0"`
}

// Fitted is one parameter with its interval.
type Fitted struct {
	What  string  `plan:"what" json:"what"`
	Value float64 `plan:"value" json:"value"`
	Low   float64 `plan:"low" json:"low"`
	High  float64 `plan:"high" json:"high"`
	Unit  string  `plan:"unit" json:"unit"`
}

// HeldOut is a measurement that the profile was not made of: by which fraction the
// simulation was above it.
type HeldOut struct {
	Plan      string  `plan:"plan" json:"plan"`
	P50       float64 `plan:"p50" json:"p50"`
	P99       float64 `plan:"p99" json:"p99"`
	Goodput   float64 `plan:"goodput" json:"goodput" doc:"difference of the answered shares"`
	Knee      float64 `plan:"knee" json:"knee" doc:"of requests a second that saturated servers answer; 0 where it was not measured"`
	Disturbed bool    `plan:"disturbed" json:"disturbed,omitempty"`
	Missed    string  `plan:"missed" json:"missed,omitempty" doc:"what is beyond the aims, and why"`
}

// Fidelity is how well the model foretold real processes in a bench: errors on plans that
// nothing was fitted to.
type Fidelity struct {
	On      string    `json:"on"`
	HeldOut []HeldOut `json:"held_out"`
	// Rollouts is how many were compared, 0 for none, Rollout by which fraction the simulated
	// ones of a replica took longer; SameWrites says that as much was written to ZooKeeper.
	Rollouts   int     `json:"rollouts"`
	Rollout    float64 `json:"rollout"`
	SameWrites bool    `json:"same_writes"`
}

// profile reads service.profile in place of all else in service, and of what the plan does
// not say of the network.
func (d *decoder) profile(p *Plan) {
	path := p.Service.Profile
	if path == "" {
		return
	}
	for _, name := range namesOf(fieldsOf(reflect.ValueOf(p.Service))) {
		if name != "profile" && d.given("service."+name) {
			d.report("service.profile", conflict, "service.profile stands for all other keys of service; remove one of them")
			return
		}
	}
	found, problems := readProfile(path, resolved(p.Dir, path), p.readFile)
	d.problems = append(d.problems, problems...)
	if found == nil {
		at := d.nearest("service.profile")
		for i := range problems {
			d.problems[len(d.problems)-len(problems)+i].Message += fmt.Sprintf(" (from %s:%d:%d)", d.file, at.line, at.column)
		}
		return
	}
	p.Measured = found
	p.Service = found.Service
	p.Service.Profile = path
	if !d.given("network.same_cluster") {
		p.Network.SameCluster = found.Network.SameCluster
	}
	if !d.given("network.overhead_per_rpc") {
		p.Network.PerRPC = found.Network.PerRPC
	}
}

func resolved(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// ReadProfile reads a profile. An error is [Problems].
func ReadProfile(path string) (*Profile, error) {
	found, problems := readProfile(path, path, os.ReadFile)
	return found, problems.err()
}

// readProfile reads a profile that problems call name, with what reads files; nil when there is none to go on with.
func readProfile(name, path string, read func(string) ([]byte, error)) (*Profile, Problems) {
	text, err := read(path)
	if err != nil {
		return nil, Problems{{Code: fileError, File: name, Line: 1, Column: 1, Message: reason(err)}}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, syntaxProblem(name, err)
	}
	if len(root.Content) == 0 {
		return nil, Problems{{Code: requiredKey, File: name, Line: 1, Column: 1, Message: "the file is empty, want one of monosim-lab calibrate"}}
	}
	top := root.Content[0]
	d := &decoder{file: name, places: map[string]place{"": {top.Line, top.Column, top.Line, top.Column}}}
	d.read = func(beside string) (string, error) { return readBeside(read, filepath.Dir(path), beside) }
	found := &Profile{}
	d.structure(reflect.ValueOf(found).Elem(), top, "")
	if len(d.problems) > 0 {
		return nil, d.problems
	}
	return found, nil
}
