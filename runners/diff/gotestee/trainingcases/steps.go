package trainingcases

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// mostSleeps is when a step that only sleeps is stopped.
const mostSleeps = 4000

// endless unwinds a step that sleeps for ever, or one of another process at its first sleep.
type endless struct{}

// stepTime is the case's time: it stands still but for sleeps, which are noted.
type stepTime struct {
	env.Tasks
	env.Clock
	now    time.Time
	slept  []any
	during func(n int)
	within bool
}

func (t *stepTime) Now() time.Time { return t.now }

// Elapsed stands still with the clock.
func (t *stepTime) Elapsed() time.Duration { return t.now.Sub(time.Unix(0, 0)) }

// Sleep notes whole seconds as ints and others as floats, as the reference's arguments are.
func (t *stepTime) Sleep(d time.Duration) {
	if t.within {
		panic(endless{})
	}
	t.slept = append(t.slept, seconds(d))
	if len(t.slept) > mostSleeps {
		panic(endless{})
	}
	t.now = t.now.Add(d)
	if t.during != nil {
		t.within = true
		defer func() { t.within = false }()
		t.during(len(t.slept))
	}
}

func seconds(d time.Duration) any {
	if d%time.Second == 0 {
		return int(d / time.Second)
	}
	return d.Seconds()
}

// inRows are equal neighbours as one [entry, how many].
func inRows(entries []any) []any {
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

// lab is what an operation on one object has: an env in the case's time, and a session.
type lab struct {
	c    *caseworld.Call
	e    *env.Env
	time *stepTime
	s    *session.Memory
	dir  string
}

// newLab takes the clock's time from "now" of the case, where there is one.
func newLab(c *caseworld.Call) *lab {
	t := &stepTime{Tasks: c.Env.Tasks, Clock: c.Env.Clock, now: time.Unix(caseworld.EpochSec, 0).UTC()}
	if now, ok := c.In.Value("now").(int); ok {
		t.now = time.Unix(int64(now), 0).UTC()
	}
	e := *c.Env
	e.Tasks, e.Clock = t, t
	return &lab{c: c, e: &e, time: t, s: session.NewMemory()}
}

// appear has the case's files appear within its sleeps: [[n, files]...].
func (l *lab) appear() {
	if l.c.In.Value("appear") == nil {
		return
	}
	l.time.during = func(n int) {
		for _, v := range l.c.In.List("appear") {
			if at, ok := v.([]any); ok && at[0] == n {
				l.c.Dir.WriteFiles(at[1].(*pysem.Dict), "appear")
			}
		}
	}
}

// run is what does a step.
type run func(s caseworld.Step) (any, error)

// steps are the answers to the case's steps; after, where it is not nil, adds to one.
func (l *lab) steps(do run, after func(s caseworld.Step, out *pysem.Dict)) []any {
	answers := []any{}
	for _, s := range stepsOf(l.c.In, "steps") {
		took := []any{}
		l.time.slept, l.time.during = nil, l.others(do, s, &took)
		answer := l.bounded(do, s)
		if len(l.time.slept) > 0 {
			answer.Set("slept", inRows(l.time.slept))
		}
		if len(took) > 0 {
			answer.Set("during", took)
		}
		l.time.slept = nil
		if after != nil {
			after(s, answer)
		}
		answers = append(answers, caseworld.Raw{V: caseworld.Encode(answer)})
	}
	return answers
}

// bounded is an attempt of a step that may have no end.
func (l *lab) bounded(do run, s caseworld.Step) (answer *pysem.Dict) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case endless:
			answer = caseworld.Object("r", nil, "endless", true)
		default:
			panic(r)
		}
	}()
	return caseworld.Attempt(do(s))
}

// others does the steps of other processes that belong into the n-th sleep.
func (l *lab) others(do run, s caseworld.Step, took *[]any) func(n int) {
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
			other, ok := caseworld.AsStep(parts[1:], s.At("during"))
			if !ok {
				s.Wrong("during", "a list of [n, name, arguments]")
			}
			*took = append(*took, []any{n, other.Name, caseworld.Raw{V: caseworld.Encode(l.bounded(do, other))}})
		}
	}
}

// stepsOf reads a list of [name] and [name, arguments].
func stepsOf(in caseworld.Arguments, field string) []caseworld.Step {
	var list []caseworld.Step
	for _, v := range in.List(field) {
		parts, _ := v.([]any)
		if len(parts) == 1 {
			parts = append(slices.Clone(parts), &pysem.Dict{})
		}
		s, ok := caseworld.AsStep(parts, in.At(field))
		if !ok {
			in.Wrong(field, "a list of [name] and [name, arguments]")
		}
		list = append(list, s)
	}
	return list
}
