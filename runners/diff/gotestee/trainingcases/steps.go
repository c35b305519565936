package trainingcases

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// lab is what an operation on one object has: an env in the case's time, and a session.
type lab struct {
	c    *caseworld.Call
	e    *env.Env
	time *caseworld.StepTime
	s    *session.Memory
}

// newLab takes the clock's time from "now" of the case, where there is one.
func newLab(c *caseworld.Call) *lab {
	t := &caseworld.StepTime{Tasks: c.Env.Tasks, Clock: c.Env.Clock, At: time.Unix(caseworld.EpochSec, 0).UTC()}
	if now, ok := c.In.Value("now").(int); ok {
		t.At = time.Unix(int64(now), 0).UTC()
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
	l.time.During = func(n int) {
		for _, v := range l.c.In.List("appear") {
			if at, ok := v.([]any); ok && at[0] == n {
				l.c.Dir.WriteFiles(at[1].(*pysem.Dict), "appear")
			}
		}
	}
}

// steps returns the answers to the case's steps; after, where it is not nil, adds to one.
func (l *lab) steps(do caseworld.Do, after func(out *pysem.Dict)) []any {
	q := caseworld.Sequence{Do: do, Time: l.time}
	if after != nil {
		q.After = func(_ caseworld.Step, out *pysem.Dict) { after(out) }
	}
	return l.c.Run(q)
}

// answer returns the steps' answers alone.
func (l *lab) answer(do caseworld.Do, after func(out *pysem.Dict)) (any, error) {
	return caseworld.Object("steps", l.steps(do, after)), nil
}

// pass is the step by which time passes; seconds are an int or a float.
func (l *lab) pass(seconds any) {
	l.time.At = l.time.At.Add(time.Duration(optNumber(seconds).V * float64(time.Second)))
}
