package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/monosim/monosim/runners/whatif/stats"
)

// queued is a plan with a single queue M/M/1 at 80 % of its load.
const queued = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB}}
fleet:
  entry: {replicas: 1, cpu: 1, mem: 8GiB}
  ps: {replicas: 1, cpu: 64, mem: 8GiB}
service:
  agent_cpu: 0
  entry: {cpu: exp(10ms), threads: 1}
  ps: {cpu: 1us}
workload: {rate: 80/s, horizon: 1h, detail: {windows: ["at 1m 10s", "at 2m 30s", "at 3m 60s", "at 5m 200s"]}}
`

// lindley returns the pool of runs windows of the queue M/M/1 at 80 a second of 10 ms, by Lindley's
// recursion, begun as it is at rest. over counts the requests that take longer than each limit.
func lindley(random *rand.Rand, window model.Window, related model.Related, runs int, limits []float64) (w *Pool, over [][]int64) {
	const lambda, mu = 80.0, 100.0
	w = newPool(window, len(limits), 1, related)
	w.Sum.Latency = model.NewHist(3)
	over = make([][]int64, len(limits))
	seconds := float64(window.End-window.Start) / 1e9
	for run := range runs {
		wait := 0.0
		if random.Float64() < lambda/mu {
			wait = random.ExpFloat64() / (mu - lambda)
		}
		var one tail
		for k := range over {
			over[k] = append(over[k], 0)
		}
		for at := random.ExpFloat64() / lambda; at < seconds; {
			took := wait + random.ExpFloat64()/mu
			w.Sum.Latency.Record(int64(took * 1e9))
			one.add(int64(took*1e9), 1)
			for k, limit := range limits {
				if took > limit {
					over[k][run]++
				}
			}
			gap := random.ExpFloat64() / lambda
			at += gap
			wait = max(0, took-gap)
		}
		w.Arrived, w.Open, w.Bad = append(w.Arrived, one.all), append(w.Open, 0), append(w.Bad, 0)
		w.tails["request"] = append(w.tails["request"], one)
	}
	return w, over
}

// Goal: intervals of quantiles and of shares cover the truth as often as they say, and no verdict passes
// what does not hold, where requests hang together and only 20 replications show it. Method: the queue M/M/1 by
// Lindley's recursion, in windows of 10 to 200 s, whose latency exceeds x with the probability
// exp(-(mu-lambda) x). A limit that is the quantile itself may pass in one case of a hundred.
func TestIntervalsCoverWhereRequestsHangTogether(t *testing.T) {
	_, p, _, err := plan.Parse("plan.yaml", []byte(queued))
	if err != nil {
		t.Fatal(err)
	}
	spec := model.Compile(p, Normal)
	random := rand.New(rand.NewPCG(5, 6))
	for k, experiments := range []int{60, 60, 40, 20} {
		window := spec.Windows[k]
		related := spec.Related(window, model.Life{})
		levels, names := []float64{0.5, 0.9, 0.99, 0.999}, []string{"p50", "p90", "p99", "p999"}
		var limits []float64
		for _, q := range levels {
			limits = append(limits, -math.Log(1-q)/(100-80))
		}
		covered, known, passes, shares := make([]int, len(levels)), make([]int, len(levels)), make([]int, len(levels)), make([]int, len(levels))
		for range experiments {
			w, over := lindley(random, window, related, 20, limits)
			for i, q := range levels {
				v := result.Verdict{Confidence: 0.99}
				new(Evaluation).byCount(&v, &w.PerModel, over[i], w.Open, 1-q, w.relatedBeyond("request", "", 1-q))
				if v.Outcome == result.Pass {
					passes[i]++
				}
				w.completed, w.above = w.Arrived, map[string][]int64{"beyond": over[i]}
				if _, low, high := w.interval("beyond", "", 0.95); low <= 1-q && 1-q <= high {
					shares[i]++
				}
				name := names[i] + "(request)"
				if _, few := w.tooFew(name, "", 0.95); few {
					continue
				}
				known[i]++
				if _, low, high := w.interval(name, "", 0.95); 0 <= low && low <= limits[i]*1e9 && limits[i]*1e9 <= high {
					covered[i]++
				}
			}
		}
		t.Logf("%s: %d experiments, %.1f requests hang together: %v of %v quantiles and %v shares covered, %v pass", window.Name, experiments, related.Requests, covered, known, shares, passes)
		for i, q := range levels {
			if stats.Fails(int64(known[i]), int64(known[i]-covered[i]), 0.05, 1, 0.99) {
				t.Errorf("%s: %d of %d intervals of the %g quantile hold the truth, want 95 %%", window.Name, covered[i], known[i], q)
			}
			if stats.Fails(int64(experiments), int64(experiments-shares[i]), 0.05, 1, 0.99) {
				t.Errorf("%s: %d of %d intervals of the share beyond the %g quantile hold the truth, want 95 %%", window.Name, shares[i], experiments, q)
			}
			if stats.Fails(int64(experiments), int64(passes[i]), 0.01, 1, 0.99) {
				t.Errorf("%s: %d of %d verdicts pass a limit that is the %g quantile, want 1 %% at most", window.Name, passes[i], experiments, q)
			}
		}
		if known[1] < experiments {
			t.Errorf("%s: %d of %d p90 are not known, want all known", window.Name, experiments-known[1], experiments)
		}
	}
}

// Goal: the parts of a tail are in order and do not overlap, and each latency falls into its
// part.
func TestPartsOfATailAreInOrder(t *testing.T) {
	last := partOf(1)
	for ns := int64(1); ns < model.Longest*1000; ns += 1 + ns/97 {
		part := partOf(ns)
		if part < last {
			t.Fatalf("%d ns is in part %d, and less in %d", ns, part, last)
		}
		last = part
	}
}
