package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/junit"
)

// WriteJUnit writes a test suite for each file and a test case for each run.
func WriteJUnit(w io.Writer, r *steps.Report) error {
	all := junit.Suites{Name: "monosim", Tests: len(r.Results), Failures: r.Failed, Skipped: r.Skipped}
	var suite *junit.Suite
	for i := range r.Results {
		result := &r.Results[i]
		if suite == nil || suite.File != result.Path {
			suite = &junit.Suite{Name: result.Feature, File: result.Path}
			all.Suites = append(all.Suites, suite)
		}
		suite.Tests++
		c := junit.Case{
			Class: result.Path, Name: fmt.Sprintf("%s (line %d, seed %d)", result.Name, result.Line, result.Seed),
			Time: fmt.Sprintf("%.3f", result.Stats.Virtual.Seconds()),
		}
		switch result.Status {
		case steps.Failed:
			suite.Failures++
			why := result.Failure().Error()
			c.Failure = &junit.Failure{Message: why, Text: strings.Join(slices.Concat([]string{why}, result.Explanation, []string{"replay with: " + result.Replay}), "\n")}
		case steps.Skipped:
			suite.Skipped++
			c.Skipped = &struct{}{}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return all.Write(w)
}
