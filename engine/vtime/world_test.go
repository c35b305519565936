package vtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

func TestEqualInstantsHappenInTheOrderOfScheduling(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	var seen log
	p := w.Node("c").NewProcess("p")
	p.Go("task", func() { seen.add("task") })
	for i, node := range []string{"b", "a", "b"} {
		w.Node(node).Schedule(0, kindTick, vtime.Func(func() {
			seen.add("%s%d", node, i)
			w.Node(node).After(0, kindTick, func() { seen.add("%s%d again", node, i) })
		}), 0)
	}
	run(t, w)
	seen.want(t, "task", "b0", "a1", "b2", "b0 again", "a1 again", "b2 again")
}

func TestEventsInThePastHappenNow(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	n := w.Node("node")
	var at time.Duration
	n.After(time.Second, kindTick, func() {
		n.Schedule(ms, kindTick, vtime.Func(func() { at = w.Now() }), 0)
	})
	run(t, w)
	if at != time.Second {
		t.Errorf("the event of t+1ms that was scheduled at t+1s happened at t+%v", at)
	}
}

// Goal: Run stops at each kind of limit. Method: a tick each second.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits func(w *vtime.World) vtime.Limits
		reason vtime.Reason
		now    time.Duration
		events uint64
	}{
		{"until an event", func(*vtime.World) vtime.Limits { return vtime.Limits{Until: 3 * time.Second} }, vtime.TimeUp, 3 * time.Second, 3},
		{"until between events", func(*vtime.World) vtime.Limits { return vtime.Limits{Until: 3500 * ms} }, vtime.TimeUp, 3500 * ms, 3},
		{"number of events", func(*vtime.World) vtime.Limits { return vtime.Limits{MaxEvents: 2} }, vtime.EventsUp, 2 * time.Second, 2},
		{"the first of two limits", func(*vtime.World) vtime.Limits { return vtime.Limits{MaxEvents: 2, Until: time.Hour} }, vtime.EventsUp, 2 * time.Second, 2},
		{"done", func(w *vtime.World) vtime.Limits {
			return vtime.Limits{Done: func() bool { return w.Now() >= 4*time.Second }}
		}, vtime.Satisfied, 4 * time.Second, 4},
		{"done before the first event", func(*vtime.World) vtime.Limits {
			return vtime.Limits{Done: func() bool { return true }}
		}, vtime.Satisfied, 0, 0},
		{"halt", func(w *vtime.World) vtime.Limits {
			w.Node("other").After(2500*ms, kindTick, w.Halt)
			return vtime.Limits{}
		}, vtime.Halted, 2500 * ms, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, vtime.Config{})
			tick := &ticker{node: w.Node("node"), period: time.Second}
			tick.Handle(0)
			runTo(t, w, c.limits(w), c.reason)
			if w.Now() != c.now || w.Events() != c.events {
				t.Errorf("stopped at %v after %d events, want %v after %d", w.Now(), w.Events(), c.now, c.events)
			}
			// The next Run continues without skipping an event.
			runTo(t, w, vtime.Limits{MaxEvents: 1}, vtime.EventsUp)
			if next := c.now.Truncate(time.Second) + time.Second; w.Now() != next {
				t.Errorf("the next event happened at %v, want %v", w.Now(), next)
			}
		})
	}
}

func TestQuietAndTimeUpWithoutEvents(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	runTo(t, w, vtime.Limits{}, vtime.Quiet)
	runTo(t, w, vtime.Limits{Until: time.Hour}, vtime.TimeUp)
	if w.Now() != time.Hour {
		t.Errorf("the clock shows %v, want 1h: time passes when nothing happens too", w.Now())
	}
	runTo(t, w, vtime.Limits{Until: time.Minute}, vtime.TimeUp)
	if w.Now() != time.Hour {
		t.Errorf("the clock shows %v, want 1h: it never goes back", w.Now())
	}
}

func TestClocks(t *testing.T) {
	start := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	w := newWorld(t, vtime.Config{Start: start})
	p := w.Node("node").NewProcess("p")
	p.SetSkew(-3 * time.Second)
	var seen log
	p.Go("task", func() {
		p.Sleep(90 * time.Second)
		seen.add("%s, elapsed %s", p.Now().Format(time.TimeOnly), p.Elapsed())
	})
	run(t, w)
	seen.add("%s without skew", w.Time().Format(time.TimeOnly))
	seen.want(t, "12:01:27, elapsed 1m30s", "12:01:30 without skew")
}

func TestRunInsideOfRunPanics(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	var seen log
	nested := func() { seen.add("%s", panicText(func() { w.Run(vtime.Limits{}) })) }
	w.Node("server").After(ms, kindTick, nested)
	p := w.Node("node").NewProcess("p")
	p.Go("task", nested)
	p.Go("closer", func() { seen.add("%s", panicText(w.Close)) })
	run(t, w)
	seen.want(t, "vtime: Run inside of Run", "vtime: Close inside of Run", "vtime: Run inside of Run")
}

// Goal: Blocked tells which task of which process waits, for what and since when. It does not list
// tasks that only wait for a timer.
func TestBlocked(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p, q := w.Node("pod-1").NewProcess("agent"), w.Node("pod-2").NewProcess("agent")
	p.Go("loader", func() {
		p.Sleep(1500 * ms)
		p.NewCond("the mirror").Wait()
	})
	p.Go("caller", func() { p.Park("the answer") })
	q.Go("joiner", func() { q.Self().Join() })
	q.Go("watcher", func() {
		q.Sleep(time.Second)
		leap.NewTurns(q, leap.Config{Period: time.Minute}).Turn()
	})
	p.Go("limited", func() { p.NewCond("c").WaitFor(time.Hour) })
	p.Go("sleeper", func() { p.Sleep(time.Hour) })
	runTo(t, w, vtime.Limits{Until: time.Minute}, vtime.TimeUp)
	want := []tasks.BlockedTask{
		{Node: "pod-1", Process: "agent", Task: "loader", WaitsFor: "the mirror", Since: 1500 * ms},
		{Node: "pod-1", Process: "agent", Task: "caller", WaitsFor: "the answer"},
		{Node: "pod-2", Process: "agent", Task: "joiner", WaitsFor: "end of task joiner"},
	}
	if diff := cmp.Diff(want, w.Blocked()); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
	text := fmt.Sprint(want[0])
	if text != `pod-1: task "loader" of agent has waited for the mirror since t+1.500s` {
		t.Errorf("text %q", text)
	}
}
