package caseworld

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
)

// Sequence describes how to run the steps of a case.
type Sequence struct {
	Do Do
	// ZK runs the steps whose names begin with zk, and each answer shows its writes. It is nil for
	// a case without a client.
	ZK *ZooKeeper
	// Sorted lists names of calls. Where an answer shows consecutive calls of one of these names,
	// they are sorted by path.
	Sorted []string
	// Time is the clock that advances by sleeps. Each answer shows the sleeps, and what other
	// processes did during them. It is nil if answers do not depend on time.
	Time *StepTime
	// Before is called before each step. After can add to the step's answer. Each may be nil.
	Before func()
	After  func(s Step, out *pysem.Dict)
}

// Answered is the complete answer of a step. It is for steps whose answer is not the result of one
// call.
type Answered struct{ *pysem.Dict }

// Run runs the steps of the case and returns their answers.
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

// attempt runs one step and returns its answer. A step that would never end is unwound.
func (c *Call) attempt(q Sequence, s Step) *pysem.Dict {
	return Bounded(func() (any, error) { return c.do(q, s) })
}

// DoStep runs a single step, as Run does.
func (c *Call) DoStep(q Sequence, s Step) (any, error) { return c.do(q, s) }

func (c *Call) do(q Sequence, s Step) (any, error) {
	if method, ok := strings.CutPrefix(s.Name, "zk."); ok && q.ZK != nil {
		return q.ZK.DoQuietly(Step{Name: method, Arguments: s.Arguments})
	}
	function, ok := q.Do[s.Name]
	if !ok {
		UnknownStep(s)
	}
	fields := c.op.Steps[s.Name]
	for _, item := range s.Items {
		if item.Key != during && !slices.ContainsFunc(fields, func(f catalogue.Field) bool { return f.Takes(item.Key) }) {
			return nil, pysem.Raise("TypeError", "%s() got an unexpected keyword argument '%s'", s.Name, item.Key)
		}
	}
	return c.call(function, fields, s)
}

// during is the name of an argument that every step may have. It lists what other processes do
// while the step sleeps.
const during = "during"

// Bounded makes a call and returns its answer. A call that would never end is unwound.
func Bounded(call func() (any, error)) (answer *pysem.Dict) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case Endless:
			answer = Object("r", nil, "endless", true)
		case raised:
			answer = Attempt(nil, r.err)
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

// others returns a function to call during the n-th sleep. It runs the steps that the case assigns
// to other processes at that sleep.
func (c *Call) others(q Sequence, s Step, took *[]any) func(n int) {
	if !s.Has(during) {
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

// InRows replaces each run of equal neighbours by one [entry, count].
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

// WithPrefix returns the steps of d with a prefix before their names, together with the steps of
// others.
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

// shortStep returns [name, {}] for a step of the form [name].
func shortStep(v any) any {
	if parts, _ := v.([]any); len(parts) == 1 {
		return append(slices.Clone(parts), &pysem.Dict{})
	}
	return v
}
