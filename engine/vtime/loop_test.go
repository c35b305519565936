package vtime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
)

// Goal: at one instant the steps of loops come before all events. They come in the order in which
// their loops were made, and within a loop by part, however they were scheduled.
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

// Goal: steps change the digest of their loop, and not the hashes of events. A comparison of two
// runs names the loop that differs, and without leaps also the step.
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
