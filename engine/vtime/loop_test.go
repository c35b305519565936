package vtime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
)

// Goal: at one instant steps of loops come before everything else, in the order in which
// their loops were made and by their parts, however they are scheduled.
func TestStepsComeFirstAtTheirInstant(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 1})
	n := w.Node("node")
	first, second := n.NewLoop("first"), n.NewLoop("second")
	var seen log
	note := func(what string) vtime.Handler { return vtime.Func(func() { seen.add("%s", what) }) }
	for _, at := range []time.Duration{100 * time.Microsecond, 5 * ms} { // near, and far
		n.Schedule(at, kindTick, note("event"), 0)
		second.Schedule(n, 1, at, kindTick, note("second, 1"), 0)
		second.Schedule(n, 0, at, kindTick, note("second, 0"), 0)
		first.Schedule(n, 0, at, kindTick, vtime.Func(func() {
			seen.add("first")
			if !first.Past(at-1, 3) || first.Past(at, 0) || !second.Past(at-1, 0) || second.Past(at, 0) {
				t.Error("a step does not know its place")
			}
			first.Schedule(n, 1, at, kindTick, note("first again"), 0)
		}), 0)
		n.Schedule(at, kindTick, note("another event"), 0)
		n.Schedule(at, kindTick, vtime.Func(func() {
			if !second.Past(at, 1) {
				t.Error("a step of this instant is not past for an event")
			}
		}), 0)
	}
	run(t, w)
	once := []string{"first", "first again", "second, 0", "second, 1", "event", "another event"}
	if diff := cmp.Diff(append(once, once...), []string(seen)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// Goal: steps leave their marks in the digest of their loop, not in the order of hashes,
// and a difference between two runs names the loop, and without leaps the step.
func TestDivergenceNamesTheLoop(t *testing.T) {
	trace := func(at time.Duration, noLeaps bool) *vtime.Trace {
		w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: noLeaps, Trace: vtime.TraceConfig{Record: true}})
		n := w.Node("pod")
		n.NewLoop("poll").Schedule(n, 0, at, kindTick, vtime.Func(func() {}), 7)
		n.NewLoop("ping").Schedule(n, 0, 3*ms, kindTick, vtime.Func(func() {}), 0)
		n.Schedule(2*ms, kindTick, vtime.Func(func() {}), 0)
		run(t, w)
		return w.Trace()
	}
	if d := vtime.FirstDivergence(trace(ms, true), trace(ms, false)); d != nil {
		t.Errorf("with leaps and without: %v, want equal", d)
	}
	if a, b := trace(ms, false), trace(5*ms, false); len(a.Checkpoints) != len(b.Checkpoints) || a.Hash == b.Hash {
		t.Errorf("hashes %x and %x, want different ones", a.Hash, b.Hash)
	}
	d := vtime.FirstDivergence(trace(ms, false), trace(4*ms, false))
	if want := []string{"pod poll: 1 steps at other instants"}; d == nil || cmp.Diff(want, d.Loops) != "" {
		t.Fatalf("got %v, want %q", d, want)
	}
	d = vtime.FirstDivergence(trace(ms, true), trace(4*ms, true))
	if text := fmt.Sprint(d); !strings.Contains(text, "a: #0+ t+0.001000s pod test.tick(7)") {
		t.Errorf("got %s\nwant the step of the loop", text)
	}
}

// Goal: a run is asked whether it is done after a turn that did something, and not after
// one that only went round.
func TestDoneIsAskedAfterTurnsThatDidSomething(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: true})
	p := w.Node("node").NewProcess("p")
	turns, changes := 0, uint64(0)
	p.Go("loop", func() {
		loop := p.NewLoop(time.Second, func() uint64 { return changes })
		for {
			loop.Turn()
			turns++
			if turns == 5 {
				changes++
			}
		}
	})
	asked := 0
	reason, err := w.Run(vtime.Limits{Until: time.Minute, Done: func() bool {
		asked++
		return changes == 1
	}})
	if err != nil || reason != vtime.Satisfied || w.Now() != 5*time.Second {
		t.Errorf("got %v, %v at %v; want satisfied at 5s", reason, err, w.Now())
	}
	if asked > 4 {
		t.Errorf("asked %d times, want at most 4", asked)
	}
}

// Goal: a loop whose state differs while another task holds a lock sleeps on when it is what
// it was once the next turn begins, and else that turn is one of the task. Method: the steps
// that are leapt over are counted.
func TestALoopSleepsOnWhileALockIsHeld(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to time.Duration // in which the lock is held, of every period
		period   time.Duration
		leapt    uint64 // of 20 turns, one each second
	}{
		{"between two turns", 400 * ms, 600 * ms, time.Second, 19}, // the first is to be seen
		{"when each turn begins", 900 * ms, 1100 * ms, time.Second, 19},
		{"when every other turn begins", 900 * ms, 1100 * ms, 2 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, vtime.Config{Seed: 1})
			p := w.Node("node").NewProcess("p")
			held := uint64(0)
			p.Go("loop", func() {
				loop := p.NewLoop(time.Second, func() uint64 { return held })
				loop.(*vtime.Turns).Run(func() bool { return true })
			})
			p.Go("other", func() {
				p.Sleep(c.from)
				for {
					held = 1
					p.Sleep(c.to - c.from)
					held = 0
					p.Sleep(c.period - c.to + c.from)
				}
			})
			runTo(t, w, vtime.Limits{Until: 20*time.Second + 500*ms}, vtime.TimeUp)
			w.CatchUp()
			turns := uint64(0)
			for _, l := range w.Trace().Loops {
				turns += l.Steps
			}
			if turns != 20 || w.Leapt() != c.leapt {
				t.Errorf("%d turns, of which %d were leapt over, want 20 and %d", turns, w.Leapt(), c.leapt)
			}
		})
	}
}
