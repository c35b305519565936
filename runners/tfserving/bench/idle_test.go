package bench_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/runners/tfserving/bench"
)

// Goal: servers that were idle for a day still poll. Method: Run requires each to serve a
// new version afterwards.
func TestIdleServersStillPoll(t *testing.T) {
	for _, shared := range []bool{false, true} {
		r, err := bench.Idle{Servers: 20, For: 24 * time.Hour, Shared: shared}.Run()
		if err != nil {
			t.Errorf("shared store %t: %v", shared, err)
		}
		if r.Took() <= 0 {
			t.Errorf("shared store %t: got no time, %+v", shared, r)
		}
	}
}

// BenchmarkIdle runs 10,000 servers for 24 hours of virtual time. The aim is one minute of
// wall time.
func BenchmarkIdle(b *testing.B) {
	for _, c := range []struct {
		name   string
		shared bool
	}{{"own disks", false}, {"one store", true}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				r, err := bench.Idle{Servers: 10_000, For: 24 * time.Hour, Shared: c.shared}.Run()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.Took().Seconds(), "s/day")
				b.ReportMetric(float64(r.Events), "events")
			}
		})
	}
}
