package trainingcases

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// lab holds what an operation on one object needs: an environment with the time of the case, and a
// session.
type lab struct {
	c    *caseworld.Call
	e    *env.Env
	time *caseworld.StepTime
	s    *session.Memory
}

// newLab makes a lab. If the case has a field "now", the clock starts at that time.
func newLab(c *caseworld.Call) *lab {
	t := &caseworld.StepTime{Tasks: c.Env.Tasks, Clock: c.Env.Clock, At: time.Unix(caseworld.EpochSec, 0).UTC()}
	if now, ok := c.In.Value("now").(int); ok {
		t.At = time.Unix(int64(now), 0).UTC()
	}
	e := *c.Env
	e.Tasks, e.Clock = t, t
	return &lab{c: c, e: &e, time: t, s: session.NewMemory()}
}

// appear makes files appear during sleeps. The case lists them as [[n, files]...], where n is the
// number of the sleep.
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

// steps runs the case's steps and returns their answers. If after is not nil, it adds to each
// answer.
func (l *lab) steps(do caseworld.Do, after func(out *pysem.Dict)) []any {
	q := caseworld.Sequence{Do: do, Time: l.time}
	if after != nil {
		q.After = func(_ caseworld.Step, out *pysem.Dict) { after(out) }
	}
	return l.c.Run(q)
}

// answer runs the case's steps. The answer to the case contains only the steps' answers.
func (l *lab) answer(do caseworld.Do, after func(out *pysem.Dict)) (any, error) {
	return caseworld.Object("steps", l.steps(do, after)), nil
}

// pass lets time pass. The seconds are an int or a float.
func (l *lab) pass(seconds any) {
	l.time.At = l.time.At.Add(time.Duration(optNumber(seconds).V * float64(time.Second)))
}

// notes is the log of a stand-in object, which records the calls that it gets.
type notes struct{ log []any }

func noNotes() notes { return notes{[]any{}} }

// note adds an entry to the log. It returns nil, so that a method of a stand-in can return its
// result.
func (n *notes) note(entry ...any) error {
	n.log = append(n.log, entry)
	return nil
}

// made makes an object of a data class, with fields set by keyword arguments.
func made[T any](class *dataclass.Class[T], fields []dataclass.Field) (*T, error) {
	object := class.New()
	for _, f := range fields {
		if err := class.Set(&object, f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	return &object, nil
}
