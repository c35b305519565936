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

// Plan is a job and what happens to it.
type Plan struct {
	// Name is the name of the file.
	Name string
	Seed uint64
	For  time.Duration
	// Quirks is as in runners.Spec.
	Quirks string
	Job    runners.TrainingSpec
	// Expect lists the invariants that the plan expects to break, as INV-8 for a job that comes to
	// stand still. One of them that holds is a failure of the run.
	Expect []string
	// Notes say which values of the configurations do not count or have no effect, and which
	// directories are hardly what is meant.
	Notes []string
	// Every is how far samples are apart, 0 for none. Read leaves it at 0.
	Every time.Duration
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
	Expect       yaml.Node            `yaml:"expect" doc:"invariants that are expected to break, as [INV-8] for a job that comes to stand still"`
	Script       yaml.Node            `yaml:"script" doc:"what happens, a line each, as \"10m: ps0 is killed\""`
}

// Value counts instead of what the plan has at a place, as "job.ps" or "seed".
type Value struct{ Place, Text string }

// Read reads a plan. Its error has a line for every mistake, with file, line and column. checks
// are made of its job, beside those of the job itself; their errors are *runners.SpecError.
func Read(name string, text []byte, checks ...func(*runners.TrainingSpec) error) (*Plan, error) {
	return ReadInstead(name, text, nil, checks...)
}

// ReadInstead reads a plan as [Read] does, in which some values count instead of its own. A mistake in
// such a value is told at the place of what it counts instead of.
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
	// from holds where, and by which field, the configurations set each setting of the job.
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
	said := len(d.faults)
	for _, wrong := range f.Job.Faults() {
		d.checked(n, wrong, said > 0)
	}
	for _, check := range d.checks {
		if wrong, ok := errors.AsType[*runners.SpecError](check(&f.Job)); ok && len(d.faults) == 0 {
			d.checked(n, wrong, false)
		}
	}
	notes = append(notes, d.doubtful(n, &f, kept)...)
	plan := &Plan{Name: d.file, Seed: f.Seed, For: f.For, Quirks: f.Quirks, Job: f.Job, Notes: notes, Expect: d.expect(&f.Expect), Script: d.script(&f.Script)}
	return plan, d.err()
}

// retriesOfReference gives a job without configurations the retries that one of the reference has in
// effect (Q253): none, unless only some PS are restored (cpu_training.py:2034).
func retriesOfReference(job *runners.TrainingSpec) {
	if n := 0; job.MaxRetries == nil {
		if job.PartialRecovery {
			n = 6
		}
		job.MaxRetries = &n
	}
}

// checked keeps an error of the job, at the field that it is about and in the words of the plan. A
// field that the plan does not have may be missing because of another mistake, and one that could not
// be read has its mistake.
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

// doubtful returns notes on directories that are patterns, and on checkpoints to begin with that
// nothing puts where they are looked for: a run begins with empty directories, which only the script
// fills.
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

// put puts a value at its place, in which mappings that are missing are made.
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

// invariants are those that a job is held to (TRN-6.5).
var invariants = []string{"INV-1", "INV-2", "INV-3", "INV-4", "INV-5", "INV-6", "INV-7", traincheck.Liveness}

// expect reads the names of invariants.
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

// Spec returns the cluster of the plan.
func (p *Plan) Spec() runners.Spec {
	job := p.Job
	return runners.Spec{Seed: p.Seed, Quirks: p.Quirks, Training: &job}
}
