package goals

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// togetherPlan is a queue of one core at 80 % of its load, whose requests come several at once. Its
// limits are the true quantiles of the latency, so that nothing may pass.
const togetherPlan = `apiVersion: capacity/v1
seed: %d
model: {size: {embeddings: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 64, mem: 8GiB}
service:
  agent_cpu: 0
  entry: {cpu: exp(10ms), threads: 1}
  ps: {cpu: 1us}
network: {same_cluster: 0ms, overhead_per_rpc: 0ms}
workload: {rate: 80/s, horizon: 1h, arrivals: {batch: det(%d)}, detail: {windows: ["at 1m 10s", "at 2m 30s", "at 3m 60s", "at 5m 200s"]}}
slo: [%s]
`

// levels lists the quantiles that the goal is about.
var levels = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}}

// togetherGoal returns a goal about the queue M^X/M/1, whose requests come several at once. In every
// window, intervals of quantiles hold the truth, and at most 1 % of the verdicts pass a limit that is
// the quantile itself.
func togetherGoal(several, experiments int) func() (Found, error) {
	return func() (Found, error) {
		var limits []string
		truth := map[string]float64{}
		for _, level := range levels {
			truth[level.name] = batchQuantile(several, level.q)
			limits = append(limits, fmt.Sprintf("%s(request) <= %.0fus", level.name, truth[level.name]*1e6))
		}
		covered, known, passes, order := map[string]int64{}, map[string]int64{}, map[string]int64{}, []string(nil)
		for x := range experiments {
			_, p, _, err := plan.Parse("together.yaml", fmt.Appendf(nil, togetherPlan, x+1, several, strings.Join(limits, ", ")))
			if err != nil {
				return Found{}, err
			}
			e, err := new(judge.Judge).Evaluate(context.Background(), p, judge.Normal, judge.Goal{Replications: 20})
			if err != nil {
				return Found{}, err
			}
			list := e.Estimates()
			for _, w := range e.Windows {
				for _, level := range levels {
					key := strings.Fields(w.Window.Name)[2] + " " + level.name
					if x == 0 {
						order = append(order, key)
					}
					one := result.Of(list, level.name+"(request)", result.Scope{Window: w.Window.Name})
					if one == nil || one.Value == nil {
						continue
					}
					known[key]++
					if at := truth[level.name] * 1e9; one.CI[0] <= at && at <= one.CI[1] {
						covered[key]++
					}
				}
			}
			for _, v := range e.Verdicts() {
				if v.Outcome == result.Pass {
					passes[strings.Fields(v.Scope.Window)[2]+" "+strings.TrimSuffix(v.Metric, "(request)")]++
				}
			}
		}
		text, reached := "", true
		for _, key := range order {
			share := 100 * float64(covered[key]) / math.Max(float64(known[key]), 1)
			text += fmt.Sprintf("%s %.0f %% of %d, %d pass; ", key, share, known[key], passes[key])
			reached = reached && !stats.Fails(known[key], known[key]-covered[key], 0.05, 1, 0.99) && !stats.Fails(int64(experiments), passes[key], 0.01, 1, 0.99)
		}
		return found(reached, "%s", strings.TrimSuffix(text, "; "))
	}
}

// batchQuantile returns a quantile of the latency, in seconds, of a queue of one server at 80 % of
// its load, with exponential work of 10 ms, whose requests come several at once. A request finds n
// others in the queue, and k-1 of those that came with it are served before it; its latency is the
// sum of n+k exponential times. The probabilities of n follow from the balance of the queue: it
// leaves n+1 for n as often as it leaves n or fewer for more than n.
func batchQuantile(several int, q float64) float64 {
	const mu, load, most = 100.0, 0.8, 4000
	rate := load * mu / float64(several) // of arrivals
	p := make([]float64, most)
	p[0] = 1 - load
	for n := range most - 1 {
		for k := range min(several, n+1) {
			p[n+1] += rate / mu * p[n-k]
		}
	}
	above := func(x float64) float64 { // the probability that a latency is above x seconds
		sum := 0.0
		for n, share := range p {
			if share < 1e-12 {
				break
			}
			for k := 1; k <= several; k++ {
				sum += share / float64(several) * mathext.GammaIncRegComp(float64(n+k), mu*x)
			}
		}
		return sum
	}
	low, high := 0.0, 20.0
	for range 50 {
		if middle := (low + high) / 2; above(middle) > 1-q {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
