package vtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: the engine avoids the pitfalls of iter.Pull that DESIGN.md lists, with one test for each.

// coroutines returns how many coroutines of all worlds have not been stopped.
func coroutines() int {
	stacks := make([]byte, 1<<22)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return bytes.Count(stacks, []byte("vtime.newCoro.func1("))
}

// Goal: Close stops every coroutine, whether its task never began, waits, has ended or has
// panicked.
func TestCloseStopsEveryCoroutine(t *testing.T) {
	for _, c := range []struct {
		name  string
		tasks func(p *vtime.Process)
	}{
		{"waiting", func(p *vtime.Process) {
			for range 50 {
				p.Go("sleeper", func() { p.Sleep(time.Hour) })
				p.Go("waiter", func() { p.NewCond("c").Wait() })
			}
		}},
		{"ended and pooled", func(p *vtime.Process) {
			for range 50 {
				p.Go("short", func() { p.Sleep(1) })
			}
		}},
		{"never begun", func(p *vtime.Process) {
			p.Go("starter", func() {
				p.Sleep(ms)
				for range 50 {
					p.Go("never", func() {})
				}
				p.Node().World().Halt()
			})
		}},
		{"panicked", func(p *vtime.Process) {
			p.Go("waiter", func() { p.Sleep(time.Hour) })
			p.Go("bomb", func() { panic("bomb") })
		}},
		{"crashed before a halt", func(p *vtime.Process) {
			p.Go("waiter", func() { p.Sleep(time.Hour) })
			p.Go("killer", func() {
				p.Node().World().Halt()
				p.Crash()
			})
		}},
		{"ended, then started again", func(p *vtime.Process) {
			p.Go("short", func() {})
			if _, err := p.Node().World().Run(vtime.Limits{}); err != nil {
				panic(err)
			}
			p.Go("waiter", func() { p.Sleep(time.Hour) })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := vtime.New(vtime.Config{})
			c.tasks(w.Node("node").NewProcess("p"))
			w.Run(vtime.Limits{Until: time.Second})
			if coroutines() == 0 {
				t.Error("there are no coroutines to stop")
			}
			w.Close()
			if n := coroutines(); n != 0 {
				t.Errorf("%d coroutines are left", n)
			}
		})
	}
}

// Goal: a world runs on the coroutines of a closed one as it does on its own: tasks that waited,
// panicked or had ended leave no trace. Those that are kept end with Coroutines.Close.
func TestCoroutinesOutliveTheirWorld(t *testing.T) {
	var kept vtime.Coroutines
	goroutines := func() (numbers []uint64) {
		w := newWorld(t, vtime.Config{Seed: 3, Coroutines: &kept})
		defer w.Close()
		p := w.Node("node").NewProcess("p")
		for i := range 9 {
			p.Go("task", func() {
				numbers = append(numbers, tasks.GoroutineNumber(make([]byte, 64)))
				p.Sleep(time.Duration(1+i%3) * time.Second)
			})
		}
		runTo(t, w, vtime.Limits{Until: 2 * time.Second}, vtime.TimeUp)
		slices.Sort(numbers)
		return numbers
	}
	first := goroutines()
	bomb := newWorld(t, vtime.Config{Coroutines: &kept})
	p := bomb.Node("node").NewProcess("p")
	p.Go("bomb", func() { panic("bomb") })
	if _, err := bomb.Run(vtime.Limits{}); err == nil {
		t.Error("the bomb was not told")
	}
	bomb.Close()
	if again := goroutines(); !slices.Equal(first, again) {
		t.Errorf("tasks ran on goroutines %v, then on %v, want the same", first, again)
	}
	if n := coroutines(); n != len(first) {
		t.Errorf("%d coroutines are kept, want %d", n, len(first))
	}
	kept.Close()
	if n := coroutines(); n != 0 {
		t.Errorf("%d coroutines are left", n)
	}
}

// Goal: closing a world that was never run leaves no coroutine behind, and runs no task.
func TestCloseOfWorldThatNeverRan(t *testing.T) {
	w := vtime.New(vtime.Config{})
	p := w.Node("node").NewProcess("p")
	task := p.Go("never", func() { t.Error("the task ran") })
	w.Close()
	if n := coroutines(); n != 0 {
		t.Errorf("%d coroutines are left", n)
	}
	if !task.Done() {
		t.Error("the task is not done")
	}
}

// Goal: Close unwinds a waiting task by a private panic. The task's deferred functions run, the
// code after the wait does not, and the panic is not reported.
func TestCloseUnwindsWaitingTasks(t *testing.T) {
	var seen log
	w := vtime.New(vtime.Config{})
	p := w.Node("node").NewProcess("p")
	p.Go("waiter", func() {
		defer func() {
			r := recover()
			seen.add("unwound by %v", r)
			panic(r)
		}()
		p.Sleep(time.Hour)
		seen.add("slept")
	})
	runTo(t, w, vtime.Limits{Until: time.Second}, vtime.TimeUp)
	w.Close()
	if err := w.Err(); err != nil {
		t.Errorf("the world failed: %v", err)
	}
	seen.want(t, "unwound by a task is being unwound; code that recovers must re-panic what it does not know")
}

// Goal: Close also unwinds the tasks of a process that crashed in the very event that ended the
// run. Their deferred calls have no effect.
func TestCloseReapsCrashedProcess(t *testing.T) {
	var seen log
	w := vtime.New(vtime.Config{})
	p, q := w.Node("a").NewProcess("p"), w.Node("b").NewProcess("q")
	q.Go("waiter", func() {
		defer func() {
			seen.add("deferred")
			q.Sleep(0)
			seen.add("slept")
		}()
		q.Sleep(time.Hour)
	})
	p.Go("killer", func() {
		q.Crash()
		w.Halt()
	})
	runTo(t, w, vtime.Limits{}, vtime.Halted)
	hash := w.Hash()
	w.Close()
	seen.want(t, "deferred")
	if err := w.Err(); err != nil {
		t.Errorf("the world failed: %v", err)
	}
	if w.Hash() != hash {
		t.Error("Close changed the hash")
	}
}

func TestCloseTwice(t *testing.T) {
	w := vtime.New(vtime.Config{})
	p := w.Node("node").NewProcess("p")
	p.Go("waiter", func() { p.Sleep(time.Hour) })
	runTo(t, w, vtime.Limits{Until: time.Second}, vtime.TimeUp)
	w.Close()
	hash, events := w.Hash(), w.Events()
	w.Close()
	if w.Hash() != hash || w.Events() != events || w.Now() != time.Second {
		t.Error("the second Close changed the world")
	}
	if got := panicText(func() { w.Run(vtime.Limits{}) }); got != "vtime: Run of a closed world" {
		t.Errorf("Run after Close panics with %q", got)
	}
}

//go:noinline
func explode(value any) { panic(value) }

// Goal: if a task panics, the run ends with all that is needed to find the cause and to repeat the
// run, above all the stack of the panic.
func TestPanicOfTask(t *testing.T) {
	bug := errors.New("a bug")
	w := newWorld(t, vtime.Config{Seed: 42, Replay: "monosim run --seed 42"})
	p := w.Node("pod-1").NewProcess("agent")
	p.Go("loader", func() {
		p.Sleep(1500 * ms)
		explode(bug)
	})
	after := p.Go("bystander", func() { p.Sleep(time.Hour) })
	reason, err := w.Run(vtime.Limits{})
	if reason != vtime.Failed {
		t.Fatalf("run ended: %v, want %v", reason, vtime.Failed)
	}
	var got *tasks.PanicError
	if !errors.As(err, &got) {
		t.Fatalf("error %v, want a *tasks.PanicError", err)
	}
	if got.At != 1500*ms || got.Node != "pod-1" || got.Task != "loader" || got.Value != bug || got.Seed != 42 {
		t.Errorf("panic at %v on node %q in task %q with %v, seed %d", got.At, got.Node, got.Task, got.Value, got.Seed)
	}
	if !errors.Is(err, bug) {
		t.Error("the error does not wrap the panic's")
	}
	if !strings.Contains(string(got.Stack), "vtime_test.explode") {
		t.Errorf("the stack does not name the function that panicked:\n%s", got.Stack)
	}
	want := "t+1.500s: task \"loader\" of node \"pod-1\" panicked: a bug (seed 42)\nreplay: monosim run --seed 42\n"
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("text %q, want it to begin with %q", err, want)
	}
	if again, err2 := w.Run(vtime.Limits{}); again != vtime.Failed || err2 != err {
		t.Errorf("a second run ended: %v, %v; a failed world stays failed", again, err2)
	}
	if after.Done() {
		t.Error("events happened after the panic")
	}
}

func TestPanicOfHandler(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 7})
	w.Node("server").After(ms, kindTick, func() { explode("a bug") })
	reason, err := w.Run(vtime.Limits{})
	if reason != vtime.Failed || err == nil || w.Err() != err {
		t.Fatalf("run ended: %v, %v", reason, err)
	}
	want := "t+0.001s: an event handler panicked: a bug (seed 7)\n"
	if !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "vtime_test.explode") {
		t.Errorf("text %q, want it to begin with %q and to name the function", err, want)
	}
}

// Goal: if an event's handler panics while a task waits, the task does not unwind. Method: before
// the handler comes an event of the task itself, one of a task in a dead process, or none.
func TestPanicOfHandlerPassesByTheTaskThatWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(w *vtime.World, p *vtime.Process)
	}{
		{"after nothing", func(*vtime.World, *vtime.Process) {}},
		{"after a sleep", func(_ *vtime.World, p *vtime.Process) { p.Go("sleeper", func() { p.Sleep(2 * ms) }) }},
		{"after the wake of a dead task", func(w *vtime.World, p *vtime.Process) {
			q := w.Node("b").NewProcess("q")
			cond, own := q.NewCond("cond"), p.NewCond("own")
			q.Go("victim", cond.Wait)
			p.Go("driver", func() {
				own.Wait()
				p.Sleep(time.Hour)
			})
			w.Node("operator").After(ms, kindTick, func() {
				own.Signal()
				cond.Signal()
				q.Crash()
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen log
			w := newWorld(t, vtime.Config{Seed: 7})
			p := w.Node("a").NewProcess("p")
			c.before(w, p)
			p.Go("waiter", func() {
				defer func() { seen.add("waiter: %v", recover() == any("a bug")) }()
				p.Sleep(time.Hour)
			})
			w.Node("server").After(3*ms, kindTick, func() { explode("a bug") })
			if reason, err := w.Run(vtime.Limits{}); reason != vtime.Failed || !strings.HasPrefix(err.Error(), "t+0.003s: an event handler panicked: a bug") {
				t.Errorf("run ended: %v, %v", reason, err)
			}
			seen.want(t)
		})
	}
}

// goexits runs fn on a new goroutine and reports whether runtime.Goexit ended that.
func goexits(fn func()) (ended bool) {
	over := make(chan struct{}) //lint:hidden Goexit must not end the test itself
	ended = true
	go func() { //lint:hidden Goexit must not end the test itself
		defer close(over) //lint:hidden Goexit must not end the test itself
		fn()
		ended = false
	}()
	<-over //lint:hidden Goexit must not end the test itself
	return ended
}

// Goal: t.FailNow in a task or handler ends the test that runs the world. The world can still be
// closed then.
func TestGoexitTravelsToTheEngine(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(w *vtime.World, p *vtime.Process)
	}{
		{"from a task", func(_ *vtime.World, p *vtime.Process) {
			p.Go("failer", func() {
				p.Sleep(ms)
				runtime.Goexit()
			})
		}},
		{"from a handler", func(w *vtime.World, _ *vtime.Process) {
			w.Node("server").After(ms, kindTick, runtime.Goexit)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := vtime.New(vtime.Config{})
			p := w.Node("node").NewProcess("p")
			p.Go("bystander", func() { p.Sleep(time.Hour) })
			c.begin(w, p)
			if !goexits(func() { w.Run(vtime.Limits{}) }) {
				t.Error("Run returned")
			}
			if err := w.Err(); err != nil {
				t.Errorf("the world failed: %v", err)
			}
			w.Close()
			if n := coroutines(); n != 0 {
				t.Errorf("%d coroutines are left", n)
			}
		})
	}
}

// Goal: if t.FailNow in deferred code ends a Close early, a second Close does the rest.
func TestGoexitInCloseLeavesTheRestToTheNextClose(t *testing.T) {
	w := vtime.New(vtime.Config{})
	for _, name := range []string{"a", "b"} {
		p := w.Node(name).NewProcess("p")
		for range 2 {
			p.Go("failer", func() {
				defer runtime.Goexit()
				p.Sleep(time.Hour)
			})
		}
	}
	runTo(t, w, vtime.Limits{Until: time.Second}, vtime.TimeUp)
	for range 4 {
		if !goexits(w.Close) {
			t.Error("Close returned, want Goexit for each of the four tasks")
		}
	}
	w.Close()
	if n := coroutines(); n != 0 {
		t.Errorf("%d coroutines are left", n)
	}
}

// Goal: the engine notices if a goroutine that is not the task's waits in its name. iter.Pull would
// not notice.
func TestWaitFromAnotherGoroutineIsNoticed(t *testing.T) {
	w := newWorld(t, vtime.Config{CheckOwner: true})
	p := w.Node("node").NewProcess("p")
	var got string
	p.Go("task", func() {
		goexits(func() { got = panicText(func() { p.Sleep(ms) }) })
		p.Sleep(ms)
	})
	run(t, w)
	if want := `vtime: task "task" of node "node" waits on goroutine `; !strings.HasPrefix(got, want) {
		t.Errorf("panic %q, want it to begin with %q", got, want)
	}
	if w.Now() != ms {
		t.Errorf("the task's own sleep ended at %v, want %v", w.Now(), ms)
	}
}

func TestWaitOutsideOfTasksPanics(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p, q := w.Node("a").NewProcess("p"), w.Node("b").NewProcess("q")
	var seen log
	seen.add("%s", panicText(func() { p.Sleep(ms) }))
	seen.add("%s", panicText(func() { p.Self() }))
	q.Go("stranger", func() { seen.add("%s", panicText(func() { p.Sleep(ms) })) })
	run(t, w)
	seen.want(t,
		"vtime: a wait of process p on a outside of a task",
		"vtime: Self of process p on a outside of its tasks",
		"vtime: task stranger of process q waits in the name of process p")
}

// Goal: tasks reuse the coroutines of ended tasks, so that starting a task is cheap.
func TestCoroutinesArePooled(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("node").NewProcess("p")
	p.Go("main", func() {
		for range 100 {
			p.Go("short", func() { p.Sleep(ms) }).Join()
		}
	})
	run(t, w)
	if n := coroutines(); n != 2 {
		t.Errorf("%d coroutines for 2 tasks at a time", n)
	}
}

// Goal: a resting task has no coroutine but behaves like a parked one. It is listed, joined, woken,
// and unwound when it is stopped. Coroutines that the run no longer needs end.
func TestARestingTaskHasNoStack(t *testing.T) {
	w := vtime.New(vtime.Config{Seed: 1, CheckOwner: true})
	defer w.Close()
	p := w.Node("n").NewProcess("p")
	var log []string
	note := func(s string) { log = append(log, w.Now().String()+" "+s) }
	var resting []*vtime.Task
	for range 100 {
		resting = append(resting, p.Start("resting", func() {
			p.Sleep(ms)
			p.Rest("a call", func() { p.Sleep(ms) }, nil)
		}))
	}
	resting[0] = p.Start("first", func() {
		p.Rest("a call", func() {
			note("woken")
			p.Rest("another", func() { note("wrong") }, func() { note("unwound") })
		}, func() { note("wrong") })
	})
	p.Start("joins", func() {
		resting[1].Join()
		note("joined")
	})
	run := func(d time.Duration) {
		t.Helper()
		if _, err := w.Run(vtime.Limits{Until: w.Now() + d}); err != nil {
			t.Fatal(err)
		}
	}
	before := coroutines()
	p.Start("clock", func() {
		for range 40_000 {
			p.Sleep(ms)
		}
	})
	run(time.Second)
	if blocked := w.Blocked(); len(blocked) != 102 || blocked[1].WaitsFor != "a call" {
		t.Errorf("%d tasks are blocked, of which one is %+v, want 102 that wait for a call", len(blocked), blocked[1])
	}
	resting[0].Wake()
	resting[1].Wake()
	for range 39 {
		run(time.Second)
	}
	if n := coroutines() - before; n > 5 {
		t.Errorf("%d coroutines are left of 100 tasks that rest, want those of two others", n)
	}
	p.Stop()
	run(time.Second)
	want := []string{"1s woken", "1.001s joined", "40s unwound"}
	if strings.Join(log, ", ") != strings.Join(want, ", ") {
		t.Errorf("got %q, want %q", log, want)
	}
	for _, task := range resting {
		if !task.Done() {
			t.Fatalf("task %q has not ended", task.Name())
		}
	}
}

// Goal: a loop that keeps no stack between its turns behaves like one that does. Events, hash and
// log are the same, and it ends when its process is stopped.
func TestALoopRunsAsItTurns(t *testing.T) {
	once := func(resting bool) (hash uint64, log []string, left int) {
		w := vtime.New(vtime.Config{Seed: 5, CheckOwner: true})
		defer w.Close()
		p := w.Node("n").NewProcess("p")
		for i := range 3 {
			turns := 0
			turn := func() bool {
				turns++
				p.Sleep(time.Duration(turns) * ms)
				log = append(log, w.Now().String())
				return i == 0 || turns < 4*i
			}
			p.Go("polls", func() {
				loop := leap.NewTurns(p, leap.Config{Period: 10 * ms})
				if resting {
					loop.Run(turn)
					return
				}
				for loop.Turn(); turn(); loop.Turn() {
				}
			})
		}
		for range 2 {
			if _, err := w.Run(vtime.Limits{Until: w.Now() + 300*ms}); err != nil {
				t.Fatal(err)
			}
			p.Stop()
		}
		return w.Hash(), log, coroutines()
	}
	hash, log, before := once(false)
	restingHash, restingLog, after := once(true)
	if hash != restingHash || strings.Join(log, " ") != strings.Join(restingLog, " ") {
		t.Errorf("turns: hash %016x, log %q\nrun: hash %016x, log %q", hash, log, restingHash, restingLog)
	}
	if len(log) < 20 || after > before {
		t.Errorf("%d turns, and %d coroutines instead of %d", len(log), after, before)
	}
}

// Goal: a task that rests on a condition has no stack and waits its turn as others do. A function
// given to AfterRest runs once the task no longer rests, but not if the task unwinds. Method: the
// same waits with a stack and without.
func TestATaskRestsOnACondition(t *testing.T) {
	story := func(rests bool) []string {
		w := vtime.New(vtime.Config{Seed: 1, CheckOwner: true})
		defer w.Close()
		p, stopped := w.Node("n").NewProcess("p"), w.Node("n").NewProcess("stopped")
		var log []string
		note := func(s string) func() { return func() { log = append(log, w.Now().String()+" "+s) } }
		wait := func(c env.Cond, next func()) {
			if rests {
				c.(*vtime.Cond).Rest(next)
				return
			}
			c.Wait()
			next()
		}
		for _, of := range []*vtime.Process{p, stopped} {
			c := of.NewCond("a sign")
			of.Start("first", func() {
				wait(c, func() {
					note("first woken")()
					wait(c, note("first goes on"))
				})
				of.AfterRest(note("after the first"))
			})
			of.Start("second", func() { wait(c, note("second woken")); of.AfterRest(note("after the second")) })
			for _, at := range []time.Duration{2, 3, 5} {
				w.Node("operator").After(at*ms, kindTick, c.Signal)
			}
		}
		w.Node("operator").After(4*ms, kindTick, stopped.Stop)
		if _, err := w.Run(vtime.Limits{Until: 6 * ms}); err != nil {
			t.Fatal(err)
		}
		return append(log, fmt.Sprintf("hash %x", w.Trace().Hash))
	}
	want := story(false)
	if got := story(true); !slices.Equal(got, want) || len(want) < 8 {
		t.Errorf("resting tasks: got %q, want what others do: %q", got, want)
	}
}
