package main

import (
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/timeline"
)

// traceReport writes what happened in every run into the file of --trace.
type traceReport struct {
	name string
	file *timeline.File // nil before Begin, and when it could not be made
}

// Begin makes the file.
func (t *traceReport) Begin(steps.Plan) (err error) {
	t.file, err = timeline.Create(t.name)
	return err
}

// Add writes a run.
func (t *traceReport) Add(r *steps.Result) error {
	t.file.Begin(timeline.Run{Name: r.Name, Path: r.Path, Line: r.Line, Seed: r.Seed})
	for _, one := range r.Log {
		t.file.Observe(one)
	}
	return nil
}

// End gives the file its name.
func (t *traceReport) End(*steps.Summary) error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
