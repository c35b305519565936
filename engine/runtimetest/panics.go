package runtimetest

import (
	"errors"
	"strings"
	"time"
)

var errExample = errors.New("an example of a bug")

// explode panics. Its name has to appear in the stack.
//
//go:noinline
func explode() { panic(errExample) }

var panicCases = []testCase{
	{"reach the owner with value, task and original stack", func(r *trial) {
		r.begin("p", func(p Process) {
			p.Go("bomb", func() {
				defer r.log.Addf("deferred")
				p.Sleep(5 * ms)
				explode()
			})
			p.Sleep(time.Minute)
		})
		r.wantPanic("bomb")
		r.wantLog("deferred")
	}},

	{"of one process end the others too", func(r *trial) {
		r.begin("q", func(q Process) {
			q.Sleep(time.Minute)
			r.log.Addf("q slept")
		})
		r.begin("p", func(Process) { explode() })
		r.wantPanic("main")
		r.wantLog()
	}},

	{"of deferred code that a stop has started count as well", func(r *trial) {
		r.begin("p", func(p Process) {
			p.Go("bomb", func() {
				defer explode()
				p.Sleep(time.Minute)
			})
			p.Sleep(0)
			p.Stop()
		})
		r.wantPanic("bomb")
	}},

	{"that a task recovers are its own affair", func(r *trial) {
		r.within(func(p Process) {
			r.log.Addf("%s", recovered(explode))
			p.Sleep(ms)
			r.log.Addf("goes on")
		})
		r.wantLog("an example of a bug", "goes on")
	}},
}

func (r *trial) wantPanic(task string) {
	r.Helper()
	got := r.rt.Wait().Panic
	if got == nil {
		r.Fatal("no panic reached the owner")
	}
	if err, _ := got.Value.(error); !errors.Is(err, errExample) || got.Task != task {
		r.Errorf("panic of task %q with %v, want %q and %v", got.Task, got.Value, task, errExample)
	}
	if !strings.Contains(got.Stack, "runtimetest.explode") {
		r.Errorf("the stack does not name the function that panicked:\n%s", got.Stack)
	}
}
