package train

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/yamldoc"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// Plan describes a training job and what happens to it.
type Plan struct {
	// Name is the name of the plan's file.
	Name string
	Seed uint64
	For  time.Duration
	// Quirks has the meaning of runners.Spec.Quirks.
	Quirks string
	Job    runners.TrainingSpec
	// Serving has the agents that serve what the job exports, nil for none.
	Serving *Serving
	// Expect lists the invariants that the plan expects to break, such as INV-8 for a job that
	// stops making steps. The run fails if one of them holds.
	Expect []string
	// Notes lists values of the configurations that are overruled or have no effect, and
	// directories that are probably wrong.
	Notes []string
	// Every is the virtual time between samples, 0 for no samples. Read does not set it.
	Every time.Duration
	// Script lists the acts, as lines such as "10m: ps0 is killed".
	Script []Line
	// idle lists settings that need a line of the script.
	idle []idle
}

// Line is a line of the script. Where is file:line:column.
type Line struct{ Where, Text string }

// file is the YAML structure of a plan.
type file struct {
	Seed   uint64        `yaml:"seed" doc:"what every choice follows from; default 1"`
	For    time.Duration `yaml:"for" doc:"how long the run is, in virtual time; default 1h"`
	Quirks string        `yaml:"quirks" doc:"python (the default) for the reference's faults, fixed without them, or ids of quirks"`
	// RunConfig and RunnerConfig are decoded later, by the names of the reference's fields.
	RunConfig    yaml.Node            `yaml:"run_config" doc:"fields of the reference's RunConfig"`
	RunnerConfig yaml.Node            `yaml:"runner_config" doc:"fields of the reference's RunnerConfig, as the command line of the processes has them"`
	Job          runners.TrainingSpec `yaml:"job" doc:"sizes and times that neither configuration has"`
	Serving      Serving              `yaml:"serving" doc:"agents of version 3 that serve what the job exports, and take its parameter sync"`
	Expect       yaml.Node            `yaml:"expect" doc:"invariants that are expected to break, as [INV-8] for a job that comes to stand still"`
	Script       yaml.Node            `yaml:"script" doc:"what happens, a line each, as \"10m: ps0 is killed\""`
}

// Value replaces the value at a place of the plan, such as "job.ps" or "seed".
type Value struct{ Place, Text string }

// Read reads a plan. Its error has a line for every mistake, with file, line and column.
// checks are additional checks of the job, whose errors are *runners.SpecError.
func Read(name string, text []byte, checks ...func(*runners.TrainingSpec) error) (*Plan, error) {
	return ReadInstead(name, text, nil, checks...)
}

// ReadInstead reads a plan as [Read] does, but with some values replaced. A mistake in a
// replacement is reported at the place of the replaced value.
func ReadInstead(name string, text []byte, instead []Value, checks ...func(*runners.TrainingSpec) error) (*Plan, error) {
	root, err := yamldoc.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	if root == nil {
		return nil, fmt.Errorf("%s:1:1: found nothing, want a plan", name)
	}
	for _, v := range instead {
		if err := put(root, v); err != nil {
			return nil, err
		}
	}
	d := &reader{from: map[string]place{}, checks: checks}
	d.file = name
	return d.plan(root)
}

// reader is a decoder for plans.
type reader struct {
	decoder
	// from maps a setting of the job to the place where a configuration sets it.
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
	retriesOfReference(&f.Job)
	if job := find(n, "job"); f.Job.ParameterSync && find(job, "partial_recovery") == job && d.from["partial_recovery"].at == nil {
		f.Job.PartialRecovery = true // as with enable_realtime_training, cpu_training.py:604
	}
	serving := d.serving(n, &f)
	said := len(d.faults)
	for _, wrong := range f.Job.Faults() {
		d.checked(n, wrong, said > 0)
	}
	for _, check := range d.checks {
		if wrong, ok := errors.AsType[*runners.SpecError](check(&f.Job)); ok && len(d.faults) == 0 {
			d.checked(n, wrong, false)
		}
	}
	notes = append(notes, d.vain(n, &f.Job, serving)...)
	notes = append(notes, d.doubtful(n, &f, kept)...)
	notes = append(notes, serving.unheard(&f.Job)...)
	plan := &Plan{Name: d.file, Seed: f.Seed, For: f.For, Quirks: f.Quirks, Job: f.Job, Serving: serving, Notes: notes, Expect: d.expect(&f.Expect), Script: d.script(&f.Script), idle: d.idle(n)}
	return plan, d.err()
}

// retriesOfReference sets the retries of a job without configurations to what takes effect
// in the reference (Q253): none, unless only some PS are restored (cpu_training.py:2034).
func retriesOfReference(job *runners.TrainingSpec) {
	if n := 0; job.MaxRetries == nil {
		if job.PartialRecovery {
			n = 6
		}
		job.MaxRetries = &n
	}
}

// checked records an error about the job, at the place in the plan of the field that the error
// names. It drops the error if that field already has a mistake, or may be missing because of
// another mistake.
func (d *reader) checked(n *yaml.Node, wrong *runners.SpecError, others bool) {
	from, job := d.from[wrong.Where], find(n, "job")
	key, name, at := from.key, from.name, from.at
	if at == nil {
		key, name, at = "job", wrong.Where, find(job, wrong.Where)
		if at == job && others {
			return
		}
	}
	if slices.Contains(d.at, d.where(at)) && at != job {
		return
	}
	found := wrong.Found
	if at != job && at.Kind == yaml.ScalarNode && !strings.HasPrefix(found, "it beside ") {
		found = at.Value
		if at.Tag == "!!str" {
			found = shown(at)
		}
	}
	if other, ok := strings.CutPrefix(found, "it beside "); ok && d.from[other].at != nil {
		found = "it beside " + d.from[other].name
	}
	want := ""
	if wrong.Want != "" {
		want = ", want " + wrong.Want
	}
	d.fault(at, "%s: %s: found %s%s", key, name, found, want)
}

// doubtful returns notes on directories that look like patterns, and on initial checkpoints
// that nothing creates. A run begins with empty directories, which only the script fills.
func (d *reader) doubtful(n *yaml.Node, f *file, kept quirks.Set) (notes []string) {
	job := f.Job.WithDefaults()
	said := func(name string) (where string) {
		if at := d.from[name].at; at != nil {
			return d.where(at)
		}
		return d.where(find(find(n, "job"), name))
	}
	writes := func(text string) bool {
		return slices.ContainsFunc(f.Script.Content, func(line *yaml.Node) bool { return strings.Contains(line.Value, "the stored file "+text) })
	}
	for _, dir := range []struct{ name, path string }{{"model_dir", job.ModelDir}, {"restore_dir", job.RestoreDir}} {
		if gfile.Escape(dir.path) != dir.path && kept.Keeps(jobquirks.Q330) {
			notes = append(notes, fmt.Sprintf("%s: %s %s is a pattern to TensorFlow, every part of which may match others: its own checkpoints may be neither found nor removed, and a neighbour's may be removed (Q330)", said(dir.name), dir.name, dir.path))
		}
	}
	switch {
	case job.RestoreDir != "" && !writes(job.RestoreDir+"/"):
		notes = append(notes, fmt.Sprintf("%s: restore_dir %s has no checkpoint, for a run begins with empty directories and the script writes no file there: nothing is restored", said("restore_dir"), job.RestoreDir))
	case job.RestoreCkpt != "" && job.RestoreDir != "" && !writes(path.Join(job.RestoreDir, job.RestoreCkpt)):
		notes = append(notes, fmt.Sprintf("%s: restore_ckpt %s is not in %s, for the script writes no file of it: the latest checkpoint is restored", said("restore_ckpt"), job.RestoreCkpt, job.RestoreDir))
	case job.RestoreCkpt != "" && job.RestoreDir == "" && !writes(path.Join(job.ModelDir, job.RestoreCkpt)):
		notes = append(notes, fmt.Sprintf("%s: restore_ckpt %s is not in %s, for a run begins with empty directories and the script writes no file of it", said("restore_ckpt"), job.RestoreCkpt, job.ModelDir))
	}
	return notes
}

// put sets a value at its place, and creates missing mappings on the way.
func put(n *yaml.Node, v Value) error {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(v.Text), &doc); err != nil || len(doc.Content) == 0 {
		return fmt.Errorf("%s: found %q, want a value of YAML", v.Place, v.Text)
	}
	for _, key := range strings.Split(v.Place, ".") {
		if n.Kind != yaml.MappingNode {
			return fmt.Errorf("%s: found no such place in the plan, want one as job.ps", v.Place)
		}
		next := find(n, key)
		if next == n {
			next = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: n.Line, Column: n.Column}, next)
		}
		n = next
	}
	line, column := n.Line, n.Column
	*n = *doc.Content[0]
	n.Line, n.Column = line, column
	return nil
}

// find returns the value of a key in a mapping, or the node itself if the key is missing.
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

// invariants lists the invariants that every job is checked for (TRN-6.5).
var invariants = []string{"INV-1", "INV-2", "INV-3", "INV-4", "INV-5", "INV-6", "INV-7", traincheck.Liveness}

// expect reads the list of invariants that are expected to break.
func (d *reader) expect(n *yaml.Node) (list []string) {
	switch {
	case n.Kind == 0:
		return nil
	case n.Kind != yaml.SequenceNode:
		d.fault(n, "expect: found %s, want a list of invariants as [INV-8]", shown(n))
		return nil
	}
	for _, item := range n.Content {
		switch {
		case item.Kind != yaml.ScalarNode || !slices.Contains(invariants, item.Value):
			d.fault(item, "expect: found %s, want one of %s", shown(item), strings.Join(invariants, ", "))
		case slices.Contains(list, item.Value):
			d.fault(item, "expect: found %s twice, want it once", item.Value)
		default:
			list = append(list, item.Value)
		}
	}
	return list
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

// Spec returns the plan's job as a runners.Spec.
func (p *Plan) Spec() runners.Spec {
	job := p.Job
	spec := runners.Spec{Seed: p.Seed, Quirks: p.Quirks, Training: &job}
	if p.Serving != nil {
		p.Serving.in(&spec)
	}
	return spec
}
