package train

import (
	"errors"
	"fmt"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/yamldoc"
	"github.com/monosim/monosim/runners"
)

// Plan is a job and what happens to it.
type Plan struct {
	// Name is the name of the file.
	Name string
	Seed uint64
	For  time.Duration
	// Quirks is as in runners.Spec.
	Quirks string
	Job    runners.TrainingSpec
	// Notes say which values of the configurations do not count or have no effect.
	Notes []string
	// Script lists what happens, in lines such as "10m: ps0 is killed".
	Script []Line
}

// Line is a line of the script. Where is file:line:column.
type Line struct{ Where, Text string }

// file is the form of a plan.
type file struct {
	Seed   uint64        `yaml:"seed" doc:"what every choice follows from; default 1"`
	For    time.Duration `yaml:"for" doc:"how long the run is, in virtual time; default 1h"`
	Quirks string        `yaml:"quirks" doc:"python (the default) for the reference's faults, fixed without them, or ids of quirks"`
	// RunConfig and RunnerConfig are decoded later, by the names of their fields.
	RunConfig    yaml.Node            `yaml:"run_config" doc:"fields of the reference's RunConfig"`
	RunnerConfig yaml.Node            `yaml:"runner_config" doc:"fields of the reference's RunnerConfig, as the command line of the processes has them"`
	Job          runners.TrainingSpec `yaml:"job" doc:"sizes and times that neither configuration has"`
	Script       yaml.Node            `yaml:"script" doc:"what happens, a line each, as \"10m: ps0 is killed\""`
}

// Read reads a plan. Its error has a line for every mistake, with file, line and column. checks
// are made of its job, beside those of the job itself; their errors are *runners.SpecError.
func Read(name string, text []byte, checks ...func(*runners.TrainingSpec) error) (*Plan, error) {
	root, err := yamldoc.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	if root == nil {
		return nil, fmt.Errorf("%s:1:1: found nothing, want a plan", name)
	}
	d := &reader{from: map[string]place{}, checks: append(checks, (*runners.TrainingSpec).Check)}
	d.file = name
	return d.plan(root)
}

// reader is a decoder for plans.
type reader struct {
	decoder
	// from holds where the configurations set each setting of the job.
	from   map[string]place
	checks []func(*runners.TrainingSpec) error
}

func (d *reader) plan(n *yaml.Node) (*Plan, error) {
	f := file{Seed: 1, For: time.Hour, Quirks: "python"}
	d.object(n, "plan", &f)
	kept, err := quirks.Parse(f.Quirks)
	notes := d.configs(n, &f, kept)
	if f.For <= 0 {
		d.fault(find(n, "for"), "for: found %v, want a time above 0", f.For)
	}
	if err != nil {
		d.fault(find(n, "quirks"), "%v", err)
	}
	for _, check := range d.checks {
		d.checked(n, check(&f.Job))
	}
	plan := &Plan{Name: d.file, Seed: f.Seed, For: f.For, Quirks: f.Quirks, Job: f.Job, Notes: notes, Script: d.script(&f.Script)}
	return plan, d.err()
}

// checked keeps the error of a check of the job, at the field that it is about.
func (d *reader) checked(n *yaml.Node, err error) {
	var wrong *runners.SpecError
	if !errors.As(err, &wrong) || len(d.faults) > 0 {
		return
	}
	if from := d.from[wrong.Where]; from.at != nil {
		d.fault(from.at, "%s: job's %v", from.key, err)
	} else {
		d.fault(find(find(n, "job"), wrong.Where), "job: %v", err)
	}
}

// find returns the value of a key, or the node itself without that key.
func find(n *yaml.Node, key string) *yaml.Node {
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return n
}

func (d *reader) script(n *yaml.Node) (lines []Line) {
	switch {
	case n.Kind == 0:
		return nil
	case n.Kind != yaml.SequenceNode:
		d.fault(n, "script: found %s, want a list of lines as \"10m: ps0 is killed\"", shown(n))
		return nil
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			d.fault(item, "script: found %s, want a line in quotes as \"10m: ps0 is killed\"", shown(item))
			continue
		}
		lines = append(lines, Line{Where: d.where(item), Text: item.Value})
	}
	return lines
}

// Spec returns the cluster of the plan.
func (p *Plan) Spec() runners.Spec {
	job := p.Job
	return runners.Spec{Seed: p.Seed, Quirks: p.Quirks, Training: &job}
}
