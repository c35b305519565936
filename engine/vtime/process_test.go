package vtime_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: crashing and stopping have the right effects as the engine sees them. What tasks see is
// tested in engine/runtimetest.

func TestCrashFromTheEngineUnwindsAfterItsEvent(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p := n.NewProcess("p")
	var seen log
	task := p.Go("task", func() {
		defer seen.add("deferred")
		p.Sleep(time.Hour)
	})
	n.After(ms, kindTick, func() {
		p.Crash()
		seen.add("crashed, dead: %v, done: %v", p.Dead(), task.Done())
		n.After(0, kindTick, func() { seen.add("next event, done: %v", task.Done()) })
	})
	run(t, w)
	seen.want(t, "crashed, dead: true, done: false", "deferred", "next event, done: true")
	if w.Now() != ms {
		t.Errorf("the last event happened at %v, want %v: those of a dead process are void", w.Now(), ms)
	}
}

func TestCrashVoidsTheEventsOfTheProcessButNotOfItsNode(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p, q := n.NewProcess("p"), n.NewProcess("q")
	var seen log
	p.After(2*ms, kindTick, func() { seen.add("of p") })
	p.Schedule(2*ms, kindTick, vtime.Func(func() { seen.add("of p") }), 0)
	q.After(2*ms, kindTick, func() { seen.add("of q") })
	n.After(2*ms, kindTick, func() { seen.add("of the node") })
	n.After(ms, kindTick, p.Crash)
	run(t, w)
	seen.want(t, "of q", "of the node")
}

func TestProcessCanLiveAgain(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	var seen log
	var begin func(life int)
	begin = func(life int) {
		p := n.NewProcess("p")
		p.OnEnd(func() {
			seen.add("life %d over", life)
			if life < 3 {
				n.After(time.Second, kindTick, func() { begin(life + 1) })
			}
		})
		p.Go("task", func() {
			p.Sleep(ms)
			seen.add("life %d", life)
			p.Crash()
		})
	}
	begin(1)
	run(t, w)
	seen.want(t, "life 1", "life 1 over", "life 2", "life 2 over", "life 3", "life 3 over")
}

func TestOnEndIsCalledOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		life func(p *vtime.Process)
	}{
		{"last task ended", func(p *vtime.Process) {
			p.Go("a", func() { p.Sleep(ms) })
			p.Go("b", func() { p.Sleep(2 * ms) })
		}},
		{"crash of itself", func(p *vtime.Process) { p.Go("a", func() { p.Crash() }) }},
		{"crash from the engine", func(p *vtime.Process) {
			p.Go("a", func() { p.Sleep(time.Hour) })
			p.Node().After(ms, kindTick, p.Crash)
			p.Node().After(2*ms, kindTick, p.Crash)
		}},
		{"stop", func(p *vtime.Process) {
			p.Go("a", func() { p.Sleep(time.Hour) })
			p.Node().After(ms, kindTick, p.Stop)
			p.Node().After(2*ms, kindTick, p.Crash)
		}},
		{"stop before the first task", func(p *vtime.Process) { p.Stop() }},
		{"ended, then crashed", func(p *vtime.Process) {
			p.Go("a", func() {})
			p.Node().After(ms, kindTick, p.Crash)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, vtime.Config{})
			p := w.Node("node").NewProcess("p")
			ends := 0
			p.OnEnd(func() { ends++ })
			c.life(p)
			run(t, w)
			if ends != 1 {
				t.Errorf("called %d times by the end of the run, want once", ends)
			}
			w.Close()
			if ends != 1 {
				t.Errorf("called %d times after Close, want once", ends)
			}
		})
	}
}

func TestStopFromTheEngine(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p := n.NewProcess("p")
	var seen log
	for _, name := range []string{"a", "b"} {
		p.Go(name, func() {
			defer func() {
				p.Sleep(ms)
				seen.add("%s cleans up at %v", name, w.Now())
			}()
			p.Sleep(time.Hour)
		})
	}
	n.After(ms, kindTick, func() {
		p.Stop()
		seen.add("stopped, dead: %v", p.Dead())
	})
	p.OnEnd(func() { seen.add("over") })
	run(t, w)
	seen.want(t, "stopped, dead: false", "a cleans up at 2ms", "b cleans up at 2ms", "over")
}

// Goal: a process whose tasks have all ended lives again when another task starts. It is then
// listed and crashed like any other process.
func TestStartAfterTheLastTaskEnded(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("node").NewProcess("p")
	p.Go("first", func() {})
	run(t, w)
	second := p.Go("second", func() { p.Park("nothing") })
	run(t, w)
	if len(w.Blocked()) != 1 {
		t.Errorf("blocked: %v, want the second task", w.Blocked())
	}
	w.Close()
	if !second.Done() {
		t.Error("Close left the second task")
	}
}

// Goal: a started task runs until its first wait, before other events of that instant, and then its
// starter continues. Method: two tasks wake at one instant, and the first of them starts a third.
func TestAStartedTaskRunsBeforeWhatElseHappensThen(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("node").NewProcess("p")
	var seen log
	p.Go("first", func() {
		p.Sleep(ms)
		p.Go("third", func() {
			seen.add("third")
			p.Sleep(ms)
			seen.add("third again")
		})
		p.NewCond("turn of the third").WaitFor(0)
		seen.add("first goes on")
	})
	p.Go("second", func() {
		for range 2 {
			p.Sleep(ms)
			seen.add("second")
		}
	})
	run(t, w)
	seen.want(t, "third", "first goes on", "second", "third again", "second")
}

func TestWakeFromTheEngineRunsTheTaskAfterItsEvent(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p := n.NewProcess("p")
	var seen log
	task := p.Start("task", func() {
		p.Park("the answer")
		seen.add("woken at %v", w.Now())
	})
	n.After(ms, kindTick, func() {
		task.Wake()
		seen.add("event ends")
		task.Wake()
	})
	run(t, w)
	seen.want(t, "event ends", "woken at 1ms")
	if w.Events() != 2 {
		t.Errorf("%d events, want 2: the start and the tick", w.Events())
	}
}

func TestWakeFromATaskComesLater(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("node").NewProcess("p")
	var seen log
	sleeper := p.Start("sleeper", func() {
		for range 2 {
			p.Park("the answer")
			seen.add("woken")
		}
	})
	p.Go("waker", func() {
		sleeper.Wake()
		sleeper.Wake()
		seen.add("waker goes on")
	})
	run(t, w)
	seen.want(t, "waker goes on", "woken")
	if len(w.Blocked()) != 1 {
		t.Errorf("blocked: %v, want the sleeper: two wakes of one wait are one", w.Blocked())
	}
	if w.Events() != 3 {
		t.Errorf("%d events, want 3: two starts and a wake", w.Events())
	}
}

func TestParkForReportsWhetherItWasWokenInTime(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	p := n.NewProcess("p")
	var seen log
	task := p.Start("task", func() {
		for range 2 {
			seen.add("in time: %v at %v", p.ParkFor(10*ms, "the answer"), w.Now())
		}
	})
	n.After(5*ms, kindTick, task.Wake)
	run(t, w)
	seen.want(t, "in time: true at 5ms", "in time: false at 15ms")
}

// Goal: a late answer does not end a wait for something else, after the task has gone on.
func TestWakeEndsNoOtherWait(t *testing.T) {
	for _, c := range []struct {
		name string
		wait func(p *vtime.Process)
		want time.Duration
	}{
		{"sleep", func(p *vtime.Process) { p.Sleep(10 * ms) }, 10 * ms},
		{"cond", func(p *vtime.Process) { p.NewCond("c").WaitFor(10 * ms) }, 10 * ms},
		{"loop", func(p *vtime.Process) {
			leap.NewTurns(p, leap.Config{Period: 10 * ms}).Turn()
		}, 10 * ms},
	} {
		for _, from := range []string{"engine", "task"} {
			t.Run(c.name+" from "+from, func(t *testing.T) {
				w := newWorld(t, vtime.Config{})
				p := w.Node("node").NewProcess("p")
				var took time.Duration
				task := p.Start("task", func() {
					c.wait(p)
					took = w.Now()
				})
				if from == "engine" {
					p.After(5*ms, kindTick, task.Wake)
				} else {
					p.Go("waker", func() {
						p.Sleep(5 * ms)
						task.Wake()
					})
				}
				run(t, w)
				if took != c.want {
					t.Errorf("the wait took %v, want %v", took, c.want)
				}
			})
		}
	}
}

func TestLoopWithoutPeriodPanics(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("node").NewProcess("p")
	var got string
	p.Go("task", func() {
		got = panicText(func() { leap.NewTurns(p, leap.Config{Period: 0}) })
	})
	run(t, w)
	if got != "vtime: a loop with a period of 0 or less" {
		t.Errorf("panic %q", got)
	}
}

// Goal: ParkAfter has the same effect and hash as Sleep, the handler and ParkOn. Method: do both,
// with the wake in the handler or after it, and with the process stopped before, between and after.
func TestParkAfterIsSleepAndPark(t *testing.T) {
	for _, stop := range []time.Duration{0, ms / 2, 3 * ms / 2, 9 * ms} {
		for _, wakes := range []time.Duration{0, ms} {
			hashes, logs := map[bool]uint64{}, map[bool]log{}
			for _, atOnce := range []bool{false, true} {
				w := newWorld(t, vtime.Config{})
				p := w.Node("node").NewProcess("p")
				var seen log
				p.Go("task", func() {
					defer func() { seen.add("ends at %v", w.Now()) }()
					task, woken := p.Current(), false
					do := vtime.Func(func() {
						seen.add("done at %v", w.Now())
						if woken = wakes == 0; woken {
							task.Wake()
							return
						}
						p.After(wakes, kindTick, task.Wake)
					})
					if atOnce {
						p.ParkAfter(ms, do, "answer", "it")
					} else {
						p.Sleep(ms)
						if do(); !woken {
							p.ParkOn("answer", "it")
						}
					}
					seen.add("goes on at %v", w.Now())
					p.Sleep(ms)
				})
				if stop > 0 {
					w.Node("other").After(stop, kindTick, p.Stop)
				}
				run(t, w)
				hashes[atOnce], logs[atOnce] = w.Hash(), seen
			}
			if diff := cmp.Diff(logs[false], logs[true]); diff != "" || hashes[false] != hashes[true] {
				t.Errorf("stop after %v, wake after %v: hashes %x and %x, log (-want +got):\n%s", stop, wakes, hashes[false], hashes[true], diff)
			}
		}
	}
}
