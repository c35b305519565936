package trainplan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners"
)

// Plan is a job and what happens to it.
type Plan struct {
	// Name is that of the file.
	Name string
	Seed uint64
	For  time.Duration
	// Quirks are as runners.Spec has them.
	Quirks string
	Job    runners.TrainingSpec
	// Script are the lines of what happens, "10m: ps0 is killed".
	Script []Line
}

// Line is a line of the script; Where is file:line:column.
type Line struct{ Where, Text string }

// file is the form of a plan.
type file struct {
	Seed      uint64               `yaml:"seed"`
	For       time.Duration        `yaml:"for"`
	Quirks    string               `yaml:"quirks"`
	RunConfig runConfig            `yaml:"run_config"`
	Job       runners.TrainingSpec `yaml:"job"`
	Script    yaml.Node            `yaml:"script"`
}

// runConfig are the fields of the reference's RunConfig that a job knows (estimator.py:139).
type runConfig struct {
	NumPS       *int    `yaml:"num_ps"`
	NumWorkers  *int    `yaml:"num_workers"`
	ModelDir    *string `yaml:"model_dir"`
	RestoreDir  *string `yaml:"restore_dir"`
	RestoreCkpt *string `yaml:"restore_ckpt"`
	SaveSecs    *int    `yaml:"save_checkpoints_secs"`
	SaveSteps   *int    `yaml:"save_checkpoints_steps"`
	MaxToKeep   *int    `yaml:"checkpoints_max_to_keep"`
	ChiefSecs   *int    `yaml:"chief_timeout_secs"`
	MaxRetries  *int    `yaml:"max_retry_times"`
	RetrySecs   *int    `yaml:"retry_wait_in_secs"`
	Partial     *bool   `yaml:"partial_recovery"`
}

// Read reads a plan. Its error has a line for everything that makes no sense, each with the
// file, line and column.
func Read(name string, text []byte) (*Plan, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1:1: found nothing, want a plan", name)
	} else if err != nil {
		return nil, syntax(name, err)
	}
	d := &reader{from: map[string]*yaml.Node{}}
	d.file = name
	return d.plan(doc.Content[0])
}

// syntax is an error of the YAML reader with a place in the file; it knows the line at most.
func syntax(name string, err error) error {
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return fmt.Errorf("%s:%d:1: %s", name, line, text)
}

// reader is a decoder that knows plans.
type reader struct {
	decoder
	// from has the values of run_config by the fields of the job that they are for.
	from map[string]*yaml.Node
}

func (d *reader) plan(n *yaml.Node) (*Plan, error) {
	f := file{Seed: 1, For: time.Hour, Quirks: "python"}
	d.object(n, "plan", &f)
	d.runConfig(n, &f)
	if f.For <= 0 {
		d.fault(find(n, "for"), "for: found %v, want a time above 0", f.For)
	}
	if _, err := quirks.Parse(f.Quirks); err != nil {
		d.fault(find(n, "quirks"), "%v", err)
	}
	var wrong *runners.SpecError
	if err := f.Job.Check(); errors.As(err, &wrong) && len(d.faults) == 0 {
		if at := d.from[wrong.Where]; at != nil {
			d.fault(at, "run_config: job's %v", err)
		} else {
			d.fault(find(find(n, "job"), wrong.Where), "job: %v", err)
		}
	}
	plan := &Plan{Name: d.file, Seed: f.Seed, For: f.For, Quirks: f.Quirks, Job: f.Job, Script: d.script(&f.Script)}
	return plan, d.err()
}

// find is the value of a key, or the node itself where there is none.
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

// runConfig has the job take what the RunConfig says. What both say is wrong.
func (d *reader) runConfig(n *yaml.Node, f *file) {
	r, at := &f.RunConfig, find(n, "run_config")
	if r.NumWorkers != nil && *r.NumWorkers < 1 {
		d.fault(find(at, "num_workers"), "run_config: num_workers: found %d, want 1 or more, for the chief is one of them", *r.NumWorkers)
	}
	set(d, at, "num_ps", r.NumPS, "ps", &f.Job.PS, func(n int) int { return n })
	set(d, at, "num_workers", r.NumWorkers, "workers", &f.Job.Workers, func(n int) int { return n - 1 })
	set(d, at, "model_dir", r.ModelDir, "model_dir", &f.Job.ModelDir, same)
	set(d, at, "restore_dir", r.RestoreDir, "restore_dir", &f.Job.RestoreDir, same)
	set(d, at, "restore_ckpt", r.RestoreCkpt, "restore_ckpt", &f.Job.RestoreCkpt, same)
	set(d, at, "save_checkpoints_secs", r.SaveSecs, "save_every", &f.Job.SaveEvery, seconds)
	set(d, at, "save_checkpoints_steps", r.SaveSteps, "save_steps", &f.Job.SaveSteps, func(n int) int { return n })
	set(d, at, "checkpoints_max_to_keep", r.MaxToKeep, "max_to_keep", &f.Job.MaxToKeep, func(n int) int { return n })
	set(d, at, "chief_timeout_secs", r.ChiefSecs, "chief_timeout", &f.Job.ChiefTimeout, seconds)
	set(d, at, "max_retry_times", r.MaxRetries, "max_retries", &f.Job.MaxRetries, func(n int) int { return n })
	set(d, at, "retry_wait_in_secs", r.RetrySecs, "retry_wait", &f.Job.RetryWait, seconds)
	set(d, at, "partial_recovery", r.Partial, "partial_recovery", &f.Job.PartialRecovery, same)
}

func same[T any](v T) T           { return v }
func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// set takes a value of the RunConfig, unless the job has one too.
func set[From any, To comparable](d *reader, at *yaml.Node, name string, value *From, field string, to *To, as func(From) To) {
	if value == nil {
		return
	}
	var none To
	if *to != none {
		d.fault(find(at, name), "run_config: found %s beside job's %s, want one of them", name, field)
		return
	}
	*to = as(*value)
	d.from[field] = find(at, name)
}

// script reads the lines.
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

// Spec is the cluster of the plan.
func (p *Plan) Spec() runners.Spec {
	job := p.Job
	return runners.Spec{Seed: p.Seed, Quirks: p.Quirks, Training: &job}
}
