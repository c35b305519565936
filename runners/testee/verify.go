package testee

import (
	"fmt"
	"path"

	"github.com/monosim/monosim/vectors"
)

// Status is how a vector went.
type Status uint8

// The statuses. A vector whose difference is explained, by its verdict or by the
// testee's list of known failures, counts as neither passed nor failed.
const (
	Passed Status = iota
	Failed
	Explained
	NotDone // the testee skipped it
)

func (s Status) String() string {
	switch s {
	case Passed:
		return "passed"
	case Failed:
		return "failed"
	case Explained:
		return "explained"
	case NotDone:
		return "skipped"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Result is how one vector went.
type Result struct {
	Suite, ID, Op string
	Status        Status
	// Text says why, for all but Passed: the difference (-want +got), or the reason
	// of a skip.
	Text string
}

// Report is how a run went.
type Report struct {
	Testee  Hello
	Results []Result
}

// Counts are the numbers of a report or a part of it.
type Counts struct{ Passed, Failed, Explained, Skipped int }

func (c *Counts) add(s Status) {
	switch s {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Explained:
		c.Explained++
	case NotDone:
		c.Skipped++
	}
}

// Total is the number of vectors.
func (c Counts) Total() int { return c.Passed + c.Failed + c.Explained + c.Skipped }

func (c Counts) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d explained, %d skipped", c.Passed, c.Failed, c.Explained, c.Skipped)
}

// Counts sums up the whole report.
func (r *Report) Counts() Counts {
	var c Counts
	for _, result := range r.Results {
		c.add(result.Status)
	}
	return c
}

// Group is a part of a report, by suite or by operation.
type Group struct {
	Name string
	Counts
}

// By sums up the report by what name gives, in the order in which names come.
func (r *Report) By(name func(Result) string) []Group {
	var groups []Group
	index := map[string]int{}
	for _, result := range r.Results {
		key := name(result)
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, Group{Name: key})
		}
		groups[i].add(result.Status)
	}
	return groups
}

// BySuite and ByOp are names for Report.By.
func BySuite(r Result) string { return r.Suite }

// ByOp names the operation of a result.
func ByOp(r Result) string { return r.Op }

// Selection says which vectors to run; empty globs take all.
type Selection struct {
	// Suites and Ops are globs as of path.Match; one that matches is enough.
	Suites []string
}

// Takes says whether a suite or one of its operations is selected.
func (s Selection) Takes(suite, op string) (bool, error) {
	if len(s.Suites) == 0 {
		return true, nil
	}
	for _, glob := range s.Suites {
		for _, name := range []string{suite, op} {
			ok, err := path.Match(glob, name)
			if err != nil {
				return false, fmt.Errorf("glob %q: %w", glob, err)
			}
			if ok {
				return true, nil
			}
		}
	}
	return false, nil
}

// Verify asks the testee every selected vector. known are the ids that the testee
// is known to fail: they are asked too, and one that passes is a failure.
func Verify(t Testee, suites []*vectors.Suite, s Selection, known map[string]bool) (*Report, error) {
	hello, err := t.Hello()
	if err != nil {
		return nil, err
	}
	report := &Report{Testee: hello}
	for _, suite := range suites {
		for i := range suite.Cases {
			c := &suite.Cases[i]
			if ok, err := s.Takes(suite.Name, c.Op); err != nil || !ok {
				if err != nil {
					return nil, err
				}
				continue
			}
			v, err := VectorOf(c)
			if err != nil {
				return nil, fmt.Errorf("suite %s: %w", suite.Name, err)
			}
			result := Result{Suite: suite.Name, ID: c.ID, Op: c.Op}
			result.Status, result.Text = judge(c, v, t.Answer(&v.Case), known[c.ID])
			report.Results = append(report.Results, result)
		}
	}
	return report, nil
}

// judge compares an answer with that of the reference. The verdict diverge is about
// the engine: the reference itself and ports that follow it further agree, and that
// is no failure.
func judge(c *vectors.Case, v *Vector, got Answer, known bool) (Status, string) {
	if got.Kind == Skipped {
		return NotDone, got.Why
	}
	text := Compare(c.Op, v.Want, got)
	switch {
	case text == "" && known:
		return Failed, "passes, although the list of known failures has it: take it off the list"
	case text == "":
		return Passed, ""
	case known || c.Verdict == vectors.Diverge:
		return Explained, text
	}
	if quirks := Explain(c.Op, v.Want, got); quirks != "" {
		return Explained, quirks + "\n" + text
	}
	return Failed, text
}
