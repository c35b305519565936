package vtime_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Goal: operations that happen a million times per second of a run do not allocate memory. Method:
// a thousand events per run, after a first run that grows all buffers.
func TestHotPathsDoNotAllocate(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(w *vtime.World, p *vtime.Process)
	}{
		{"event", func(w *vtime.World, _ *vtime.Process) {
			(&ticker{node: w.Node("server"), period: ms}).Handle(0)
		}},
		{"event with a choice and a note", func(w *vtime.World, _ *vtime.Process) {
			n := w.Node("server")
			latency := n.Source("latency")
			var h vtime.Handler
			h = handler(func(arg uint64) {
				n.Note(arg)
				n.Schedule(w.Now()+time.Duration(1+latency.Intn(100)), kindTick, h, arg+1)
			})
			h.Handle(0)
		}},
		{"cancelled timer", func(w *vtime.World, _ *vtime.Process) {
			n := w.Node("server")
			var h vtime.Handler
			var limit vtime.Timer
			h = handler(func(arg uint64) {
				limit.Cancel()
				limit = n.Schedule(w.Now()+time.Hour, kindTick, h, 0)
				n.Schedule(w.Now()+ms, kindTick, h, 0)
			})
			h.Handle(0)
		}},
		{"sleep", func(_ *vtime.World, p *vtime.Process) {
			p.Go("sleeper", func() {
				for {
					p.Sleep(ms)
				}
			})
		}},
		{"signal and wait", func(_ *vtime.World, p *vtime.Process) {
			ping, pong := p.NewCond("ping"), p.NewCond("pong")
			p.Go("pong", func() {
				for {
					ping.Wait()
					pong.Signal()
				}
			})
			p.Go("ping", func() {
				for {
					ping.Signal()
					pong.WaitFor(time.Minute)
				}
			})
		}},
		{"park and wake", func(w *vtime.World, p *vtime.Process) {
			n := w.Node("server")
			var task *vtime.Task
			wake := handler(func(uint64) { task.Wake() })
			task = p.Start("caller", func() {
				for {
					n.Schedule(w.Now()+ms, kindAnswer, wake, 0)
					p.Park("the answer")
				}
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, vtime.Config{Seed: 1, Trace: vtime.TraceConfig{EveryEvents: 1 << 40}})
			c.begin(w, w.Node("node").NewProcess("p"))
			if allocs := testing.AllocsPerRun(10, func() {
				if reason, err := w.Run(vtime.Limits{MaxEvents: 1000}); reason != vtime.EventsUp {
					t.Fatal(reason, err)
				}
			}); allocs != 0 {
				t.Errorf("%v allocations in 1000 events, want none", allocs)
			}
		})
	}
}
