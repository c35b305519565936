package walltime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/runtimetest"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/walltime"
)

// limit is how long tests wait for something that should come within milliseconds.
const limit = 30 * time.Second

// Goal: the wall clock keeps the rules of the package env. Method: the cases that virtual time has
// to pass too.
func TestConformance(t *testing.T) {
	runtimetest.Run(t, func(t *testing.T) runtimetest.Runtime {
		w := walltime.New(walltime.Config{Seed: 1})
		t.Cleanup(w.Close)
		return conforming{w}
	})
}

type conforming struct{ w *walltime.World }

func (c conforming) NewProcess(name string) runtimetest.Process {
	return c.w.NewProcess(name, name)
}

func (c conforming) Wait() (out runtimetest.Outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	err := c.w.Wait(ctx)
	var p *tasks.PanicError
	if errors.As(err, &p) {
		out.Panic = &runtimetest.Panic{Task: p.Task, Value: p.Value, Stack: string(p.Stack)}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		out.Waiting = append(out.Waiting, err.Error())
	}
	return out
}

func (c conforming) Exact() bool { return false }
