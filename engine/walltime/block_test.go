package walltime_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/walltime"
)

func TestBlockLetsOthersRun(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	answer := make(chan int, 1)
	got := 0
	p.Go("caller", func() { p.Block(func(context.Context) { got = <-answer }) })
	p.Go("other", func() {
		p.Sleep(time.Millisecond)
		answer <- 42
	})
	wait(t, w)
	if got != 42 {
		t.Errorf("got %d, want 42", got)
	}
}

// Goal: after Block the task has the monitor again, however fn ended. Method: tasks that count
// without a lock, under the race detector.
func TestBlockComesBackIntoTheMonitor(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	counter := 0
	for range 8 {
		p.Go("caller", func() {
			for range 50 {
				p.Block(func(context.Context) {})
				seen := counter
				counter = seen + 1
				func() {
					defer func() {
						_ = recover()
						counter++
					}()
					p.Block(func(context.Context) { panic("refused") })
				}()
			}
		})
	}
	wait(t, w)
	if counter != 800 {
		t.Errorf("counted %d, want 800", counter)
	}
}

func TestPanicInBlockIsOneOfTheTask(t *testing.T) {
	w := newWorld(t)
	bug := errors.New("a bug")
	p := w.NewProcess("node", "p")
	p.Go("caller", func() { p.Block(func(context.Context) { panic(bug) }) })
	if err := waitErr(w); !errors.Is(err, bug) {
		t.Errorf("error %v, want %v", err, bug)
	}
}

// Goal: a crash and a stop each cancel a call to the outside, and then the task unwinds. After a
// stop its deferred calls still work.
func TestBlockIsCut(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(p *walltime.Process)
		want []string
	}{
		{"by crash", (*walltime.Process).Crash, []string{"cut", "deferred"}},
		{"by stop", (*walltime.Process).Stop, []string{"cut", "deferred", "deferred call outside: <nil>"}},
		{"by the end of the world", func(*walltime.Process) {}, []string{"cut", "deferred"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.NewProcess("node", "p")
			var seen []string
			inside := make(chan struct{})
			p.Go("caller", func() {
				defer func() {
					seen = append(seen, "deferred")
					var err error
					p.Block(func(ctx context.Context) { err = ctx.Err() })
					seen = append(seen, "deferred call outside: "+errText(err))
				}()
				p.Block(func(ctx context.Context) {
					close(inside)
					<-ctx.Done()
					seen = append(seen, "cut")
				})
				seen = append(seen, "goes on")
			})
			within(t, "the call", inside)
			if c.end(p); c.name == "by the end of the world" {
				w.Close()
			}
			wait(t, w)
			if diff := cmp.Diff(c.want, seen); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

// Goal: an outside call that is slow to return does not keep other tasks from unwinding. Method:
// the call returns only once another task has unwound.
func TestSlowCallDoesNotHoldUpACrash(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(p *walltime.Process)
	}{
		{"crash", (*walltime.Process).Crash},
		{"stop", (*walltime.Process).Stop},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.NewProcess("node", "p")
			inside, unwound := make(chan struct{}), make(chan struct{})
			deferred := 0
			p.Go("caller", func() {
				defer func() { deferred++ }()
				p.Block(func(context.Context) {
					close(inside)
					<-unwound
				})
				t.Error("the call returned into its task")
			})
			begun := make(chan struct{})
			p.Go("waiter", func() {
				defer func() {
					deferred++
					close(unwound)
				}()
				close(begun)
				p.Sleep(time.Minute)
			})
			within(t, "the waiter", begun)
			within(t, "the call", inside)
			c.end(p)
			wait(t, w)
			if deferred != 2 {
				t.Errorf("%d tasks have unwound, want 2", deferred)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

// entries holds the ways in which an outside goroutine can run code in a process.
var entries = map[string]func(p *walltime.Process, name string, fn func()) error{
	"Enter": (*walltime.Process).Enter, "Request": (*walltime.Process).Request,
}

// byEachEntry runs a test as a subtest for each of the entries.
func byEachEntry(t *testing.T, test func(t *testing.T, enter func(p *walltime.Process, name string, fn func()) error)) {
	for name, enter := range entries {
		t.Run(name, func(t *testing.T) { test(t, enter) })
	}
}

// Goal: handlers of real servers run one at a time with the tasks of the process, and may wait as
// tasks do.
func TestEnterTakesItsTurn(t *testing.T) { byEachEntry(t, enterTakesItsTurn) }

func enterTakesItsTurn(t *testing.T, enter func(p *walltime.Process, name string, fn func()) error) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	counter, served := 0, p.NewCond("served")
	p.Go("main", func() {
		for counter < 400 {
			served.Wait()
		}
	})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 50 {
				if err := enter(p, "request", func() {
					seen := counter
					counter = seen + 1
					if p.Self().Name() != "request" {
						t.Error("the request is not the current task")
					}
					p.Sleep(time.Microsecond)
					served.Broadcast()
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	wait(t, w)
	if counter != 400 {
		t.Errorf("counted %d, want 400", counter)
	}
}

func TestEnterOfProcessThatEnds(t *testing.T) { byEachEntry(t, enterOfProcessThatEnds) }

func enterOfProcessThatEnds(t *testing.T, enter func(p *walltime.Process, name string, fn func()) error) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	inside := make(chan struct{})
	result := make(chan error, 1)
	go func() {
		result <- enter(p, "request", func() {
			close(inside)
			p.Sleep(time.Minute)
		})
	}()
	within(t, "the request", inside)
	p.Crash()
	if err := <-result; !errors.Is(err, walltime.ErrEnded) {
		t.Errorf("a request that was cut: %v, want %v", err, walltime.ErrEnded)
	}
	if err := enter(p, "late", func() { t.Error("a request ran in a dead process") }); !errors.Is(err, walltime.ErrEnded) {
		t.Errorf("a late request: %v, want %v", err, walltime.ErrEnded)
	}
	wait(t, w)
}

func TestEnterReturnsItsPanic(t *testing.T) { byEachEntry(t, enterReturnsItsPanic) }

func enterReturnsItsPanic(t *testing.T, enter func(p *walltime.Process, name string, fn func()) error) {
	w := newWorld(t)
	bug := errors.New("a bug")
	p := w.NewProcess("node", "p")
	err := enter(p, "request", func() { panic(bug) })
	var got *tasks.PanicError
	if !errors.As(err, &got) || got.Task != "request" || !errors.Is(err, bug) {
		t.Errorf("error %v, want the panic of task request", err)
	}
	if !errors.Is(w.Err(), bug) {
		t.Errorf("the world has %v, want the panic too", w.Err())
	}
}

// Goal: the goroutines that run requests end when the world is closed, even if a request's function
// has ended its goroutine.
func TestRequestsLeaveNoGoroutines(t *testing.T) {
	for range 20 {
		w := walltime.New(walltime.Config{})
		p := w.NewProcess("node", "p")
		var clients sync.WaitGroup
		for range 8 {
			clients.Go(func() {
				for p.Request("request", func() { p.Sleep(time.Microsecond) }) == nil {
				}
			})
		}
		if err := p.Request("request", runtime.Goexit); err == nil {
			t.Error("a request that ended its goroutine returned nothing")
		}
		w.Close()
		clients.Wait()
	}
	deadline := time.Now().Add(limit)
	stacks := make([]byte, 1<<20)
	for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "walltime.(*entrant)") {
		if time.Now().After(deadline) {
			t.Fatalf("goroutines of requests are left:\n%s", stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func TestEnterFromATaskOfTheSameProcessPanics(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	var got string
	p.Go("task", func() { got = panicText(func() { _ = p.Enter("request", func() {}) }) })
	wait(t, w)
	if want := "walltime: task task of process p enters the process that it is in"; got != want {
		t.Errorf("panic %q, want %q", got, want)
	}
}

func TestPostRunsInTheMonitor(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	var order []int
	ended := p.NewCond("ended")
	p.Go("main", func() {
		for len(order) < 100 {
			ended.Wait()
		}
	})
	for i := range 100 {
		p.Post("callback", func() {
			order = append(order, i)
			ended.Broadcast()
		})
	}
	wait(t, w)
	for i, got := range order {
		if got != i {
			t.Fatalf("callback %d ran as number %d", got, i)
		}
	}
	p.Crash()
	p.Post("late", func() { t.Error("a callback ran in a dead process") })
	wait(t, w)
}
