package goals

import (
	"context"
	"runtime"
	"time"

	"github.com/monosim/monosim/cmd/bench/validate"
	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/law"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/search"
)

// plainSpec makes a model in which each request fans out to 20 shards. A shard has four
// containers with four threads each.
func plainSpec() *model.Spec {
	s := validate.Fork(20, 4, 4, 0.7, 1e6, 100_000)
	s.Timeout, s.Retries = 200e6, 2
	for k := range s.Latency {
		s.Latency[k] = law.Constant(150e3)
	}
	return s
}

// richSpec returns plainSpec with timeouts that expire, retries, and a dense tier with batching.
func richSpec() *model.Spec {
	s := plainSpec()
	s.Timeout = 8e6
	s.Windows[0].End /= 2
	s.Items = law.Logged(350, 0.5)
	s.Tiers[model.Dense] = model.Tier{Replicas: []int{8}, Cores: 32, Law: law.Affinely(2e6, 3e3),
		Batch: &model.Batch{Processes: 3, Threads: 8, MaxItems: 1024, TimeoutNs: 800e3, MaxQueued: 100_000}}
	return s
}

// speed runs the model three times, and returns the most sub-requests a second on one core.
func speed(spec func() *model.Spec) (best float64, retried float64, err error) {
	for r := range 3 {
		before := cpuSeconds()
		s, err := spec().Run(0, r)
		if err != nil {
			return 0, 0, err
		}
		best = max(best, float64(s.Calls.Sent)/(cpuSeconds()-before))
		retried = float64(s.Calls.TimedOut) / float64(s.Calls.Sent)
	}
	return best, retried, nil
}

func plainSpeed() (Found, error) {
	v, _, err := speed(plainSpec)
	if err != nil {
		return Found{}, err
	}
	return found(v >= 3e6, "%.2f M a second of CPU", v/1e6)
}

func richSpeed() (Found, error) {
	v, retried, err := speed(richSpec)
	if err != nil {
		return Found{}, err
	}
	return found(v >= 1.5e6, "%.2f M a second of CPU, %.1f %% of them retried", v/1e6, retried*100)
}

// Allocations returns how many memory allocations one more request costs. It compares a run with
// a run of twice the length.
func Allocations() (float64, error) {
	count := func(times plan.Duration) (requests, allocs float64, err error) {
		spec := richSpec()
		spec.Windows[0].End *= times
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := spec.Run(0, 0)
		runtime.ReadMemStats(&after)
		if err != nil {
			return 0, 0, err
		}
		return float64(s.Requests), float64(after.Mallocs - before.Mallocs), nil
	}
	n1, a1, err := count(1)
	if err != nil {
		return 0, err
	}
	n2, a2, err := count(2)
	return (a2 - a1) / (n2 - n1), err
}

func allocations() (Found, error) {
	v, err := Allocations()
	return Found{Text: text("%.5f", v), Reached: v < 0.001}, err
}

const questionPlan = `apiVersion: capacity/v1
precision: {verdict_confidence: 99%}
budget: {wall: 20m, max_replications: 160}
model: {size: {embeddings: 2.25TiB, dense: 2GiB}, ram_factor: 1x, overhead: 0.6GiB, shard_skew: {zipf: 0.3}}
override: {num_ps: 20, num_shard: 20}
fleet:
  idcs: [{name: lf}, {name: hl}, {name: lq}]
  entry: {replicas: 40, cpu: 16, mem: 32GiB, cost: 0.68/h}
  ps: {replicas: 9, cpu: 16, mem: 256GiB, cost: 2.10/h}
service:
  entry: {cpu: "gamma(mean=1.1ms, cv=0.4)"}
  ps: {cpu: "affine(base=0.25ms, per_item=40us)", noise: lognormal(sigma=0.15)}
  items: lognormal(mean=350, p99=1200)
workload: {rate: 50k/s, horizon: 60s, detail: {windows: ["at 30s 200ms"]}}
slo: [p99(request) <= 50ms, errors <= 0.1%]
solve:
  over: {ps.replicas: 4..24, entry.replicas: [6, 9, 12, 18, 24, 40]}
  must_hold_under: [normal, any 1 ps, any 1 idc]
`

func question() (Found, error) {
	source, p, warnings, err := plan.Parse("question.yaml", []byte(questionPlan))
	if err != nil {
		return Found{}, err
	}
	before, begin := cpuSeconds(), time.Now()
	r, err := search.Solve(context.Background(), &judge.Judge{Deadline: begin.Add(20 * time.Minute)}, source, p, warnings)
	if err != nil {
		return Found{}, err
	}
	spent := cpuSeconds() - before
	if r.Answer == nil {
		return found(false, "no answer: %s", r.Stopped)
	}
	c := r.Certificate
	return found(spent <= 240 && c.Complete && c.Requests*10 <= c.GridCost, "ps.replicas %s, entry.replicas %s, %s; %.0f s of CPU (%.0f s of wall clock), %.1f M of %.1f M requests, certificate %s",
		r.Answer.Point["fleet.ps.replicas"], r.Answer.Point["fleet.entry.replicas"], r.Stopped, spent, time.Since(begin).Seconds(), float64(c.Requests)/1e6, float64(c.GridCost)/1e6, c.Label)
}
