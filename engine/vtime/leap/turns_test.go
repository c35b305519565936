package leap_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: a run is asked whether it is done after a turn that did something, and not after
// one that only went round.
func TestDoneIsAskedAfterTurnsThatDidSomething(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: true})
	p := w.Node("node").NewProcess("p")
	turns, changes := 0, uint64(0)
	p.Go("loop", func() {
		loop := leap.NewTurns(p, leap.Config{Period: time.Second, State: func() uint64 { return changes }})
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
				loop := leap.NewTurns(p, leap.Config{Period: time.Second, State: func() uint64 { return held }})
				loop.Run(func() bool { return true })
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
			if _, err := w.Run(vtime.Limits{Until: 20*time.Second + 500*ms}); err != nil {
				t.Fatal(err)
			}
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
