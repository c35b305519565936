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
		rate    float64 // number of calls that arrive within a timeout
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

// Goal: utilisation is that of live containers, as long as they live (CAP-12.14). Method: 300 requests of
// 10 ms a second are three cores of work. For half of the window eight cores live, then four; or eight,
// and sixteen once containers that are added have come up 5 s later; or all the idc's work on the other's.
func TestUtilisationIsOfLiveContainers(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {size: {embeddings: 1GB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 30s}
fleet:
  idcs: [{name: x}, {name: y}]
  entry: {replicas: 4, cpu: 2, mem: 8GiB}
  ps: {replicas: 2, cpu: 8, mem: 8GiB}
  boot: {schedule: 5s}
service: {entry: {cpu: 10ms}, ps: {cpu: 100us}}
workload: {horizon: 20s, rate: 300/s}
events: [{at: 10s, EVENT}]
`
	for event, live := range map[string]float64{ //lint:order each by itself
		"kill: {entry: {count: 2}}, restart_after: 60s": 8*10 + 4*10,
		"lose_idc: y":           8*10 + 4*10,
		"scale: {entry: 8}":     8*15 + 16*5,
		"scale: {entry: 2}":     8*10 + 4*10,
		"traffic: {factor: 1x}": 8 * 20,
	} {
		s := mixedOf(t, text, "EVENT", event)
		busy, cores := 0.0, 0.0
		for run := range 4 {
			one, err := s.Run(0, run)
			if err != nil || !one.Fits() {
				t.Fatalf("%s: %v, fits %v", event, err, err == nil && one.Fits())
			}
			busy, cores = busy+float64(one.Tiers[Entry].BusyNs)/4e9, cores+float64(one.Tiers[Entry].CoreNs)/4e9
			if most := float64(one.Tiers[Entry].MaxParts) / 1e6; most < busy/cores*0.9 {
				t.Errorf("%s: the fullest is busy %.3f of the time, all of them %.3f", event, most, busy/cores)
			}
		}
		if math.Abs(cores-live) > 0.2 || math.Abs(busy-3*20) > 2.5 {
			t.Errorf("%s: got %.1f of %.1f core seconds, want 60 of %.1f", event, busy, cores, live)
		}
	}
}
