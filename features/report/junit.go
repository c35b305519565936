package report

import (
	"fmt"
	"io"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/junit"
)

// junitForm writes the report of NewJUnit.
type junitForm struct {
	out   io.Writer
	cases *junit.Spool
}

// NewJUnit makes a listener that writes a test suite for each file and a test case for each
// run. The totals stand before the cases, so cases go to a temporary file until the end.
func NewJUnit(w io.Writer) steps.Listener { return &junitForm{out: w} }

func (f *junitForm) Begin(steps.Plan) (err error) {
	f.cases, err = junit.NewSpool("monosim")
	return err
}

func (f *junitForm) Add(r *steps.Result) error {
	c := junit.Case{
		Class: r.Path, Name: fmt.Sprintf("%s (line %d, seed %d)", r.Name, r.Line, r.Seed),
		Time: fmt.Sprintf("%.3f", r.Stats.Virtual.Seconds()),
	}
	switch r.Status {
	case steps.Failed:
		err := r.Failure()
		c.Failure = &junit.Failure{Message: err.Error(), Text: why(r, err)}
	case steps.Skipped:
		c.Skipped = &struct{}{}
	}
	return f.cases.Add(junit.Suite{Name: r.Feature, File: r.Path}, c)
}

func (f *junitForm) End(s *steps.Summary) error {
	if f.cases == nil {
		return nil
	}
	remark := ""
	if s.Interrupted {
		remark = fmt.Sprintf("interrupted after %d of %d runs", s.Runs, s.Plan.Runs)
	}
	return f.cases.End(f.out, remark)
}
