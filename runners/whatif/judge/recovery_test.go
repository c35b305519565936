package judge_test

import (
	"fmt"
	"strings"
	"testing"
)

// two is a fleet in two equal idcs, at RATE, whose PS take WORK for a request.
const two = `apiVersion: capacity/v1
seed: SEED
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1MB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 2s, fetch_ps_retry: 1}
fleet: {idcs: [{name: a}, {name: b}], entry: {replicas: 4, cpu: 16, mem: 8GiB}, ps: {replicas: 4, cpu: 1, mem: 8GiB}, boot: {load_fixed: 0s}}
service: {entry: {cpu: 100us}, ps: {cpu: "WORK"}}
client: {balance: random, retry_target: distinct}
workload: {rate: RATE, horizon: 120s, places: {a: 50%, b: 50%}, detail: {windows: ["each incident -10s..+60s"]}}
events: [{at: 30s, name: it, EVENT}]
`

// Goal: an event that changes nothing costs nothing, however noisy the fleet is, and one that does costs what it
// must, however few requests see it. Method: events whose end follows from the plan, for fleets from idle to three
// quarters full and from two requests a second to hundreds. The event's last step counts whole, as does what is
// still on its way by then.
func TestRecoveryIsNoNoise(t *testing.T) {
	long(t)
	const (
		quiet = "det(5ms)"
		noisy = "exp(mean=5ms)"
		wild  = "lognormal(mean=5ms, cv=3)"
	)
	for _, c := range []struct {
		name, rate, work, event string
		least, most             float64 // limits of the recovery time in seconds, by the length of a step in seconds
	}{
		// The clients of one place use the entry containers of the other, which have enough cores.
		// PS are chosen at random.
		{"evacuation", "600/s", noisy, "evacuate: {idc: a, after: 10s}", 0, 0},
		{"evacuation, three quarters full with heavy tails", "600/s", wild, "evacuate: {idc: a}, for: 20s", 0, 0},
		{"evacuation, few requests", "2/s", wild, "evacuate: {idc: a}, for: 20s", 0, 0},
		{"evacuation, quiet", "100/s", quiet, "evacuate: {idc: a}", 0, 0},
		// Three of the four containers do the work of all four.
		{"rolling restart with drain", "10/s", noisy, "restart: {tier: entry, drain: 1s}", 0, 0},
		{"rolling restart with drain, many", "400/s", wild, "restart: {tier: entry, drain: 1s}", 0, 0},
		// While all containers are away, all calls fail at once.
		{"kill of all", "400/s", noisy, "kill: {ps: {count: 4}, refuse: true}, restart_after: 5s", 5, 7},
		{"kill of all, few requests", "3/s", wild, "kill: {ps: {count: 4}, refuse: true}, restart_after: 5s", 5, 7},
		{"kill of all, quiet", "50/s", quiet, "kill: {ps: {count: 4}, refuse: true}, restart_after: 5s", 5, 7},
		// Half of all calls go to the other side of the cut, and take a timeout longer.
		{"link cut", "200/s", noisy, "partition: {between: [a, b]}, for: 6s", 6, 7},
		{"link cut, few requests", "3/s", noisy, "partition: {between: [a, b]}, for: 6s", 6, 7},
		{"link cut, full with heavy tails", "500/s", wild, "partition: {between: [a, b]}, for: 6s", 6, 60},
		{"link cut, quiet", "20/s", quiet, "partition: {between: [a, b]}, for: 6s", 6, 7},
		// A quarter of the calls take four times as long.
		{"slow", "50/s", quiet, "slow: {ps: {count: 1, factor: 4x}}, for: 8s", 8, 9},
		{"slow, few requests", "4/s", quiet, "slow: {ps: {count: 1, factor: 4x}}, for: 8s", 8, 9},
		// As a fluid: the backlog of (1000 - 800)/s for 4 s is worked off at (800 - 400)/s, in half
		// of that time.
		{"a burst", "400/s", quiet, "traffic: {factor: 2.5x}, for: 4s", 6, 7},
	} {
		for seed := range 2 {
			r := run(t, strings.NewReplacer("SEED", fmt.Sprint(seed+1), "RATE", c.rate, "WORK", c.work, "EVENT", c.event).Replace(two))
			e := r.Find("recovery(it)", "incident it")
			if e == nil || e.Value == nil || *e.Value < (c.least-0.5)*1e9 || *e.Value > c.most*1e9 {
				t.Errorf("%s, seed %d: got %+v, want %g s to %g s", c.name, seed+1, e, c.least, c.most)
			} else if lost := r.Find("lost(it)", "incident it"); c.most == 0 && (lost == nil || lost.CI[0] > 0) {
				t.Errorf("%s, seed %d: lost %+v, want none", c.name, seed+1, lost)
			} else {
				t.Logf("%s, seed %d: %.2f s %v", c.name, seed+1, *e.Value/1e9, *e.CI)
			}
		}
	}
}
