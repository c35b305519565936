package main

import (
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/timeline"
)

// traced runs a suite and writes what happened into the file of --trace, if there is one.
func (o *testOptions) traced(suite *steps.Suite) (*steps.Report, error) {
	if o.trace == "" {
		return suite.Run()
	}
	file, err := timeline.Create(o.trace)
	if err != nil {
		return nil, badInput(err)
	}
	suite.Traced = func(r steps.Result, log []runners.Observation) {
		file.Begin(timeline.Run{Name: r.Name, Path: r.Path, Line: r.Line, Seed: r.Seed})
		for _, one := range log {
			file.Observe(one)
		}
	}
	report, err := suite.Run()
	if err != nil {
		file.Discard()
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, badInput(err)
	}
	return report, nil
}
