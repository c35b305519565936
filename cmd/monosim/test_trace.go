package main

import (
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/timeline"
)

// traceReport writes the events of every run into the file of --trace.
type traceReport struct {
	name string
	file *timeline.File // nil before open, or when it could not be created
}

func (t *traceReport) open() (err error) {
	t.file, err = timeline.Create(t.name)
	return err
}

func (t *traceReport) discard() {
	if t.file != nil {
		t.file.Discard()
	}
}

// Begin does nothing: a file begins with its first run.
func (t *traceReport) Begin(steps.Plan) error { return nil }

// Add writes a run.
func (t *traceReport) Add(r *steps.Result) error {
	t.file.Begin(timeline.Run{Name: r.Name, Path: r.Path, Line: r.Line, Seed: r.Seed})
	for _, one := range r.Log {
		t.file.Observe(one)
	}
	return nil
}

// End gives the file its name.
func (t *traceReport) End(*steps.Summary) error { return t.file.Close() }
