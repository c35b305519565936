package leap_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// Goal: turns of loops do not allocate memory, asleep or not. Method: a thousand turns per run,
// after a first run that grows all buffers.
func TestTurnsDoNotAllocate(t *testing.T) {
	for _, c := range []struct {
		name    string
		noLeaps bool
		begin   func(p *vtime.Process, l *lab)
	}{
		{"asleep, without a request", false, func(p *vtime.Process, _ *lab) {
			goRound(p, func() {})
		}},
		{"asleep, with requests", false, func(p *vtime.Process, l *lab) {
			goRound(p, func() { l.ask(p, 0, true); l.ask(p, 1, false) })
		}},
		{"awake", true, func(p *vtime.Process, _ *lab) {
			loop := leap.NewTurns(p, leap.Config{Period: time.Second})
			for {
				loop.Turn()
			}
		}},
		{"a beat asleep", false, func(p *vtime.Process, _ *lab) {
			leap.NewBeat(p, "beat", []time.Duration{ms, 999 * ms}, func(int) bool { return true }).Run(0)
		}},
		{"a beat awake", true, func(p *vtime.Process, _ *lab) {
			leap.NewBeat(p, "beat", []time.Duration{ms, 999 * ms}, func(int) bool { return true }).Run(0)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, vtime.Config{Seed: 1, NoLeaps: c.noLeaps, Trace: vtime.TraceConfig{EveryEvents: 1 << 40}})
			l := &lab{w: w, server: w.Node("server"), spread: 3, values: make([]uint64, 2), observed: make([]leap.Observed, 2)}
			p := w.Node("node").NewProcess("p")
			p.Go("loop", func() { c.begin(p, l) })
			before := w.Events()
			if allocs := testing.AllocsPerRun(10, func() {
				if _, err := w.Run(vtime.Limits{Until: w.Now() + 1000*time.Second}); err != nil {
					t.Fatal(err)
				}
				w.CatchUp()
			}); allocs != 0 {
				t.Errorf("%v allocations in 1000 turns, want none", allocs)
			}
			if steps := w.Events() - before; steps < 10_000 {
				t.Errorf("%d steps, want a thousand turns a run", steps)
			}
		})
	}
}

func goRound(p *vtime.Process, turn func()) {
	leap.NewTurns(p, leap.Config{Period: time.Second}).Run(func() bool {
		turn()
		return true
	})
}
