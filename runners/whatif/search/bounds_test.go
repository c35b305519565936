package search_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/result"
)

// bounded is a plan that searches over fleets too small for their objective.
const bounded = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB, cost: 2/h}
  ps: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: exp(mean=1ms)}
  ps: {cpu: 1ms}
workload: {rate: 1500/s, horizon: 2s}
slo: [p99(request) <= LIMIT]
solve: {over: {entry.replicas: 1..4}, must_hold_under: [normal, any 1 entry]}
`

// Goal: a search without an answer names the constraint that binds, from the cell nearest to
// passing (CAP-6.7). Bounds exclude cells without a simulation where they can (CAP-6.2).
// Method: limits that are missed without any queue, missed by queueing, and met, and
// containers that are too small.
func TestWhatBinds(t *testing.T) {
	for _, c := range []struct {
		name, limit, replicas                 string
		constraint, argument, reason, exclude string
		simulated                             int
	}{
		{"latency without queues", "5ms", "1..4", "p99(request) <= 5ms", "latency bound", "without any queue", "latency bound", 0},
		{"utilisation", "50ms", "1..2", "utilisation of entry < 100 % under any 1 entry (1 in local)", "utilisation", "entry is 150 % full", "utilisation", 0},
		{"queues", "6.2ms", "2..3", "p99(request) <= 6.2ms under normal", "simulated", "exceed it", "simulated", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := solve(t, strings.NewReplacer("LIMIT", c.limit, "1..4", c.replicas).Replace(bounded))
			cert := r.Certificate
			if r.Answer != nil || r.Stopped != "infeasible" || r.Exit != result.ExitMissed || cert.Binding == nil {
				t.Fatalf("got %+v, %s, exit %d", r.Answer, r.Stopped, r.Exit)
			}
			b := cert.Binding
			if b.Constraint != c.constraint || b.Argument != c.argument || !strings.Contains(b.Reason, c.reason) || len(b.Point) != 1 {
				t.Errorf("got %+v, want %s by %s", b, c.constraint, c.argument)
			}
			if cert.Simulated != c.simulated || cert.Excluded[c.exclude] == 0 {
				t.Errorf("%d cells simulated, want %d; excluded %v", cert.Simulated, c.simulated, cert.Excluded)
			}
		})
	}
	r := solve(t, strings.NewReplacer("LIMIT", "50ms").Replace(bounded))
	if r.Answer == nil || r.Certificate.Binding != nil {
		t.Fatalf("got %+v, binding %+v, want an answer", r.Answer, r.Certificate.Binding)
	}
	if p := r.Certificate.Placements; len(p) != 1 || p[0].Condition != "any 1 entry" || p[0].Classes != 1 || p[0].Placements != 3 {
		t.Errorf("got %+v, want the one class of the answer", p)
	}
}

// Goal: simulating several rates in parallel gives the same answer as bisection (CAP-6.3),
// in steps as fine as the plan asks for. Method: M/M/1 with one and with three rates at a
// time, and in steps of a percent.
func TestSectionsOfRates(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector; the whole tests have it")
	}
	few := strings.NewReplacer("max_replications: 160", "max_replications: 40", "horizon: 10s", "horizon: 2s").Replace(single)
	one := solve(t, few)
	three := solve(t, strings.Replace(few, "maximise: rate", "maximise: rate, sections: 3", 1))
	if one.Answer == nil || three.Answer == nil || one.Answer.Rate != three.Answer.Rate || one.Neighbours[0].Rate != three.Neighbours[0].Rate {
		t.Errorf("got %+v at three at once, %+v at one", three.Answer, one.Answer)
	}
	fine := solve(t, strings.Replace(few, "maximise: rate", "maximise: rate, sections: 2, step: 1%", 1))
	if fine.Answer == nil || fine.Certificate.Cells != 99 {
		t.Fatalf("got %+v of %d cells, want 99", fine.Answer, fine.Certificate.Cells)
	}
	if d := fine.Neighbours[0].Rate - fine.Answer.Rate; d < 9.9 || d > 10.1 {
		t.Errorf("the next rate is %g more, want a hundredth of 1000", d)
	}
}

// scaled is a plan whose entry containers would be twice full at the peak, were there not an
// autoscaler or an event that adds some.
const scaled = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 80}
model: {agent_version: 1, size: {embeddings: 1GiB}}
override: {fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: 200ms}
  ps: {cpu: 1ms}
workload: {rate: {step: {before: 10/s, after: 40/s, at: 60s}}, horizon: 6m, detail: {windows: [at 330s 10s]}}
MORE
slo: [p99(request) <= 800ms]
solve: {over: {ps.replicas: 1..2}}
`

// Goal: no cell is excluded as full that an autoscaler or an event of the plan makes large enough
// (CAP-6.2). Method: a load of eight cores on a container of four, with what adds enough and what does
// not.
func TestContainersThatAreAddedCountInBounds(t *testing.T) {
	for more, holds := range map[string]bool{ //lint:order each by itself
		"autoscale: {entry: {min: 1, max: 6}}":   true,
		"autoscale: {entry: {min: 1, max: 2}}":   false,
		"events: [{at: 50s, scale: {entry: 3}}]": true,
		"events: [{at: 50s, scale: {entry: 2}}]": false,
	} {
		r := solve(t, strings.Replace(scaled, "MORE", more, 1))
		if holds != (r.Answer != nil) || !holds && r.Certificate.Excluded["utilisation"] == 0 {
			t.Errorf("%s: got %+v, excluded %v, want an answer: %v", more, r.Answer, r.Certificate.Excluded, holds)
		}
	}
}

// Goal: a condition beside which an event is named counts at the load of the windows that are judged under it, in
// bounds, too. Method: four times the load for 2 s is an event of its own; a PS may be missing at the load without it.
func TestBoundsGoByTheWindowsOfACondition(t *testing.T) {
	r := solve(t, `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 160}
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 0}
fleet:
  entry: {replicas: 1, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 2, cpu: 1, mem: 8GiB, cost: 1/h}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 10ms}}
workload: {rate: 40/s, horizon: 60s, detail: {windows: [at 5s 20s, each incident -1s..+10s]}}
events: [{at: 40s, name: burst, traffic: {factor: 4x}, for: 2s}]
slo: [p99(request) <= 5s]
solve: {over: {ps.replicas: 1..3}, must_hold_under: [normal, any 1 ps, burst]}
`)
	if r.Answer == nil || r.Answer.Point["ps.replicas"] != "2" && r.Answer.Point["fleet.ps.replicas"] != "2" || r.Certificate.Excluded["utilisation"] != 1 {
		t.Errorf("got %+v, excluded %v, want 2: one of them has 40 %% without the burst, both have 80 %% in it", r.Answer, r.Certificate.Excluded)
	}
}

// Goal: a cell is excluded as full where callers call what is near them, and rates are in steps of what the fullest
// bears. Method: of three PS in two idcs one has half of all calls, of four none; 10 ms each at 210/s.
func TestBoundsOfWhatIsNear(t *testing.T) {
	const text = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 400}
model: {agent_version: 1, size: {embeddings: 1GB}, ram_factor: 1x}
override: {fetch_ps_timeout: 10s, fetch_ps_retry: 0}
client: {balance: idc_aware(random)}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 3, cpu: 1, mem: 8GiB, cost: 1/h}
service: {entry: {cpu: 0.1ms}, ps: {cpu: 10ms}}
workload: {rate: 210/s, horizon: 2s}
slo: [p99(request) <= 5s]
`
	r := solve(t, text+"solve: {over: {ps.replicas: [3, 4]}}\n")
	if n := r.Certificate.Excluded["utilisation"]; r.Answer == nil || n != 1 || r.Neighbours[0].Reason != "ps is 105 % full under normal" {
		t.Errorf("got %+v, %d excluded, %+v, want 4 with 3 excluded as full", r.Answer, n, r.Neighbours)
	}
	r = solve(t, text+"solve: {maximise: rate, step: 10%}\n")
	if r.Answer == nil || math.Abs(r.Answer.Rate-180) > 0.01 {
		t.Errorf("got %+v, want 180/s, nine tenths of the 200/s that fill the PS of hl", r.Answer)
	}
}
