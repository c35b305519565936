package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// placed has clients of two idcs, with an entry container of one core each and two, and the evacuation of one.
const placed = `apiVersion: capacity/v1
model: {size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 100s}
fleet:
  idcs: [{name: lf}, {name: hl}]
  placement: {lf: 2, hl: 1}
  entry: {replicas: 6, cpu: 1, mem: 16GiB}
  ps: {replicas: 60, cpu: 1, mem: 16GiB}
network: {same_cluster: 0s, same_idc: 0s, cross_idc: {latency: 0ms, jitter: 0ms}, overhead_per_rpc: 0us}
service: {entry: {cpu: "exp(mean=10ms)"}, ps: {cpu: "det(1us)"}}
workload: {rate: RATE/s, horizon: 300s, places: {lf: 25%, hl: 75%}, detail: {windows: [WINDOWS]}}
events: [EVENTS]
`

func placedSpec(t *testing.T, rate int, windows, events string) *Spec {
	t.Helper()
	_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("RATE", fmt.Sprint(rate), "WINDOWS", windows, "EVENTS", events).Replace(placed)))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(p, Condition{})
}

// Goal: the entry containers of an idc get its clients, and those of another one while that is evacuated.
// Method: the mean of M/M/1 at the load of each: 4 containers of lf have a quarter of 200/s, 2 of hl the rest; from
// 100 s + 20 s to 200 s those of lf have all.
func TestClientsComeToTheirPlace(t *testing.T) {
	s := placedSpec(t, 160, "at 20s 70s, at 130s 60s, at 220s 70s", "{at: 100s, for: 100s, evacuate: {idc: hl, after: 20s}}")
	mm1 := func(rate float64) float64 { return 1000 / (100 - rate) }
	apart := 0.25*mm1(160*0.25/4) + 0.75*mm1(160*0.75/2)
	for k, want := range []float64{apart, mm1(160 / 4.0), apart} {
		sum, n := 0.0, 0.0
		for run := range 8 {
			one, err := s.Run(k, run)
			if err != nil {
				t.Fatal(err)
			}
			sum, n = sum+float64(one.SumNs)/1e6, n+float64(one.Completed)
		}
		near(t, fmt.Sprintf("mean latency of window %d in ms", k), sum/n, want, 0.03)
	}
	full := lived(t, s, 0).Fullest[Entry]
	near(t, "load of the fullest entry container", float64(full.Parts)/1e6, 160*0.75/2*0.01, 1e-6)
}

// Goal: who is at a lost idc fails until somebody sends him elsewhere, for ever if nobody does; a condition is
// the state behind that. Method: rate x share x time, and nobody under the condition.
func TestALostPlaceLosesItsClients(t *testing.T) {
	const lost = "{at: 100s, lose_idc: hl, for: 60s}"
	for more, seconds := range map[string]float64{"": 60, ", {at: 100s, for: 60s, evacuate: {idc: hl, after: 20s}}": 20, ", {at: 90s, evacuate: {idc: hl, after: 5s}}": 0} {
		s := placedSpec(t, 100, "at 50s 150s", lost+more)
		failed := 0.0
		for run := range 4 {
			one, err := s.Run(0, run)
			if err != nil {
				t.Fatal(err)
			}
			failed += float64(one.Failed[causeNoReplica]) / 4
		}
		// The container comes up again after it has loaded 1 GB, which takes seconds.
		if least := seconds * 100 * 0.75; failed < 0.97*least || failed > 1.03*least+6*75*map[bool]float64{true: 1}[more == ""] {
			t.Errorf("with %q %g requests find nobody, want %g", more, failed, least)
		}
	}
	s := placedSpec(t, 100, "all", "")
	for k := range 6 {
		if k%3 == 1 { // the containers are in lf, hl, lf in turn, and those of hl are removed
			s.Control.Remove = append(s.Control.Remove, Which{Entry, 0, k})
		}
	}
	one, err := s.Run(0, 0)
	if err != nil || one.Completed != one.Arrived {
		t.Errorf("%d of %d answered under a condition, %v", one.Completed, one.Arrived, err)
	}
}

// Goal: a window begins with the queues that an evacuation left. Method: the same window of a run over all, where
// lf is full at 110 % for 60 s and drains for long.
func TestAWindowBehindAnEvacuation(t *testing.T) {
	var mean [2]float64
	for whole := range 2 {
		s := placedSpec(t, 260, "at 170s 20s", "{at: 100s, for: 60s, evacuate: {idc: lf}}, {at: 160s, traffic: {factor: 0.9x}}")
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
	near(t, "mean latency in s behind an evacuation", mean[0], mean[1], 0.08) // four standard errors
	if mean[1] < 1 {
		t.Errorf("%g s: there is no queue", mean[1])
	}
}

// Goal: headroom under a condition, too, is that of the fullest idc. Method: 4 and 2 containers with a quarter and
// three quarters of the load; one of hl less leaves 1; without hl all go to the 4 of lf.
func TestTheFullestPlaceUnderACondition(t *testing.T) {
	s := placedSpec(t, 100, "all", "")
	near(t, "containers that count", s.Crowded(Entry, 0), 2/0.75, 1e-9)
	s.Control.Remove = []Which{{Entry, 0, 1}}
	near(t, "containers that count without one of hl", s.Crowded(Entry, 0), 1/0.75, 1e-9)
	s.Control.Remove = append(s.Control.Remove, Which{Entry, 0, 4})
	near(t, "containers that count without hl", s.Crowded(Entry, 0), 4, 1e-9)
}

// Goal: clients that do not think find out that nobody listens as often as a way there and back takes,
// and the simulation ends. Method: exact counts of three clients whose entry is away for two seconds.
func TestClientsThatFailAtOnceTakeAWayThereAndBack(t *testing.T) {
	const text = `apiVersion: capacity/v1
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB}
  ps: {replicas: 1, cpu: 4, mem: 8GiB}
  boot: {load_fixed: 0s}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}}
network: {same_cluster: 0.5ms}
workload: {loop: "closed(clients=3)", horizon: 4s}
events: [{at: 1s, kill: {entry: {count: 1}}, restart_after: 2s}]
`
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	one := total(t, Compile(p, Condition{}), 1)
	if got, want := one.Failed[causeNoReplica], int64(3*2000); got < want || got > want+6 {
		t.Errorf("%d requests find no entry, want %d: three clients, each a thousand times a second for 2 s", got, want)
	}
}
