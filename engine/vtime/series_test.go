package vtime_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/tasks"
	"github.com/monosim/monosim/engine/vtime"
)

// looper is a task that asks a server again and again, and counts; the server makes
// its turns where it may.
type looper struct {
	w       *vtime.World
	p       *vtime.Process
	server  *vtime.Node
	task    *vtime.Task
	delay   *vtime.Source
	turns   int
	spared  int // turns that the server made
	instant []time.Duration
}

func newLooper(w *vtime.World) *looper {
	l := &looper{w: w, p: w.Node("client").NewProcess("p"), server: w.Node("server")}
	l.delay = l.server.Source("delay")
	l.task = l.p.Start("looper", func() {
		for {
			l.ask()
			l.p.ParkOn("the answer", "it")
			l.took()
			if l.turns%10 == 0 {
				l.p.Sleep(ms)
			}
		}
	})
	return l
}

func (l *looper) ask() {
	l.server.Schedule(l.w.Now()+time.Duration(l.delay.Intn(2000))*time.Microsecond, kindAnswer, l, uint64(l.turns))
}

func (l *looper) took() {
	l.turns++
	l.instant = append(l.instant, l.w.Now())
}

// Handle is an answer. Every tenth turn has more to it than to ask again.
func (l *looper) Handle(uint64) {
	if l.turns%10 == 9 || !l.task.InSeries() {
		l.task.Wake()
		return
	}
	l.took()
	l.spared++
	l.ask()
	l.task.Again("it")
}

// Goal: turns that are made in a task's stead leave everything as turns that the
// task makes: their instants and the trace, whatever happens to the process
// meanwhile. Method: two loopers; one process is stopped, crashed or let be at some
// instant; NoLeaps makes the tasks do everything.
func TestTurnsInATasksSteadChangeNothing(t *testing.T) {
	spared := 0
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]func(*vtime.Process){nil, (*vtime.Process).Stop, (*vtime.Process).Crash}).Draw(t, "end")
		endMs := rapid.IntRange(0, 100).Draw(t, "endMs")
		sliceUs := rapid.IntRange(100, 100_000).Draw(t, "sliceUs")
		play := func(noLeaps bool) (hash uint64, instants [][]time.Duration) {
			w := vtime.New(vtime.Config{Seed: 5, NoLeaps: noLeaps})
			defer w.Close()
			a, b := newLooper(w), newLooper(w)
			if end != nil {
				w.Node("operator").After(time.Duration(endMs)*ms, kindTick, func() { end(a.p) })
			}
			for w.Now() < 100*ms {
				if _, err := w.Run(vtime.Limits{Until: w.Now() + time.Duration(sliceUs)*time.Microsecond}); err != nil {
					t.Fatal(err)
				}
			}
			if noLeaps && a.spared > 0 {
				t.Fatalf("%d turns were not the task's with NoLeaps", a.spared)
			}
			spared += a.spared
			return w.Hash(), [][]time.Duration{a.instant, b.instant}
		}
		wantHash, want := play(true)
		hash, got := play(false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("instants of the turns (-want +got):\n%s", diff)
		}
		if hash != wantHash {
			t.Fatalf("trace %x, want %x", hash, wantHash)
		}
	})
	if spared == 0 {
		t.Error("no turn was made in the task's stead")
	}
}

// Goal: a task that waits through a series is reported as waiting since its last
// turn, for what that asked for.
func TestASeriesShowsWhatItWaitsFor(t *testing.T) {
	w := newWorld(t, vtime.Config{})
	p := w.Node("client").NewProcess("p")
	task := p.Start("looper", func() { p.ParkOn("get", "/a") })
	w.Node("server").After(2*time.Second, kindAnswer, func() {
		if !task.InSeries() {
			t.Error("the task does not wait in a series")
		}
		task.Again("/b")
	})
	run(t, w)
	want := []tasks.BlockedTask{{Node: "client", Process: "p", Task: "looper", WaitsFor: "get of /b", Since: 2 * time.Second}}
	if diff := cmp.Diff(want, w.Blocked()); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
}
