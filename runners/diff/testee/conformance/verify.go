// Package conformance holds testees to recorded answers and to one another: by which rules
// two answers agree, and what is reported where they do not.
//
// Three things to use first:
//
//   - [Verify] asks a testee the golden cases.
//   - [Differ] asks two testees the same, invented cases too.
//   - [Record] makes golden cases of the answers of one.
//
// What counts as equal is in compare*.go, what a quirk explains in explain.go, which cases
// are asked in plan.go, whom in subjects.go. Reports are in report.go, table.go and
// diff_formats.go, how one difference is printed in difference.go.
//
// Unstable: any commit may change it.
package conformance

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Status is the outcome of one vector, such as Passed.
type Status uint8

// Explained vectors count neither as passed nor as failed. Their difference is explained by their
// verdict or by the testee's list of known failures.
const (
	Passed Status = iota
	Failed
	Explained
	NotDone // the testee skipped it
)

var statusNames = []string{"passed", "failed", "explained", "skipped"}

func (s Status) String() string { return enum.Listed(statusNames, s) }

// Result is the outcome of one vector, with its details.
type Result struct {
	Suite, ID, Op string
	Status        Status
	// Text explains every status but Passed: the difference (-want +got), or the reason of a skip.
	Text string
	// Asked is the case as it was sent to the testee. Only failed and explained cases have it.
	Asked string
	// Quirks holds the ids of the quirks that explain the difference or, for a failure,
	// that flag the case.
	Quirks []string
	// Broken means that the testee gave no answer that follows the protocol. Late means that no
	// answer came in time.
	Broken, Late bool

	// Partings lists all differences between the answer of a failed case and the expected answer.
	Partings []Parting
	// Features holds the features of the input. Passed cases have them too, because comparing
	// failed with passed cases tells which features matter.
	Features Features
	// Raises lists the classes of the exceptions in the expected answer. WantsError means that the
	// answer as a whole is one.
	Raises     []string
	WantsError bool
}

// ReadableCase formats a case for people. A short case takes one line, and a longer case several.
// Long texts in it are cut off.
func ReadableCase(asked string) string {
	const short = 120
	v, err := pysem.ParseJSON(asked)
	if len(asked) <= short || err != nil {
		return asked + "\n"
	}
	var b strings.Builder
	for _, l := range linesOf(v) {
		b.WriteString(cut(l.text) + "\n")
	}
	return b.String()
}

// Report holds the testee's greeting and the results of a run.
type Report struct {
	Testee  testee.Hello
	Results []Result
}

// Counts counts the results of a report, or of a part of it, by status.
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

// Total returns the number of vectors.
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

// Group holds the counts of a suite or an operation.
type Group struct {
	Name string
	Counts
}

// By groups the results of a report and counts them. name returns the group of a result, and groups
// are in the order of their first result.
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

// BySuite returns the suite of a result, as the grouping function for [Report.By].
func BySuite(r Result) string { return r.Suite }

// ByOp returns the operation of a result, as the grouping function for [Report.By].
func ByOp(r Result) string { return r.Op }

// Selection chooses vectors by globs. Without globs it chooses all vectors.
type Selection struct {
	// Suites and Ops hold globs in the form of path.Match. A vector is chosen if it matches a glob
	// of each list.
	Suites []string
}

// Takes reports whether a suite or one of its operations is selected.
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

// mostLate is how many late answers of one operation Verify waits for, at half a minute each. After
// that it counts the operation's other cases as late without asking them.
const mostLate = 3

// Verify asks the testee every selected vector of the operations in its greeting. known holds the
// ids of vectors that the testee is known to fail. Verify asks these too, and counts a failure if
// one of them passes.
func Verify(t testee.Testee, suites []*golden.Suite, s Selection, known map[string]bool) (*Report, error) {
	hello, err := t.Hello()
	if err != nil {
		return nil, err
	}
	report := &Report{Testee: hello}
	late := map[string]int{}
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
			if late[c.Op] < mostLate {
				result.judge(c, v, answerOf(t, hello, &v.Case), known[c.ID])
			} else {
				result.judge(c, v, testee.Answer{Kind: testee.Broken, Lack: "not asked after late ones", Why: fmt.Sprintf("not asked: %d answers of the operation were late before", mostLate)}, known[c.ID])
			}
			if result.Late {
				late[c.Op]++
			}
			report.Results = append(report.Results, result)
		}
	}
	return report, nil
}

// answerOf asks the testee a case. It skips the case if the testee's greeting lacks the operation.
func answerOf(t testee.Testee, hello testee.Hello, c *testee.Case) testee.Answer {
	if !hello.Knows(c.Op) {
		return testee.Answer{Kind: testee.Skipped, Why: "the greeting does not have the operation"}
	}
	return t.Answer(c)
}

// judge compares an answer with the recorded one. The verdict diverge says that the engine differs
// from the reference. Other testees may agree with the reference there, which is no failure.
func (r *Result) judge(c *golden.Case, v *Vector, got testee.Answer, known bool) {
	if got.Kind == testee.Skipped {
		r.Status, r.Text = NotDone, got.Why
		return
	}
	r.Text, r.Broken, r.Late = Compare(c.Op, v.Want, got), got.Kind == testee.Broken, got.Late
	r.Features = featuresOf(&v.Case)
	r.Raises, r.WantsError = raisesOf(v.Want), v.Want.Kind == testee.Raised
	switch {
	case r.Text == "" && known:
		r.Status, r.Text = Failed, "passes, although the list of known failures has it: take it off the list"
		return
	case r.Text == "":
		return
	case known || c.Verdict == scope.Diverge:
		r.Status = Explained
		r.Quirks = slices.DeleteFunc(scope.QuirkIDs(strings.Join(c.Flags, " ")), func(id string) bool {
			q, err := scope.FindQuirk(id)
			return err != nil || q.Decision != scope.Diverge
		})
	default:
		r.Status = Failed
		r.Quirks = scope.QuirkIDs(strings.Join(c.Flags, " "))
		if quirks := Explain(c.Op, v.Want, got); quirks != "" {
			r.Status, r.Text, r.Quirks = Explained, quirks+"\n"+r.Text, scope.QuirkIDs(quirks)
		}
	}
	r.Asked = v.Line()
	if r.Status == Failed {
		r.Partings = partingsOf(c.Op, v.Want, got)
	}
}
