package plan

import (
	"math"
	"strings"
	"testing"
)

// Goal: the peak is the greatest rate that comes at any instant: events on traffic multiply where they last at the same
// time, and one at a trough makes no peak of it. Method: sums by hand.
func TestThePeakIsOfOneInstant(t *testing.T) {
	for _, c := range []struct {
		name, rate, events string
		peak, within       float64 // largest rate over the whole horizon, and from 30 s to 40 s
	}{
		{"two at once", "100/s", "{at: 20s, traffic: {factor: 2x}, for: 20s}, {at: 35s, traffic: {factor: 3x}, for: 20s}", 600, 600},
		{"one after the other", "100/s", "{at: 10s, traffic: {factor: 2x}, for: 20s}, {at: 30s, traffic: {factor: 3x}, for: 20s}", 300, 300},
		{"at the trough", "{step: {before: 100/s, after: 800/s, at: 35s}}", "{at: 10s, traffic: {factor: 4x}, for: 10s}", 800, 800},
		{"from the peak on", "{step: {before: 100/s, after: 800/s, at: 35s}}", "{at: 50s, traffic: {factor: 4x}}", 3200, 800},
		{"less", "100/s", "{at: 0s, traffic: {factor: 0.5x}}", 50, 50},
		{"none", "100/s", "", 100, 100},
	} {
		text := strings.NewReplacer("RATE", c.rate, "EVENTS", c.events).Replace(`apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
fleet: {entry: {replicas: 1, cpu: 64, mem: 8GiB}, ps: {replicas: 1, cpu: 64, mem: 8GiB}}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 1ms}}
workload: {rate: RATE, horizon: 60s}
events: [EVENTS]
`)
		_, p, _, err := Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := p.PeakRate(); math.Abs(got-c.peak) > 1e-9 {
			t.Errorf("%s: the peak is %g, want %g", c.name, got, c.peak)
		}
		if got := p.PeakIn(30e9, 40e9); math.Abs(got-c.within) > 1e-9 {
			t.Errorf("%s: the peak from 30 s to 40 s is %g, want %g", c.name, got, c.within)
		}
	}
}
