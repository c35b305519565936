package vtime_test

import (
	"errors"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: virtual time keeps the rules of the package env, with sleeping loops and without. Method:
// the cases that the wall clock has to pass too.
func TestConformance(t *testing.T) {
	for _, leaps := range []bool{false, true} {
		runtimetest.Run(t, func(t *testing.T) runtimetest.Runtime {
			w := vtime.New(vtime.Config{Seed: 1, CheckOwner: true})
			t.Cleanup(w.Close)
			return conforming{w, leaps}
		})
	}
}

type conforming struct {
	w     *vtime.World
	leaps bool
}

func (c conforming) NewProcess(name string) runtimetest.Process {
	p := c.w.Node(name).NewProcess(name)
	if c.leaps {
		return leap.Tasks{Process: p}
	}
	return p
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
