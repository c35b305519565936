package vtime_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
)

// Goal: virtual time keeps the rules of env. Method: the cases that the wall
// clock passes too.
func TestConformance(t *testing.T) {
	runtimetest.Run(t, func(t *testing.T) runtimetest.Runtime {
		w := vtime.New(vtime.Config{Seed: 1, CheckOwner: true})
		t.Cleanup(w.Close)
		return conforming{w}
	})
}

type conforming struct{ w *vtime.World }

func (c conforming) NewProcess(name string) runtimetest.Process {
	return c.w.Node(name).NewProcess(name)
}

func (c conforming) Wait() (out runtimetest.Outcome) {
	_, err := c.w.Run(vtime.Limits{})
	var p *tasks.PanicError
	if errors.As(err, &p) {
		out.Panic = &runtimetest.Panic{Task: p.Task, Value: p.Value, Stack: string(p.Stack)}
	}
	for _, b := range c.w.Blocked() {
		out.Waiting = append(out.Waiting, b.String())
	}
	return out
}

func (c conforming) Exact() bool { return true }
