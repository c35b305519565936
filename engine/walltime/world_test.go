package walltime_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/walltime"
)

// Goal: the wall clock handles what only it has: goroutines that are not tasks, real waits, and an
// owner outside. How tasks affect each other is tested in engine/runtimetest.

func newWorld(t *testing.T) *walltime.World {
	t.Helper()
	w := walltime.New(walltime.Config{Seed: 1})
	t.Cleanup(w.Close)
	return w
}

// wait waits until all tasks have ended, and fails the test if one panicked.
func wait(t *testing.T, w *walltime.World) {
	t.Helper()
	if err := waitErr(w); err != nil {
		t.Fatal(err)
	}
}

func waitErr(w *walltime.World) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return w.Wait(ctx)
}

// within fails the test unless a value soon arrives from the channel. what names it in the failure.
func within[T any](t *testing.T, what string, c <-chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(limit):
		t.Fatalf("%s has not come in %v", what, limit)
	}
}

func panicText(fn func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	fn()
	return ""
}

// Goal: a seed gives the same choices on the wall clock as in virtual time.
func TestDrawsAreThoseOfVirtualTime(t *testing.T) {
	for _, seed := range []uint64{0, 1, 1 << 63} {
		w := walltime.New(walltime.Config{Seed: seed})
		virtual := vtime.New(vtime.Config{Seed: seed})
		for _, node := range []string{"a", "b"} {
			p, v := w.NewProcess(node, "p"), virtual.Node(node).NewProcess("p")
			for _, site := range []string{"x", "y"} {
				for k := range 20 {
					if got, want := p.Intn(site, 1000), v.Intn(site, 1000); got != want {
						t.Errorf("seed %d: %s/%s#%d = %d, want %d", seed, node, site, k, got, want)
					}
					if got, want := p.Float64(site), v.Float64(site); got != want {
						t.Errorf("seed %d: %s/%s#%d as float = %v, want %v", seed, node, site, k, got, want)
					}
				}
			}
		}
		if got, want := panicText(func() { w.NewProcess("a", "p").Intn("x", 0) }), "walltime: choice among 0 outcomes at x"; got != want {
			t.Errorf("panic %q, want %q", got, want)
		}
		w.Close()
	}
}

// Goal: processes run in parallel. Two of them that wait in turn for the other's memory, without a
// call of env, both make progress.
func TestProcessesRunInParallel(t *testing.T) {
	w := newWorld(t)
	var turn atomic.Int32
	for i := range int32(2) {
		p := w.NewProcess(fmt.Sprint("node-", i), "p")
		p.Go("spinner", func() {
			for round := range int32(10) {
				for turn.Load() != 2*round+i {
					runtime.Gosched()
				}
				turn.Add(1)
			}
		})
	}
	wait(t, w)
	if turn.Load() != 20 {
		t.Errorf("%d turns, want 20", turn.Load())
	}
}

func TestPanicReport(t *testing.T) {
	w := newWorld(t)
	bug := errors.New("a bug")
	p := w.NewProcess("pod-1", "agent")
	p.Go("loader", func() { panic(bug) })
	err := waitErr(w)
	var got *tasks.PanicError
	if !errors.As(err, &got) || !errors.Is(err, bug) {
		t.Fatalf("error %v, want a *tasks.PanicError around %v", err, bug)
	}
	if got.Node != "pod-1" || got.Task != "loader" || got.Value != bug || got.Seed != 1 {
		t.Errorf("panic on node %q in task %q with %v, seed %d", got.Node, got.Task, got.Value, got.Seed)
	}
	if !strings.Contains(err.Error(), `task "loader" of node "pod-1" panicked: a bug (seed 1)`) || !strings.Contains(err.Error(), "world_test.go") {
		t.Errorf("text %q", err)
	}
	late := w.NewProcess("pod-2", "agent")
	late.Go("late", func() { t.Error("a task ran in a world that had failed") })
	if !late.Dead() {
		t.Error("a failed world took a new process")
	}
}

func TestPanicsAreCollected(t *testing.T) {
	w := newWorld(t)
	first, second := errors.New("first"), errors.New("second")
	p := w.NewProcess("node", "p")
	p.Go("waiter", func() {
		defer func() { panic(second) }()
		p.Sleep(time.Minute)
	})
	p.Go("bomb", func() { panic(first) })
	if err := waitErr(w); !errors.Is(err, first) || !errors.Is(err, second) {
		t.Errorf("error %v, want both panics", err)
	}
}

// Goal: t.FailNow in a task ends the world, so that its owner does not wait forever.
func TestGoexitEndsTheWorld(t *testing.T) {
	w := newWorld(t)
	p, q := w.NewProcess("a", "p"), w.NewProcess("b", "q")
	q.Go("waiter", func() { q.NewCond("c").Wait() })
	p.Go("failer", func() {
		p.Sleep(time.Millisecond)
		runtime.Goexit()
	})
	if err := waitErr(w); err == nil || !strings.Contains(err.Error(), "the task called runtime.Goexit") {
		t.Errorf("error %v", err)
	}
}

func TestWaitGivesUpWithItsContext(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("pod-1", "agent")
	p.Go("loader", func() { p.NewCond("the mirror").Wait() })
	p.Go("joiner", func() { p.Self().Join() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err := w.Wait(ctx)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v, want %v", err, context.DeadlineExceeded)
	}
	for len(w.Blocked()) < 2 {
		runtime.Gosched()
	}
	var got []string
	for _, b := range w.Blocked() {
		got = append(got, fmt.Sprintf("%s %s %s: %s", b.Node, b.Process, b.Task, b.WaitsFor))
	}
	want := []string{"pod-1 agent loader: the mirror", "pod-1 agent joiner: end of task joiner"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
	if err := w.Wait(ctx); !strings.Contains(err.Error(), `pod-1: task "loader" of agent has waited for the mirror since t+`) {
		t.Errorf("text %q does not say who waits", err)
	}
}

func TestCloseUnwindsAll(t *testing.T) {
	w := walltime.New(walltime.Config{})
	unwound := 0
	p := w.NewProcess("node", "p")
	for range 20 {
		p.Go("waiter", func() {
			defer func() { unwound++ }()
			p.Sleep(time.Hour)
		})
	}
	p.Go("blocked", func() {
		defer func() { unwound++ }()
		p.Block(func(ctx context.Context) { <-ctx.Done() })
	})
	begun := make(chan struct{})
	p.Go("last", func() { close(begun) })
	within(t, "the last task", begun)
	w.Close()
	w.Close()
	if unwound != 21 {
		t.Errorf("%d tasks have unwound, want 21", unwound)
	}
	if err := w.Err(); err != nil {
		t.Errorf("the world failed: %v", err)
	}
	if p.Context().Err() == nil {
		t.Error("the context of the process goes on")
	}
}

func TestOnEndIsCalledOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		life func(p *walltime.Process)
	}{
		{"last task ended", func(p *walltime.Process) {
			p.Go("a", func() { p.Sleep(time.Millisecond) })
		}},
		{"crash of itself", func(p *walltime.Process) { p.Go("a", func() { p.Crash() }) }},
		{"crash from outside", func(p *walltime.Process) {
			p.Go("a", func() { p.Sleep(time.Hour) })
			p.Crash()
		}},
		{"stop from outside", func(p *walltime.Process) {
			p.Go("a", func() { p.Sleep(time.Hour) })
			p.Stop()
		}},
		{"stop before the first task", func(p *walltime.Process) { p.Stop() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			p := w.NewProcess("node", "p")
			var ends atomic.Int32
			p.OnEnd(func() { ends.Add(1) })
			c.life(p)
			wait(t, w)
			if ends.Load() != 1 {
				t.Errorf("called %d times by the end of the last task, want once", ends.Load())
			}
			w.Close()
			if ends.Load() != 1 {
				t.Errorf("called %d times after Close, want once", ends.Load())
			}
		})
	}
}

func TestGoAfterTheLastTaskEnded(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	for range 3 {
		ran := false
		p.Go("task", func() {
			p.Sleep(time.Millisecond)
			ran = true
		})
		wait(t, w)
		if !ran {
			t.Fatal("the task did not run")
		}
	}
}

// Goal: calls of env from goroutines that are not tasks are refused before they damage the monitor.
func TestWaitFromAnotherGoroutineIsNoticed(t *testing.T) {
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	var seen []string
	p.Go("task", func() {
		var stranger sync.WaitGroup
		stranger.Go(func() {
			seen = append(seen, panicText(func() { p.Sleep(time.Millisecond) }), panicText(func() { p.Self() }))
		})
		stranger.Wait()
		p.Sleep(time.Millisecond)
	})
	wait(t, w)
	want := []string{
		"walltime: Sleep of process p on node from a goroutine that is not its current task: only tasks may call env, see Process.Enter",
		"walltime: Self of process p on node outside of its tasks",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("panics (-want +got):\n%s", diff)
	}
}

// Goal: in a world with a speed, all waits and both clocks advance at that speed.
func TestSpeed(t *testing.T) {
	const speed = 100_000
	w := walltime.New(walltime.Config{Seed: 1, Speed: speed})
	t.Cleanup(w.Close)
	p := w.NewProcess("node", "p")
	began := time.Now()
	p.Go("main", func() {
		from, wall := p.Elapsed(), p.Now()
		if ahead := wall.Sub(began); ahead < 0 {
			t.Errorf("the clock is %v behind that of the machine, where it begins", -ahead)
		}
		p.Sleep(time.Hour)
		if p.NewCond("nothing").WaitFor(time.Hour) {
			t.Error("woken by nobody")
		}
		if took := p.Elapsed() - from; took < 2*time.Hour {
			t.Errorf("two hours took %v", took)
		}
		if took := p.Now().Sub(wall); took < 2*time.Hour {
			t.Errorf("two hours took %v by the wall clock", took)
		}
	})
	wait(t, w)
	for d, want := range map[time.Duration]time.Duration{
		0: 0, 1: 1, speed: 1, -speed: -1, time.Hour: time.Hour / speed, math.MaxInt64: math.MaxInt64 / speed,
	} {
		if got := w.Real(d); got < want || got > want+want>>40+1 {
			t.Errorf("%v last %v on the clock, want %v", d, got, want)
		}
	}
}
