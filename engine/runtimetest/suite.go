package runtimetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
)

// Runtime is a fresh runtime under test. The test of the runtime implements it; cases
// call it.
type Runtime interface {
	// NewProcess begins a process without tasks, on a node of its own.
	NewProcess(name string) Process
	// Wait lets time pass until every task has ended or can never end. Where that cannot
	// be known it gives up after a generous limit.
	Wait() Outcome
	// Exact reports whether time passes in waits only, so that a sleep lasts exactly as
	// long as was asked.
	Exact() bool
}

// Process is one process of the runtime: what its tasks touch, and its ends.
type Process interface {
	env.Clock
	env.Tasks
	env.Random
	// Crash ends the process at once. Called by one of its own tasks it does not return.
	Crash()
	// Stop unwinds each task of the process at its present or next wait.
	Stop()
}

// Outcome is how a run ended, as [Runtime.Wait] found it.
type Outcome struct {
	// Panic is the first panic of a task, nil when there was none.
	Panic *Panic
	// Waiting describes the tasks that have not ended, a line for each.
	Waiting []string
}

// Panic is a panic of a task, as the owner of the runtime learns of it.
type Panic struct {
	Task  string
	Value any
	Stack string
}

// Run runs all cases as subtests of t. It calls start for a fresh runtime before each;
// the seed is the same each time, and the runtime is freed at the end of the t that it
// was given.
func Run(t *testing.T, start func(t *testing.T) Runtime) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"sleep", sleepCases},
		{"tasks", taskCases},
		{"cond", condCases},
		{"loop", loopCases},
		{"locks", lockCases},
		{"hand-over", handCases},
		{"crash", crashCases},
		{"stop", stopCases},
		{"panics", panicCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					c.run(&trial{T: t, rt: start(t), start: start})
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(r *trial)
}

// trial is one case on one runtime.
type trial struct {
	*testing.T
	rt    Runtime
	start func(t *testing.T) Runtime
	log   eventlog.Log
}

// within runs fn as the first task of a fresh process and waits until all has
// ended. Tasks that fn starts therefore begin in that order, not while it is
// still starting others.
func (r *trial) within(fn func(p Process)) {
	r.Helper()
	r.begin("p", fn)
	r.finish()
}

func (r *trial) begin(name string, fn func(p Process)) Process {
	p := r.rt.NewProcess(name)
	p.Go("main", func() { fn(p) })
	return p
}

// finish waits for the end and wants neither panics nor tasks left over.
func (r *trial) finish() {
	r.Helper()
	out := r.rt.Wait()
	if out.Panic != nil {
		r.Fatalf("task %q panicked: %v\n%s", out.Panic.Task, out.Panic.Value, out.Panic.Stack)
	}
	if len(out.Waiting) > 0 {
		r.Fatalf("tasks have not ended: %q, the log: %q", out.Waiting, r.log.All())
	}
}

// wantLog compares what the tasks have written.
func (r *trial) wantLog(want ...string) {
	r.Helper()
	r.log.Want(r, want...)
}

// wantTook compares how long something took: never less than want, and no more
// in exact time.
func (r *trial) wantTook(what string, got, want time.Duration) {
	r.Helper()
	if got < want || r.rt.Exact() && got != want {
		r.Errorf("%s took %v, want %v", what, got, want)
	}
}

// recovered runs fn and returns the value of its panic as text. It is only for panics that fn
// is known to cause itself.
func recovered(fn func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fn()
	return ""
}

const ms = time.Millisecond
