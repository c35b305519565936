package testee

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/vectors"
)

// Differ holds testees to a reference, on golden cases and on invented ones.
type Differ struct {
	// Reference is the testee whose answers are expected.
	Reference Testee
	// Selection says which operations to ask.
	Selection Selection
	// Cases is how many cases to invent for each operation.
	Cases int
	Seed  uint64
	// Known are ids of cases that the subject is known to fail, also of invented
	// ones: "<operation>/seed-<seed>-<number>".
	Known map[string]bool
	// OnCase, when set, is told of every answered case.
	OnCase func(Result)
}

// Difference is a case on which a subject differs, made small.
type Difference struct {
	Result
	// Vector is the case with the expected answer, ready for a case file.
	Vector vectors.Case
}

// DiffReport is how one subject went.
type DiffReport struct {
	Report
	Differences []Difference
}

// Run asks the subject everything that the reference answers.
func (d *Differ) Run(subject Testee) (*DiffReport, error) {
	hello, err := subject.Hello()
	if err != nil {
		return nil, err
	}
	report := &DiffReport{Report: Report{Testee: hello}}
	for _, op := range GeneratedOps() {
		ok, err := d.Selection.Takes(vectors.SuiteOf(op), op)
		if err != nil {
			return nil, err
		}
		if ok {
			d.runOp(report, op, subject)
		}
	}
	return report, nil
}

func (d *Differ) runOp(report *DiffReport, op string, subject Testee) {
	for i := range d.Cases {
		c, tape := invent(op, d.Seed, i)
		c.ID = fmt.Sprintf("%s/seed-%d-%d", op, d.Seed, i)
		result := Result{Suite: vectors.SuiteOf(op), ID: c.ID, Op: op}
		want := d.Reference.Answer(c)
		switch {
		case want.Kind == Skipped:
			result.Status, result.Text = NotDone, "the reference skips it: "+want.Why
		case want.Kind == Broken:
			result.Status, result.Text = NotDone, "the reference is broken: "+want.Why
		default:
			v := &Vector{Case: *c, Want: want}
			result.Status, result.Text = judge(&vectors.Case{Op: op, Verdict: vectors.Match}, v, subject.Answer(c), d.Known[c.ID])
		}
		if result.Status == Failed && !d.Known[c.ID] {
			small, text := d.smallest(op, tape, subject, result.Text)
			small.ID = c.ID
			result.Text = text
			report.Differences = append(report.Differences, Difference{Result: result, Vector: d.vector(small)})
		}
		report.Results = append(report.Results, result)
		if d.OnCase != nil {
			d.OnCase(result)
		}
	}
}

// smallest shrinks a differing case; the text is the difference that is left.
func (d *Differ) smallest(op string, tape []uint64, subject Testee, text string) (*Case, string) {
	tape = shrink(tape, func(tape []uint64) bool {
		c := build(op, replayDraws(tape))
		c.ID = op + "/smaller"
		want := d.Reference.Answer(c)
		if want.Kind != Returned && want.Kind != Raised {
			return false
		}
		got := subject.Answer(c)
		if got.Kind == Skipped {
			return false
		}
		now := Compare(op, want, got)
		if now != "" {
			text = now
		}
		return now != ""
	})
	return build(op, replayDraws(tape)), text
}

func (d *Differ) vector(c *Case) vectors.Case {
	v, err := ToVector(c, d.Reference.Answer(c), "", nil)
	if err != nil {
		v.About = err.Error()
	}
	return v
}

// Draw invents n inputs for each operation, as lines for a case file.
func Draw(ops []string, n int, seed uint64) ([]vectors.Input, error) {
	var inputs []vectors.Input
	for _, op := range ops {
		if !slices.Contains(GeneratedOps(), op) {
			return nil, fmt.Errorf("operation %s: found no generator, want one of those that have", op)
		}
		seen := map[string]bool{}
		for i := 0; len(seen) < n && i < 4*n; i++ {
			c, _ := invent(op, seed, i)
			key := c.Line()
			if seen[key] {
				continue
			}
			seen[key] = true
			inputs = append(inputs, vectors.Input{
				ID: fmt.Sprintf("%s/drawn-%d-%d", op, seed, i), Op: op, Env: rawDict(c.Env), Host: rawDict(c.Host), Files: rawDict(c.Files), In: rawDict(c.In),
				Flags: []string{"drawn"},
			})
		}
	}
	return inputs, nil
}
