package trainingcases

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// lab holds what an operation on one object needs: an environment in the case's time, and a
// session.
type lab struct {
	c    *caseworld.Call
	e    *env.Env
	time *caseworld.StepTime
	s    *session.Memory
}

// newLab makes a lab, whose clock starts at "now" of the case, where the case has it.
func newLab(c *caseworld.Call) *lab {
	t := &caseworld.StepTime{Tasks: c.Env.Tasks, Clock: c.Env.Clock, At: time.Unix(caseworld.EpochSec, 0).UTC()}
	if now, ok := c.In.Value("now").(int); ok {
		t.At = time.Unix(int64(now), 0).UTC()
	}
	e := *c.Env
	e.Tasks, e.Clock = t, t
	return &lab{c: c, e: &e, time: t, s: session.NewMemory()}
}

// appear makes the case's files appear within its sleeps: [[n, files]...].
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

// steps does the case's steps and returns their answers; after, where it is not nil, adds to each.
func (l *lab) steps(do caseworld.Do, after func(out *pysem.Dict)) []any {
	q := caseworld.Sequence{Do: do, Time: l.time}
	if after != nil {
		q.After = func(_ caseworld.Step, out *pysem.Dict) { after(out) }
	}
	return l.c.Run(q)
}

// answer does the case's steps, and answers with their answers alone.
func (l *lab) answer(do caseworld.Do, after func(out *pysem.Dict)) (any, error) {
	return caseworld.Object("steps", l.steps(do, after)), nil
}

// pass lets time pass, by seconds that are an int or a float.
func (l *lab) pass(seconds any) {
	l.time.At = l.time.At.Add(time.Duration(optNumber(seconds).V * float64(time.Second)))
}

// notes is the log of a stand-in that notes the calls that it gets.
type notes struct{ log []any }

func noNotes() notes { return notes{[]any{}} }

// note adds an entry. It returns nil, which is how the stand-in's methods succeed.
func (n *notes) note(entry ...any) error {
	n.log = append(n.log, entry)
	return nil
}

// made makes an object of a data class from keyword arguments.
func made[T any](class *dataclass.Class[T], fields []dataclass.Field) (*T, error) {
	object := class.New()
	for _, f := range fields {
		if err := class.Set(&object, f.Name, f.Value); err != nil {
			return nil, err
		}
	}
	return &object, nil
}
