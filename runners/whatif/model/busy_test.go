package model

import (
	"math"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// Goal: the remaining busy time of a cancelled call does not count. Method: a server that is
// far too slow for the timeout T. Each call stays for exactly T. So the server is idle only
// if no call has arrived for T, and it is busy for the share 1 - exp(-rate T) of the time,
// with its own core and with shared ones.
func TestBusyTimeIsTakenBackWithACancelledCall(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	for _, c := range []struct {
		name    string
		threads int
		rate    float64 // calls in a timeout
	}{{"half of the time", 1, math.Ln2}, {"nearly always", 1, 3}, {"on shared cores", 3, math.Ln2}} {
		s := fan(1, 1, c.rate/20, 100)
		p := &s.Tiers[PS]
		p.Threads, p.Cores, p.Shared, p.Law = c.threads, 1, c.threads > 1, law.Constant(10e9)
		s.Timeout, s.Cancel = 20e6, true
		var busy []float64
		for k := range 5 {
			one, err := s.Run(0, k)
			if err != nil {
				t.Fatal(err)
			}
			if !one.Fits() {
				t.Errorf("%s: busiest %d millionths", c.name, one.Counted.Tiers[PS].MaxParts)
			}
			busy = append(busy, float64(one.Counted.Tiers[PS].BusyNs)/float64(one.Counted.Tiers[PS].CoreNs))
		}
		mean, half := stats.Interval(busy, 0.999)
		if want := 1 - math.Exp(-c.rate); math.Abs(mean-want) > half || half > 0.05 {
			t.Errorf("%s: busy %.4f +- %.4f of the time, want %.4f", c.name, mean, half, want)
		}
	}
}
