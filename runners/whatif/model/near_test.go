package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// apart has two entry containers in two idcs, and PS that work 10 ms.
const apart = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 2MORE}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 2, cpu: 64, mem: 16GiB}
  ps: {replicas: NUMBER, cpu: 1, mem: 16GiB}
network: {same_cluster: 0s, same_idc: 0s, cross_idc: {latency: 0ms, jitter: 0ms}, overhead_per_rpc: 0us}
client: {balance: BALANCE}
service: {entry: {cpu: "det(1us)"}, ps: {cpu: "exp(mean=10ms)"}}
workload: {rate: RATE/s, horizon: 300s, detail: {windows: [at 190s 5s]}}
events: [EVENTS]
`

// nearSpec compiles a plan whose callers call what is near: as agents tell them (dc_aware), or by their own choice.
func nearSpec(t *testing.T, near string, ps, rate int, events string) *Spec {
	t.Helper()
	more, balance := "", "idc_aware(random)"
	if near == "dc_aware" {
		more, balance = ", dc_aware: true", "random"
	}
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("MORE", more, "BALANCE", balance, "NUMBER", fmt.Sprint(ps), "RATE", fmt.Sprint(rate), "EVENTS", events).Replace(apart)))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}

// Goal: the fullest container is that with most callers near it, from the begin, when others have died, and under a
// condition. Method: shares by hand. Of three PS two are in lf, so that the one of hl has half of all calls.
func TestTheFullestIsWhereMostCallersAreNear(t *testing.T) {
	for _, near := range []string{"dc_aware", "idc_aware"} {
		s := nearSpec(t, near, 3, 100, "")
		if got := s.Control.Plan.Fullest("ps", 100); got != 0.5 {
			t.Errorf("%s: the plan has its fullest PS at %g, want 0.5", near, got)
		}
		if got := s.Crowded(PS, 0); got != 2 {
			t.Errorf("%s: %g containers count, want 2: each has half", near, got)
		}
		s.Control.Remove = []Which{{PS, 0, 1}} // the container in hl is removed
		want := map[string]float64{"dc_aware": 4, "idc_aware": 2}[near]
		if got := s.Crowded(PS, 0); got != want { // calls from hl find no container, or go to both in lf
			t.Errorf("%s: %g containers count without hl's, want %g", near, got, want)
		}
		s = nearSpec(t, near, 4, 100, "{at: 10s, kill: {ps: {count: 1}, refuse: true}, restart_after: 1h}")
		if full := lived(t, s, 0).Fullest[PS]; full.Parts != 500_000 || full.At != 10e9 {
			t.Errorf("%s: the fullest PS is at %d millionths from %d on, want 500000 from 10 s on", near, full.Parts, full.At)
		}
	}
}

// Goal: a window begins with the queue of a container that has all calls of its idc since another one died. Method: the
// same window of a run over all; the survivor has 110 % for 90 s.
func TestAWindowBeginsWithTheQueueOfAPlace(t *testing.T) {
	for _, near := range []string{"dc_aware", "idc_aware"} {
		var mean [2]float64
		for whole := range 2 {
			s := nearSpec(t, near, 4, 220, "{at: 100s, kill: {ps: {count: 1}, refuse: true}, restart_after: 1h}")
			s.Windows[0].Whole = whole == 1
			sum, n := 0.0, 0.0
			for run := range 12 {
				one, err := s.Run(0, run)
				if err != nil {
					t.Fatal(err)
				}
				sum, n = sum+float64(one.SumNs)/1e9, n+float64(one.Completed)
			}
			mean[whole] = sum / n
		}
		if mean[1] < 2 || mean[0] < 0.8*mean[1] || mean[0] > 1.25*mean[1] {
			t.Errorf("%s: requests take %g s, in a run over all %g s, want 4 or so in both", near, mean[0], mean[1])
		}
	}
}

// Goal: a slow entry container is as full as it is slow, whatever callers see of PS: requests come to any. Method: 4
// containers at a quarter each of half a core's work, one of them three times as slow.
func TestASlowEntryGetsAsMuchAsOthers(t *testing.T) {
	for _, balance := range []string{"random", "least_loaded", "p2c"} {
		text := strings.NewReplacer("MORE", "", "BALANCE", balance, "NUMBER", "4", "RATE", "200", "EVENTS", "{at: 10s, slow: {entry: {count: 1, factor: 3x}}}").Replace(apart)
		text = strings.NewReplacer("entry: {replicas: 2, cpu: 64", "entry: {replicas: 4, cpu: 1", "det(1us)", "det(5ms)").Replace(text)
		_, p, _, err := plan.Parse("plan.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if full := lived(t, Compile(p, Condition{}), 0).Fullest[Entry]; full.Parts != 750_000 {
			t.Errorf("%s: the fullest entry container is at %d millionths, want 750000", balance, full.Parts)
		}
	}
}
