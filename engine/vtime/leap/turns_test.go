package leap_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: the run calls Limits.Done after a turn that did something, and not after a turn that only
// asked.
func TestDoneIsAskedAfterTurnsThatDidSomething(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: true})
	p := w.Node("node").NewProcess("p")
	turns, changes := 0, uint64(0)
	p.Go("loop", func() {
		loop := leap.NewTurns(p, leap.Config{Period: time.Second})
		for {
			loop.Turn()
			turns++
			if turns == 5 {
				p.Acts()
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

// Goal: a loop that depends on a variable sees each change in the same turn as without leaps,
// though nobody declares the variable. While nobody changes it, the loop sleeps. Method: change it
// in all the ways that a program has, and count how few of an hour's turns are played.
func TestNoVariableNeedsToBeDeclared(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *vtime.Process, set func())
	}{
		{"by a task that sleeps", func(p *vtime.Process, set func()) {
			p.Go("task", func() { p.Sleep(1000*time.Second + 500*ms); set() })
		}},
		{"by a task that a request starts", func(p *vtime.Process, set func()) {
			p.After(1000*time.Second+500*ms, kindTick, func() { p.Go("request", set) })
		}},
		{"by a task that rests", func(p *vtime.Process, set func()) {
			task := p.Start("task", func() { p.Rest("a call", set, nil) })
			p.After(1000*time.Second+500*ms, kindTick, task.Wake)
		}},
		{"by an event that tells", func(p *vtime.Process, set func()) {
			p.After(1000*time.Second+500*ms, kindTick, func() { p.Changes(); set() })
		}},
		{"by a turn of a loop that acts", func(p *vtime.Process, set func()) {
			changeInALoop(p, func() { p.Acts(); set() })
		}},
		{"by a turn of a loop, silently", func(p *vtime.Process, set func()) { changeInALoop(p, set) }},
		{"by the answer to a write", func(p *vtime.Process, set func()) {
			reportInALoop(p, func(int) int32 { return 0 }, func(turn int) bool { return turn > 1 }, set)
		}},
		{"by a turn that writes another thing each time", func(p *vtime.Process, set func()) {
			reportInALoop(p, func(turn int) int32 { return int32(turn) }, func(turn int) bool { return false }, set)
		}},
		{"by a call that ends a beat", func(p *vtime.Process, set func()) {
			over := false
			p.Go("beat", func() {
				b := leap.NewBeat(p, "beat", []time.Duration{time.Second}, func(int) bool { return !over })
				p.After(1000*time.Second+500*ms, kindTick, func() { b.Changes(); over = true })
				b.Run(0)
				set()
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			play := func(noLeaps bool) (seen []time.Duration, leapt uint64) {
				w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: noLeaps})
				p := w.Node("node").NewProcess("p")
				variable, copied := 0, 0
				c.change(p, func() { variable++ })
				p.Go("copies", func() {
					leap.NewTurns(p, leap.Config{Period: 7 * time.Second}).Run(func() bool { copied = variable; return true })
				})
				p.Go("sees", func() {
					known := 0
					leap.NewTurns(p, leap.Config{Period: time.Second}).Run(func() bool {
						if copied != known {
							known = copied
							seen = append(seen, w.Now())
							p.Acts()
						}
						return true
					})
				})
				if _, err := w.Run(vtime.Limits{Until: time.Hour}); err != nil {
					t.Fatal(err)
				}
				return seen, w.Leapt()
			}
			want, _ := play(true)
			got, leapt := play(false)
			if diff := cmp.Diff(want, got); diff != "" || len(got) != 1 {
				t.Errorf("seen at (-without leaps +with):\n%s", diff)
			}
			if leapt < 4000 {
				t.Errorf("%d turns were leapt over, want nearly all", leapt)
			}
		})
	}
}

// Goal: a loop that always writes the same, and always gets the same answer, does not wake other
// loops.
func TestALoopThatWritesTheSameLeavesOthersAsleep(t *testing.T) {
	w := newWorld(t, vtime.Config{Seed: 1})
	p := w.Node("node").NewProcess("p")
	p.Go("asks", func() {
		leap.NewTurns(p, leap.Config{Period: time.Second}).Run(func() bool { return true })
	})
	written := 0
	p.Go("reports", func() {
		leap.NewTurns(p, leap.Config{Period: 3 * time.Second}).Run(func() bool {
			leap.TurnsOf(p).Write(leap.Note{Path: "/state", Data: []byte("available")})
			p.Pause(ms)
			written++
			return true
		})
	})
	if _, err := w.Run(vtime.Limits{Until: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if w.CatchUp(); written != 1199 || w.Leapt() < 3580 {
		t.Errorf("%d writes, %d turns leapt over; want 1199, and nearly all of the 3,600 that write nothing", written, w.Leapt())
	}
}

// changeInALoop starts a task that sets a mark, and a loop that calls change in the turn in which
// it finds the mark.
func changeInALoop(p *vtime.Process, change func()) {
	marked := false
	p.Go("marks", func() { p.Sleep(1000*time.Second + 500*ms); marked = true })
	p.Go("changes", func() {
		leap.NewTurns(p, leap.Config{Period: 11 * time.Second}).Run(func() bool {
			if marked {
				marked = false
				change()
			}
			return true
		})
	})
}

// reportInALoop starts a loop that writes every 1,000 s. It calls change in its third turn, or in
// the first turn whose write is refused.
func reportInALoop(p *vtime.Process, what func(turn int) int32, refused func(turn int) bool, change func()) {
	turn, changed := 0, false
	p.Go("reports", func() {
		leap.NewTurns(p, leap.Config{Period: 1000 * time.Second}).Run(func() bool {
			t, no := leap.TurnsOf(p), refused(turn)
			t.Write(leap.Note{Args: [2]int32{what(turn)}})
			p.Pause(ms)
			answer := leap.Note{}
			if no {
				answer.Kind = 1
			}
			t.Write(answer)
			turn++
			if !changed && (no || turn == 3) {
				changed = true
				change()
			}
			return true
		})
	})
}
