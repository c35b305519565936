package judge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/result"
)

// idle is a plan with so little load that no request waits in a queue.
const idle = `apiVersion: capacity/v1
model: {size: {embeddings: 1GiB, dense: 1GiB}}
override: {num_ps: 6, num_shard: 3, fetch_ps_timeout: 40ms}
fleet:
  entry: {replicas: 20, cpu: 16, mem: 8GiB}
  ps: {replicas: 20, cpu: 16, mem: 8GiB}
service:
  entry: {cpu: "gamma(mean=2ms, cv=0.5)"}
  ps: {cpu: "exp(mean=4ms)"}
  items: det(1)
client: {balance: random}
workload: {rate: 500/s, horizon: 40s}
slo: [p99(request) <= 20ms]
`

// Goal: the floor is a lower bound of latency, and close to the latency of a fleet without
// queues. Method: simulate idle fleets, and compare the share of requests above several
// limits.
func TestTheFloorIsBelowWhatAnIdleFleetTakes(t *testing.T) {
	long(t)
	const law = `ps: {cpu: "exp(mean=4ms)"}`
	for _, c := range []struct {
		name, old, new string
		near           float64 // smallest part of the measured latency that the floor may be
	}{
		{"as it is", "", "", 0.75},
		{"items and noise", law + "\n  items: det(1)", "ps: {cpu: \"affine(base=1ms, per_item=20us)\", noise: lognormal(sigma=0.5)}\n  items: lognormal(mean=300, p99=900)", 0.75},
		{"a law with a noise", law, `ps: {cpu: "gamma(mean=4ms, cv=0.8)", noise: lognormal(sigma=0.5)}`, 0.7},
		{"timeouts", "fetch_ps_timeout: 40ms", "fetch_ps_timeout: 10ms", 0.6},
		{"hedges", "balance: random", "balance: random, hedge: {after: 5ms}", 0},
		{"some shards are enough", "balance: random", "balance: random, partial: allow(min_shards=2)", 0},
		{"one call a container", "balance: random", "balance: random, coalesce: true", 0.75},
		{"a histogram", law, `ps: {cpu: "weibull(mean=4ms, k=0.8)"}`, 0.75},
		{"dense servers", "service:", "  dense: {replicas: 20, cpu: 16, mem: 8GiB}\nservice:\n  dense: {cpu: \"uniform(1ms, 9ms)\"}", 0.7},
		{"dense servers that call", "service:", "  dense: {replicas: 20, cpu: 16, mem: 8GiB}\nservice:\n  dense: {cpu: \"erlang(mean=3ms, k=2)\", fanout_from: dense}", 0.7},
		{"a mix", "workload: {", "workload: {mix: [{model: one, share: 70%}, {model: two, share: 30%, num_ps: 3, ps: {cpu: \"exp(mean=8ms)\"}}], ", 0.75},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(idle, c.old, c.new, 1)
			if c.old != "" && text == idle {
				t.Fatal("the plan is as it was")
			}
			p := parse(t, text)
			f := judge.Floors(p)
			e, err := (&judge.Judge{}).Evaluate(t.Context(), p, judge.Normal, judge.Goal{Replications: 2})
			if err != nil {
				t.Fatal(err)
			}
			sum := &e.Windows[0].Sum
			for _, q := range []float64{0.5, 0.9, 0.99} {
				limit := sum.Latency.Quantile(q)
				failed := sum.Arrived - sum.Completed
				seen := float64(failed)
				sum.Latency.CDF(func(ns, count int64) {
					if ns <= limit {
						seen = float64(failed + sum.Completed - count)
					}
				})
				seen /= float64(sum.Arrived)
				got := f.Above(float64(limit), "")
				noise := 4 * math.Sqrt(seen/float64(sum.Arrived))
				if got > seen+noise || got < c.near*seen-noise {
					t.Errorf("above %d ns: at least %.4f, seen %.4f", limit, got, seen)
				}
			}
			if q := f.Quantile(0.99, ""); q > float64(sum.Latency.Quantile(0.99))*1.05 || math.Abs(f.Above(q, "")-0.01) > 0.002 {
				t.Errorf("p99 is %g at least, of which %g above; seen %d", q, f.Above(q, ""), sum.Latency.Quantile(0.99))
			}
		})
	}
}

// Goal: an objective that is missed even without queueing is named with the reason. Other
// objectives are left to the simulation. So is an objective on a mean that is only exceeded
// due to requests that fail.
func TestObjectivesThatNoFleetMeets(t *testing.T) {
	for _, c := range []struct{ slo, law, want string }{
		{"p99(request) <= 20ms", "exp(mean=4ms)", "p99(request) <= 20ms"},
		{"p99(request) <= 200ms", "exp(mean=4ms)", ""},
		{"p50(request) <= 8ms", "exp(mean=4ms)", "p50(request) <= 8ms"},
		{"mean(request) <= 5ms", "4ms", "mean(request) <= 5ms"},
		{"mean(request) <= 5ms", "exp(mean=4ms)", ""},
		{"mean(request) <= 5ms, errors <= 1%", "exp(mean=4ms)", "mean(request) <= 5ms"},
		{"mean(request) <= 30ms, errors <= 1%", "exp(mean=4ms)", ""},
	} {
		text := strings.NewReplacer("p99(request) <= 20ms", c.slo, "exp(mean=4ms)", c.law, `"gamma(mean=2ms, cv=0.5)"`, "2ms").Replace(idle)
		slo, reason := judge.Floors(parse(t, text)).Missed()
		if slo != c.want || (reason != "") != (c.want != "") || c.want != "" && !strings.Contains(reason, "without any queue") {
			t.Errorf("%s of %s: got %q, %q, want %q", c.slo, c.law, slo, reason, c.want)
		}
	}
}

// Goal: each model of a mix has a floor of its own.
func TestTheFloorOfEachModelOfAMix(t *testing.T) {
	text := strings.Replace(idle, "workload: {", "workload: {mix: [{model: fast, share: 50%, ps: {cpu: 1ms}, slo: [p99(request) <= 20ms]}, {model: slow, share: 50%, ps: {cpu: 30ms}, slo: [p99(request) <= 20ms]}], ", 1)
	text = strings.Replace(text, "slo: [p99(request) <= 20ms]\n", "", 1)
	p := parse(t, text)
	if slo, _ := judge.Floors(p).Missed(); slo != "p99(request) <= 20ms of slow" {
		t.Errorf("got %q, want that of the slow model", slo)
	}
	f := judge.Floors(p)
	if a, b := f.Above(20e6, "fast"), f.Above(20e6, "slow"); a > 0.001 || b < 0.999 || math.Abs(f.Above(20e6, "")-0.5) > 0.001 {
		t.Errorf("got %g of the fast, %g of the slow, %g of all", a, b, f.Above(20e6, ""))
	}
	if f.Above(1, "neither") != 0 {
		t.Error("a model that nobody has is late")
	}
}

// Goal: no estimated p99 is below the floor, and each bound is reported next to the estimate
// it bounds. Method: closed forms of idle fleets, with varying items and with one shard that
// has more work.
func TestEstimatesAreNotBelowTheirBounds(t *testing.T) {
	for _, c := range []struct{ name, old, new, metric string }{
		{"as it is", "", "", "util(ps)"},
		{"items", "det(1)", "lognormal(mean=300, p99=4000)\n  dense: {cpu: \"affine(base=1ms, per_item=30us)\"}", "util(ps)"},
		{"skew", "model: {", "model: {shard_skew: {zipf: 1}, ", "util_max(ps)"},
	} {
		text := strings.Replace(idle, c.old, c.new, 1)
		if c.name == "items" {
			text = strings.Replace(text, "service:", "  dense: {replicas: 20, cpu: 16, mem: 8GiB}\nservice:", 1)
		}
		if c.name == "skew" {
			text = strings.Replace(text, `"exp(mean=4ms)"`, `"affine(base=1ms, per_item=1ms)"`, 1)
		}
		forms := map[string]result.ClosedForm{}
		for _, f := range judge.ClosedForms(parse(t, text)) {
			forms[f.Metric] = f // the estimate of p99 comes after its bound
			if f.Name == "least p99 latency without queues" {
				forms["bound"] = f
			}
		}
		if floor, p99 := forms["bound"].Theory, forms["p99(request)"]; p99.Bound || floor <= 0 || p99.Theory < floor {
			t.Errorf("%s: estimate %+v below %g", c.name, p99, floor)
		}
		if _, ok := forms[c.metric]; !ok {
			t.Errorf("%s: got %v, want the bound of ps beside %s", c.name, forms, c.metric)
		}
	}
}
