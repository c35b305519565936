package conformance

import (
	"fmt"
	"slices"
	"sync"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Differ compares a testee with a reference on random cases.
type Differ struct {
	// Selection chooses the operations to ask.
	Selection Selection
	// Cases is how many random cases to make, spread evenly over the operations that both testees
	// have. If an operation runs out of different inputs, there are fewer.
	Cases int
	Seed  uint64
	// Known holds the ids of cases that the subject is known to fail. An id has the form
	// "<operation>/seed-<seed>-<number>".
	Known map[string]bool
	// Answered, when set, is called with the number of answered cases and the total.
	Answered func(done, total int)
}

// Pair is a reference, whose answers are expected, and a subject, whose answers are judged. Each
// answers one case at a time.
type Pair struct{ Reference, Subject testee.Testee }

// Difference is a case that the subject answers differently, shrunk to a small one.
type Difference struct {
	Result
	// Vector is the case with the expected answer, in the form of a case file.
	Vector golden.Case
}

// DiffReport describes how one subject answered the random cases.
type DiffReport struct {
	Report
	// Differences holds unexplained differences, shrunk. There are at most MostShrunk for each
	// operation.
	Differences []Difference
	// Large holds the ids of the differences that were not shrunk.
	Large map[string]bool
	// Smaller holds, by the ids of golden cases, smaller cases that differ in the same way. Each
	// has its expected answer.
	Smaller map[string]Difference
}

// ShrinkGolden finds a smaller case for each golden case that is the example of a cause. If only
// few golden cases failed, it does this for each of them. The smaller case expects the reference's
// answer. So a case stays as it is if the reference does not give the recorded answer.
func (r *DiffReport) ShrinkGolden(p Pair, suites []*golden.Suite) {
	shown := lists.ToMap(CausesOf(r.Results), func(c Cause) (string, bool) { return c.Example.ID, true })
	few := r.Counts().Failed <= mostListed
	r.Smaller = map[string]Difference{}
	for _, result := range r.Results {
		if result.Status != Failed || result.Broken || len(result.Partings) == 0 || !few && !shown[result.ID] {
			continue
		}
		if small, ok := smallerGolden(p, suites, result); ok {
			r.Smaller[result.ID] = small
		}
	}
}

// smallerGolden shrinks one golden case, as long as its answer still differs in the first of the
// ways in which it differed before. ok is false if it finds no smaller case.
func smallerGolden(p Pair, suites []*golden.Suite, result Result) (small Difference, ok bool) {
	v := vectorOf(suites, result)
	if v == nil || Compare(v.Op, v.Want, p.Reference.Answer(&v.Case)) != "" {
		return small, false
	}
	late := false
	found := catalogue.ShrinkCase(&v.Case, func(c *testee.Case) bool {
		if late {
			return false
		}
		want := p.Reference.Answer(c)
		if want.Kind != testee.Returned && (want.Kind != testee.Raised || want.Type == testee.BadCaseType) {
			return false
		}
		got := p.Subject.Answer(c)
		late = got.Late
		text := Compare(c.Op, want, got)
		if got.Kind != testee.Returned && got.Kind != testee.Raised || text == "" || Explain(c.Op, want, got) != "" {
			return false
		}
		parts := partingsOf(c.Op, want, got)
		if !slices.ContainsFunc(parts, func(p Parting) bool { return p.What == result.Partings[0].What }) {
			return false
		}
		small.Text, small.Asked, small.Partings = text, c.Line(), parts
		return true
	})
	if small.Asked == "" {
		return small, false
	}
	asked := *found
	asked.ID += "-small"
	small.Suite, small.ID, small.Op, small.Status, small.Asked = result.Suite, asked.ID, result.Op, Failed, asked.Line()
	vector, err := ToVector(&asked, p.Reference.Answer(found), "", nil)
	if err != nil {
		vector.About = err.Error()
	}
	small.Vector = vector
	return small, true
}

// vectorOf returns the golden case of a result, or nil if the case was random.
func vectorOf(suites []*golden.Suite, result Result) *Vector {
	for _, s := range suites {
		if s.Name != result.Suite {
			continue
		}
		if i := slices.IndexFunc(s.Cases, func(c golden.Case) bool { return c.ID == result.ID }); i >= 0 {
			if v, err := VectorOf(&s.Cases[i]); err == nil {
				return v
			}
		}
	}
	return nil
}

// MostShrunk is how many differences of one operation are shrunk. Shrinking one needs some hundred
// questions, and most differences of an operation are the same.
const MostShrunk = 5

// RunCopies does what Run does, with several pairs in parallel. jobs is the number of pairs. Each
// further pair is a copy of the reference and the subject. It closes the copies, but not the first
// pair.
func (d *Differ) RunCopies(reference, subject Subject, jobs int) (*DiffReport, error) {
	pairs := []Pair{{Reference: reference.Testee, Subject: subject.Testee}}
	for range jobs - 1 {
		copied := Pair{Reference: reference.Again(), Subject: subject.Again()}
		defer copied.Reference.Close()
		defer copied.Subject.Close()
		pairs = append(pairs, copied)
	}
	return d.Run(pairs...)
}

// Run asks the subject the planned random cases, and compares its answers with the reference's
// answers. The pairs are copies of one pair, and divide the cases among them. The report does not
// depend on how many pairs there are.
func (d *Differ) Run(pairs ...Pair) (*DiffReport, error) {
	hello, err := pairs[0].Subject.Hello()
	if err != nil {
		return nil, err
	}
	reference, err := pairs[0].Reference.Hello()
	if err != nil {
		return nil, err
	}
	ops, err := d.Selection.GeneratedOps()
	if err != nil {
		return nil, err
	}
	ops = slices.DeleteFunc(ops, func(op string) bool { return !hello.Knows(op) || !reference.Knows(op) })
	cases := plan(ops, d.Cases, d.Seed)
	report := &DiffReport{Report: Report{Testee: hello, Results: make([]Result, len(cases))}}
	d.share(pairs, len(cases), true, func(p Pair, i int) { report.Results[i] = d.ask(p, cases[i]) })
	large := report.toShrink(d.Known)
	report.Differences = make([]Difference, len(large))
	d.share(pairs, len(large), false, func(p Pair, i int) {
		report.Differences[i] = d.smallest(p, cases[large[i]], report.Results[large[i]])
	})
	return report, nil
}

// share calls do for each of the numbers 0 to n-1. Each pair takes the next number when it is free.
func (d *Differ) share(pairs []Pair, n int, told bool, do func(p Pair, i int)) {
	var mu sync.Mutex
	begun, done := 0, 0
	next := func(finished bool) int {
		mu.Lock()
		defer mu.Unlock()
		if finished {
			done++
			if told && d.Answered != nil {
				d.Answered(done, n)
			}
		}
		begun++
		return begun - 1
	}
	var all sync.WaitGroup
	for _, p := range pairs {
		all.Go(func() {
			for i := next(false); i < n; i = next(true) {
				do(p, i)
			}
		})
	}
	all.Wait()
}

// ask asks both testees a case and compares their answers.
func (d *Differ) ask(p Pair, what planned) Result {
	c, _ := catalogue.Invent(what.op, d.Seed, what.number)
	c.ID = fmt.Sprintf("%s/seed-%d-%d", what.op, d.Seed, what.number)
	result := Result{Suite: golden.SuiteOf(c.Op), ID: c.ID, Op: c.Op}
	want := p.Reference.Answer(c)
	switch {
	case want.Kind == testee.Skipped:
		result.Status, result.Text = NotDone, "the reference skips it: "+want.Why
	case want.Kind == testee.Broken:
		result.Status, result.Text = NotDone, "the reference is broken: "+want.Why
	default:
		v := &Vector{Case: *c, Want: want}
		result.judge(&golden.Case{Question: golden.Question{Op: c.Op}, Verdict: scope.Match}, v, p.Subject.Answer(c), d.Known[c.ID])
	}
	return result
}

// toShrink returns the indices of the differences to shrink. The others go into Large.
func (r *DiffReport) toShrink(known map[string]bool) []int {
	var places []int
	of := map[string]int{}
	r.Large = map[string]bool{}
	for i, result := range r.Results {
		switch {
		case result.Status != Failed || known[result.ID]:
		case of[result.Op] == MostShrunk:
			r.Large[result.ID] = true
		default:
			of[result.Op]++
			places = append(places, i)
		}
	}
	return places
}

// smallest shrinks a random case that differs.
func (d *Differ) smallest(p Pair, what planned, result Result) Difference {
	_, tape := catalogue.Invent(what.op, d.Seed, what.number)
	late := result.Late // a case whose answer was late is not shrunk, because each question would take as long again
	tape = catalogue.Shrink(tape, func(tape []uint64) bool {
		if late {
			return false
		}
		c := catalogue.Build(what.op, catalogue.ReplayDraws(tape))
		c.ID = result.ID
		want := p.Reference.Answer(c)
		if want.Kind != testee.Returned && want.Kind != testee.Raised {
			return false
		}
		got := p.Subject.Answer(c)
		late = got.Late
		if got.Kind == testee.Skipped || late {
			return false
		}
		now := Compare(what.op, want, got)
		if now == "" || Explain(what.op, want, got) != "" {
			return false
		}
		result.Text, result.Asked, result.Broken = now, c.Line(), got.Kind == testee.Broken
		result.Partings = partingsOf(what.op, want, got)
		return true
	})
	small := catalogue.Build(what.op, catalogue.ReplayDraws(tape))
	small.ID = result.ID
	v, err := ToVector(small, p.Reference.Answer(small), "", nil)
	if err != nil {
		v.About = err.Error()
	}
	return Difference{Result: result, Vector: v}
}

// Draw makes n random inputs for each operation, in the form of a case file.
func Draw(ops []string, n int, seed uint64) ([]golden.Input, error) {
	var inputs []golden.Input
	for _, op := range ops {
		if !slices.Contains(catalogue.DrawnOps(), op) {
			return nil, fmt.Errorf("operation %s: found no generator, want one of those that have", op)
		}
		seen := map[string]bool{}
		for i := 0; len(seen) < n && i < 4*n; i++ {
			c, _ := catalogue.Invent(op, seed, i)
			key := c.Line()
			if seen[key] {
				continue
			}
			seen[key] = true
			c.ID = fmt.Sprintf("%s/drawn-%d-%d", op, seed, i)
			inputs = append(inputs, golden.Input{Question: questionOf(c, ""), Flags: []string{"drawn"}})
		}
	}
	return inputs, nil
}
