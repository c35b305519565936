package calibrate

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// Scenario is one plan of the fidelity benchmark.
type Scenario struct {
	Name string
	// Fit says that the profile is fitted to this plan. All other plans only test the profile.
	Fit bool
	// Edge says that the plan was chosen to break the model (CAP-7.7). It is reported without
	// aims.
	Edge     bool
	Shards   int
	Replicas int
	Rate     float64 // rate of requests, as a fraction of what the fleet can serve
	Arrivals string  // value of the plan's key workload.arrivals
	Client   string
	Override string
	Events   string
	Ensemble string // value of the plan's key zookeeper
}

// Scenarios returns the plans that a profile is fitted to, and the plans that it has to
// predict.
func Scenarios() []Scenario {
	return []Scenario{
		{Name: "fit: a fifth of the capacity", Fit: true, Shards: 2, Replicas: 2, Rate: 0.2},
		{Name: "fit: even arrivals, three fifths", Fit: true, Shards: 2, Replicas: 2, Rate: 0.6, Arrivals: "{process: deterministic}"},
		{Name: "fit: four fifths", Fit: true, Shards: 2, Replicas: 2, Rate: 0.8},
		{Name: "half of the capacity", Shards: 2, Replicas: 2, Rate: 0.5},
		{Name: "three quarters, in turn", Shards: 2, Replicas: 2, Rate: 0.75, Client: "{balance: round_robin}"},
		{Name: "bursts, the lighter of two", Shards: 2, Replicas: 2, Rate: 0.45, Arrivals: "{process: mmpp, burst: 2x, mean_burst: 500ms, mean_quiet: 500ms}", Client: "{balance: p2c}"},
		{Name: "four shards", Shards: 4, Replicas: 1, Rate: 0.5},
		{Name: "tight timeouts and retries", Shards: 2, Replicas: 2, Rate: 0.3, Override: ", fetch_ps_timeout: 35ms, fetch_ps_retry: 2"},
		{Name: "a container dies", Shards: 2, Replicas: 2, Rate: 0.35, Events: "[{at: 5s, kill: {ps: {count: 1}, refuse: true}, restart_after: 30d}]"},
		// Publishes begin at different parts of a second, because servers look for versions once a
		// second.
		{Name: "versions roll out", Shards: 2, Replicas: 2, Rate: 0.5, Override: ", fetch_ps_timeout: 2s, fs_poll_ps: 1s",
			Events: "[{at: 3s, publish: {version: 2}}, {at: 8200ms, publish: {version: 3}}, {at: 13400ms, publish: {version: 4}}, {at: 18600ms, publish: {version: 5}}, {at: 23800ms, publish: {version: 6}}]"},
		{Name: "a leader is lost, and a container", Shards: 2, Replicas: 2, Rate: 0.35, Ensemble: `{election: "det(4s)"}`,
			Events: "[{at: 4s, zookeeper: {leader_loss: true}}, {at: 5s, kill: {ps: {count: 1}, refuse: true}, restart_after: 30d}]"},
		{Name: "a container is slow", Shards: 2, Replicas: 2, Rate: 0.3, Events: "[{at: 5s, slow: {ps: {count: 1, factor: 2x}}, for: 15s}]"},
		{Name: "hedged calls", Shards: 2, Replicas: 2, Rate: 0.35, Client: "{balance: random, hedge: {after: 30ms}}"},
		// With retries the load exceeds the servers' capacity (0.4 times 3, CAP-12.22). Some runs
		// end in a storm of retries and most do not, so one run says little about another.
		{Name: "edge: near a storm of retries", Edge: true, Shards: 2, Replicas: 2, Rate: 0.4, Override: ", fetch_ps_timeout: 35ms, fetch_ps_retry: 2"},
	}
}

// Values that all scenarios share.
const (
	threads     = 4
	serviceMs   = 20
	serviceText = "  entry: {cpu: 0.1ms, threads: 10000}\n  ps: {cpu: \"lognormal(mean=20ms, sigma=0.3)\", threads: 4}\n  contention: {model: none}\n"
)

// Text returns the plan as YAML. With a profile the plan has no service times of its own.
func (s Scenario) Text(horizon time.Duration, profile string) string {
	service := serviceText
	if profile != "" {
		service = fmt.Sprintf("  profile: %q\n", profile)
	}
	arrivals, client, events := or(s.Arrivals, "{process: poisson}"), or(s.Client, "{balance: random}"), or(s.Events, "[]")
	rate := s.Rate * threads * float64(s.Replicas) * 1000 / serviceMs
	return fmt.Sprintf(`apiVersion: capacity/v1
name: %q
model: {size: {embeddings: 1GiB, dense: 1GiB}, ram_factor: 1x}
override: {num_ps: %d%s}
fleet:
  entry: {replicas: 1, cpu: 10000, mem: 8GiB}
  ps: {num_shard: %d, replicas: %d, cpu: %d, mem: 8GiB}
service:
%sclient: %s
workload: {arrivals: %s, rate: %g/s, horizon: %s}
events: %s
zookeeper: %s
`, s.Name, s.Shards, or(s.Override, ", fetch_ps_timeout: 2s"), s.Shards, s.Replicas, threads, service, client, arrivals, rate, horizon, events, or(s.Ensemble, "{}"))
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Plan parses the scenario's plan with the given horizon.
func (s Scenario) Plan(horizon time.Duration, profile string) (*plan.Plan, error) {
	_, p, _, err := plan.Parse(s.Name, []byte(s.Text(horizon, profile)), filepath.Dir(profile))
	return p, err
}
