package runtimetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
)

// Runtime is a new runtime under test. The runtime's own test implements it, and cases call it.
type Runtime interface {
	// NewProcess makes a process without tasks, on a node of its own.
	NewProcess(name string) Process
	// Wait lets time pass until every task has ended or can never end. A runtime that cannot detect
	// this gives up after a generous time limit.
	Wait() Outcome
	// Exact reports whether time passes only while all tasks wait. A sleep then takes exactly as
	// long as requested.
	Exact() bool
}

// Process is one process of the runtime.
type Process interface {
	env.Clock
	env.Tasks
	env.Random
	// Crash ends the process at once. It does not return if a task of the same process calls it.
	Crash()
	// Stop unwinds each task of the process at its current wait or at its next one.
	Stop()
}

// Outcome describes how a run ended.
type Outcome struct {
	// Panic is the first panic of a task, or nil if no task panicked.
	Panic *Panic
	// Waiting has one line for each task that has not ended.
	Waiting []string
}

// Panic is a task's panic as the runtime reports it.
type Panic struct {
	Task  string
	Value any
	Stack string
}

// Run runs all cases as subtests of t. It calls start for each case to make a new runtime, with the
// same seed each time. start should free the runtime when the test ends that is passed to it.
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

// within runs fn as the first task of a new process and waits for all tasks to end. The tasks
// that fn starts begin in start order, and only when fn waits or ends.
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

// finish waits for the end of the run. It fails the case if a task panicked or did not end.
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

// wantLog fails the case unless the tasks wrote exactly these lines.
func (r *trial) wantLog(want ...string) {
	r.Helper()
	r.log.Want(r, want...)
}

// wantTook fails the case if something took less time than want, or took longer on a runtime with
// exact time.
func (r *trial) wantTook(what string, got, want time.Duration) {
	r.Helper()
	if got < want || r.rt.Exact() && got != want {
		r.Errorf("%s took %v, want %v", what, got, want)
	}
}

// recovered runs fn and returns its panic value as text. Use it only for panics that fn itself
// causes.
func recovered(fn func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fn()
	return ""
}

const ms = time.Millisecond
