package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"gopkg.in/yaml.v3"
)

// ProfileFormat is the name and version of the file format, which every profile has to state in its
// field Format.
const ProfileFormat = "monosim.profile/v1"

// Profile is a file of measured service times, written by "monosim-lab calibrate". It also
// says how well a simulation with it predicted other measurements.
type Profile struct {
	Format     string         `plan:"profile" json:"profile" required:"true" enum:"monosim.profile/v1"`
	Calibrated Calibrated     `plan:"calibrated" json:"calibrated"`
	Service    Service        `plan:"service" json:"-"`
	Network    profileNetwork `plan:"network" json:"-"`
	Fitted     []fitted       `plan:"fitted" json:"fitted,omitempty"`
	HeldOut    []HeldOut      `plan:"held_out" json:"held_out,omitempty"`
}

// Calibrated says what a profile was measured from.
type Calibrated struct {
	On        string `plan:"on" json:"on" doc:"the day"`
	Runs      int    `plan:"runs" json:"runs"`
	Calls     Count  `plan:"calls" json:"calls"`
	Disturbed int    `plan:"disturbed" json:"disturbed" doc:"runs in which others had much of the machine"`
}

// profileNetwork holds the measured network delays.
type profileNetwork struct {
	SameCluster TimeLaw  `plan:"same_cluster" default:"0.15ms"`
	PerRPC      Duration `plan:"overhead_per_rpc" default:"60us" range:">=0"`
}

// fitted is a fitted parameter with its confidence interval.
type fitted struct {
	What  string  `plan:"what" json:"what"`
	Value float64 `plan:"value" json:"value"`
	Low   float64 `plan:"low" json:"low"`
	High  float64 `plan:"high" json:"high"`
	Unit  string  `plan:"unit" json:"unit"`
}

// HeldOut compares the simulation with a measurement that the profile was not fitted to. Each
// number is the fraction by which the simulation exceeds the measurement.
type HeldOut struct {
	Plan      string  `plan:"plan" json:"plan"`
	P50       float64 `plan:"p50" json:"p50"`
	P99       float64 `plan:"p99" json:"p99"`
	Goodput   float64 `plan:"goodput" json:"goodput" doc:"difference of the answered shares"`
	Knee      float64 `plan:"knee" json:"knee" doc:"of requests a second that saturated servers answer; 0 where it was not measured"`
	Disturbed bool    `plan:"disturbed" json:"disturbed,omitempty"`
	Missed    string  `plan:"missed" json:"missed,omitempty" doc:"what is beyond the aims, and why"`
}

// Fidelity says how well the model predicted real processes, for plans that no profile was
// fitted to.
type Fidelity struct {
	On      string    `json:"on"`
	HeldOut []HeldOut `json:"held_out"`
	// Rollouts is the number of compared roll-outs, 0 for none. Rollout is the fraction by which
	// simulated roll-outs took longer per replica than measured ones. SameWrites says that the
	// number of writes to ZooKeeper was equal.
	Rollouts   int     `json:"rollouts"`
	Rollout    float64 `json:"rollout"`
	SameWrites bool    `json:"same_writes"`
}

// profile reads the file of service.profile. The profile replaces all other keys of service, and
// those network delays that the plan does not set.
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
	found, problems := readProfile(path, resolved(p.Dir, path), d.opener(p))
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

// ReadProfile reads a profile. Its error is of type [Problems].
func ReadProfile(path string) (*Profile, error) {
	found, problems := readProfile(path, path, os.ReadFile)
	return found, problems.err()
}

// readProfile reads the profile at a path with the function read. name is the name of the file in
// problems. If there are problems, the profile is nil.
func readProfile(name, path string, read func(string) ([]byte, error)) (*Profile, Problems) {
	found := &Profile{}
	if problems := readInto(found, name, path, read, "one of monosim-lab calibrate"); len(problems) > 0 {
		return nil, problems
	}
	return found, nil
}

// readInto reads the YAML file at a path into a struct. name is the name of the file in problems,
// and want describes the expected file.
func readInto(found any, name, path string, read func(string) ([]byte, error), want string) Problems {
	text, err := read(path)
	if err != nil {
		return Problems{{Code: fileError, File: name, Line: 1, Column: 1, Message: reason(err)}}
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return syntaxProblem(name, text, err)
	}
	if len(root.Content) == 0 {
		return Problems{{Code: requiredKey, File: name, Line: 1, Column: 1, Message: "the file is empty, want " + want}}
	}
	top := root.Content[0]
	d := &decoder{file: name, words: map[string]string{}, places: map[string]place{"": {top.Line, top.Column, top.Line, top.Column}}}
	d.read = func(beside string) (string, error) { return readBeside(read, filepath.Dir(path), beside) }
	d.structure(reflect.ValueOf(found).Elem(), top, "")
	return d.problems
}
