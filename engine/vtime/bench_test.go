package vtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

var kindTick = vtime.NewKind("test.tick")

// ticker is a node that schedules its next event in each event, as servers do.
type ticker struct {
	node   *vtime.Node
	period time.Duration
}

func (t *ticker) Handle(arg uint64) {
	t.node.Schedule(t.node.World().Now()+t.period, kindTick, t, arg+1)
}

func tickers(n int) *vtime.World {
	w := vtime.New(vtime.Config{Seed: 1})
	for i := range n {
		t := &ticker{node: w.Node(fmt.Sprintf("node-%d", i)), period: time.Duration(1000+i*7) * time.Microsecond}
		t.Handle(0)
	}
	return w
}

// BenchmarkEvents measures events that run a callback, with the hash of the trace computed.
func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			w := tickers(n)
			defer w.Close()
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := w.Run(vtime.Limits{MaxEvents: uint64(b.N)}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkTaskSwitch measures tasks that sleep in turn. Each switch to another task is one event,
// one resume and one wait.
func BenchmarkTaskSwitch(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprintf("tasks=%d", n), func(b *testing.B) {
			w := vtime.New(vtime.Config{Seed: 1})
			defer w.Close()
			p := w.Node("node").NewProcess("sleepers")
			for i := range n {
				period := time.Duration(1000+i*7) * time.Microsecond
				p.Go("sleeper", func() {
					for {
						p.Sleep(period)
					}
				})
			}
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := w.Run(vtime.Limits{MaxEvents: uint64(b.N)}); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "switches/s")
		})
	}
}
