package caseworld

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// Sequence describes how the steps of a case are done.
type Sequence struct {
	Do Do
	// ZK does the zk.* steps, and its writes are shown; nil for a case without a client.
	ZK *ZooKeeper
	// Sorted names the calls of which runs are sorted by path.
	Sorted []string
	// Time is the clock that sleeps move. A step shows its sleeps, and what other processes
	// did during them. Nil where time is no part of the answer.
	Time *StepTime
	// Before runs before each step; After adds to its answer. Each may be nil.
	Before func()
	After  func(s Step, out *pysem.Dict)
}

// Answered is the whole answer of a step, for a step whose answer is no attempt.
type Answered struct{ *pysem.Dict }

// Run does the steps of the case and returns their answers.
func (c *Call) Run(q Sequence) []any {
	return lists.Map(c.In.Steps(c.op.Sequence), func(s Step) any { return Raw{Encode(c.runOne(q, s))} })
}

func (c *Call) runOne(q Sequence, s Step) *pysem.Dict {
	took := []any{}
	if q.Before != nil {
		q.Before()
	}
	if q.ZK != nil {
		q.ZK.calls = nil
	}
	if q.Time != nil {
		q.Time.Slept, q.Time.During = nil, c.others(q, s, &took)
	}
	answer := c.attempt(q, s)
	if q.ZK != nil {
		if writes := q.ZK.Take(q.Sorted...); len(writes) > 0 {
			answer.Set("writes", writes)
		}
	}
	if q.Time != nil {
		if len(q.Time.Slept) > 0 {
			answer.Set("slept", InRows(q.Time.Slept))
		}
		if len(took) > 0 {
			answer.Set("during", took)
		}
		q.Time.Slept = nil
	}
	if q.After != nil {
		q.After(s, answer)
	}
	return answer
}

// attempt does one step, and unwinds it if it would never end.
func (c *Call) attempt(q Sequence, s Step) *pysem.Dict {
	return Bounded(func() (any, error) { return c.do(q, s) })
}

// DoStep does a step by its name, as Run does.
func (c *Call) DoStep(q Sequence, s Step) (any, error) { return c.do(q, s) }

func (c *Call) do(q Sequence, s Step) (any, error) {
	if method, ok := strings.CutPrefix(s.Name, "zk."); ok && q.ZK != nil {
		return q.ZK.DoQuietly(Step{Name: method, Arguments: s.Arguments})
	}
	function, ok := q.Do[s.Name]
	if !ok {
		UnknownStep(s)
	}
	return c.call(function, c.op.Steps[s.Name], s)
}

// Bounded attempts a call, and unwinds it if it would never end.
func Bounded(call func() (any, error)) (answer *pysem.Dict) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Endless:
			answer = Object("r", nil, "endless", true)
		default:
			panic(r)
		}
	}()
	v, err := call()
	if answered, ok := v.(Answered); ok && err == nil {
		return answered.Dict
	}
	return Attempt(v, err)
}

// others returns the function that does, within the n-th sleep, the steps that the case
// gives to other processes.
func (c *Call) others(q Sequence, s Step, took *[]any) func(n int) {
	if !s.Has("during") {
		return nil
	}
	planned := s.List("during")
	return func(n int) {
		for _, p := range planned {
			parts, ok := p.([]any)
			if !ok || len(parts) != 3 {
				s.Wrong("during", "a list of [n, name, arguments]")
			}
			if parts[0] != n {
				continue
			}
			other, ok := AsStep(parts[1:], s.At("during"))
			if !ok {
				s.Wrong("during", "a list of [n, name, arguments]")
			}
			*took = append(*took, []any{n, other.Name, Raw{V: Encode(c.attempt(q, other))}})
		}
	}
}

// InRows joins equal neighbours into one [entry, how many].
func InRows(entries []any) []any {
	rows := []any{}
	for i, e := range entries {
		if i > 0 && pysem.Equal(entries[i-1], e) {
			last := rows[len(rows)-1].([]any)
			last[1] = last[1].(int) + 1
			continue
		}
		rows = append(rows, []any{e, 1})
	}
	return rows
}

// WithPrefix adds the steps to others, with a prefix before their names.
func (d Do) WithPrefix(prefix string, others Do) Do {
	all := Do{}
	for name, function := range d {
		all[prefix+name] = function
	}
	for name, function := range others {
		all[name] = function
	}
	return all
}

// shortStep turns [name] into [name, {}].
func shortStep(v any) any {
	if parts, _ := v.([]any); len(parts) == 1 {
		return append(slices.Clone(parts), &pysem.Dict{})
	}
	return v
}
