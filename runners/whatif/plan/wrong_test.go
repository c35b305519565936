package plan_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/plan"
)

// sane is a plan of which each case below spoils one line.
const sane = `apiVersion: capacity/v1
model: {size: {embeddings: 1GB, dense: 1GB}}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 50ms}
fleet:
  idcs: [{name: lf}, {name: hl}]
  entry: {replicas: 2, cpu: 4, mem: 8GiB}
  ps: {replicas: 2, cpu: 4, mem: 8GiB}
  dense: {replicas: 2, cpu: 4, mem: 8GiB}
  boot: {model_load: 1GB/s}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
  dense: {cpu: 1ms}
client: {balance: random}
workload: {rate: 10/s, horizon: 1m, detail: {windows: ["each incident -5s..+20s"]}}
events: [{at: 10s, name: gone, kill: {ps: {count: 1}}}]
autoscale: {}
slo: [errors <= 1%]
`

// Goal: a wrong value is one error, which names the line, the field, what was found and what is wanted.
// Method: forty wrong values, one at a time.
func TestEachWrongValueIsOneError(t *testing.T) {
	if _, _, _, err := plan.Parse("plan.yaml", []byte(sane)); err != nil {
		t.Fatal(err)
	}
	const event, slo, batch = "{at: 10s, name: gone, kill: {ps: {count: 1}}}", "slo: [errors <= 1%]", "dense: {cpu: 1ms}"
	for _, c := range []struct{ old, new, want string }{
		{slo, "slo: [p99(request) <= -5ms]", `18:7: "p99(request) <= -5ms": the limit is negative [CAP-E13]`},
		{slo, "slo: [dashboard_above(1,474s) <= 1%]", `18:7: "dashboard_above(1": an objective with a comma inside [ ]: write it in quotes [CAP-E13]`},
		{slo, "slo: [util(dense) <= 101%]", `18:7: "util(dense) <= 101%": found a limit of 101%, want 0%..100%, for it is a share [CAP-E13]`},
		{slo, "slo: [answered <= 50%]", `18:7: "answered <= 50%": of answered more is better, so the objective is >= [CAP-E13]`},
		{slo, "slo: [min_serving(publish) >= 1]", `18:7: "min_serving(publish)": nothing is published, want an event with publish [CAP-E13]`},
		{slo, "slo: [lost(gone) <= 0.5]", `18:7: "lost(gone) <= 0.5": found 0.5, a whole number expected [CAP-E13]`},
		{slo, "slo: [lost(gond) <= 5]", `18:7: "lost(gond)": no event has this name or note - did you mean "gone"? [CAP-E13]`},
		{slo, "slo: [above(gone) <= 1s, goodput >= 1/s]", `18:7: "above(gone)": there is no objective that requests could be above, want one as p99(request) <= 50ms or errors <= 1% [CAP-E13]`},
		{slo, "slo: [dashboard_above(2000s) <= 1%]", `18:7: "dashboard_above(2000s) <= 1%": found 2000s, want a time above 0 and up to 24m35s, the greatest bound of TensorFlow Serving's buckets [CAP-E13]`},
		{slo, "slo: [dashboard_p99(gpu) <= 1s]", `18:7: "dashboard_p99(gpu)": unknown metric - did you mean "dashboard_p99(ps)"? [CAP-E13]`},
		{event, "{at: 20s, publish: {version: 4}}, {at: 10s, publish: {version: 5}}", `16:39: events.0.publish.version must be above 5, which is published before, got 4: model servers load the greatest version that there is (events.1.publish.version at 16:73) [CAP-E05]`},
		{event, "{at: 10s, publish: {version: 5}}, {at: 20s, publish: {version: 5}}", `16:73: events.1.publish.version must be above 5, which is published before, got 5: model servers load the greatest version that there is (events.0.publish.version at 16:39) [CAP-E05]`},
		{"events: [" + event + "]", "events: []", `15:56: window "each incident -5s..+20s": there are no events, so that nothing is simulated; want one in events, or another window [CAP-E06]`},
		{"rate: 10/s", "rate: nan/s", `15:18: rate: "nan/s" is no number, rate expected, for example 50k/s [CAP-E04]`},
		{"rate: 10/s", "rate: 10/s, arrivals: {batch: det(0)}", `15:42: workload.arrivals.batch must have a mean of 1..100000, got 0 [CAP-E05]`},
		{"rate: 10/s", "rate: 10/s, places: {lf: 50%, xx: 50%}", `15:46: idc "xx" is not in fleet.idcs (known: hl, lf) [CAP-E09]`},
		{"rate: 10/s", "rate: 10/s, places: {lf: 50%, hl: 40%}", `15:32: workload.places must sum to 100%, got 90% [CAP-E05]`},
		{"ps: {cpu: 1ms}", `ps: {cpu: "uniform(5ms, 1ms)"}`, `12:13: cpu: uniform needs 0 <= a < b, found 5ms and 1ms [CAP-E07]`},
		{"ps: {cpu: 1ms}", `ps: {cpu: "gamma(mean=1ms, cv=-1)"}`, `12:13: cpu: cv of gamma must be above 0, got -1 [CAP-E07]`},
		{"ps: {cpu: 1ms}", "ps: {cpu: 1ms, cold: {calls: 3, factor: 0.5x}}", `12:43: service.ps.cold.factor must be 1x..100000x, got 0.5x [CAP-E05]`},
		{"ps: {cpu: 1ms}", "ps: {cpu: 1ms, shed: [{priority: 8, waiting: 1}]}", `12:36: service.ps.shed.0.priority must be 0..7, got 8 [CAP-E05]`},
		{"ps: {cpu: 1ms}", "ps: {cpu: 1ms, shed: [{priority: 1, waiting: 1}, {priority: 1, waiting: 2}]}", `12:63: shed: priority 1 is given twice, want each once (service.ps.shed.0.priority at 12:36) [CAP-E08]`},
		{batch, `dense: {batch: "points(4=2ms, 8=1ms)"}`, `13:18: service.dense.batch: found points that fall at the end, so that a batch of 1024 items (max_batch_size) would take no time: give a point there [CAP-E07]`},
		{batch, "dense: {cpu: 1ms, device: {processes: 2}}", `13:21: service.dense.device computes batches: it needs service.dense.batch, and batching that is not turned off [CAP-E08]`},
		{batch, `dense: {batch: "affine(base=1ms, per_item=1us)", device: {processes: 65}}`, `13:72: service.dense.device.processes must be 0..64, got 65 [CAP-E05]`},
		{batch, "dense: {profile: h100-dlrm-fp16-graph}", `13:20: profile: found "h100-dlrm-fp16-graph", want h100-din-bf16-eager, h100-din-bf16-graph, h100-din-fp32-eager, h100-din-fp32-graph, h100-dlrm-bf16-eager, h100-dlrm-bf16-graph, h100-dlrm-fp32-eager, h100-dlrm-fp32-graph - did you mean "h100-dlrm-bf16-graph"? [CAP-E09]`},
		{"random", "random, hedge: {after: 60ms}", `14:42: hedge.after must be below fetch_ps_timeout 50ms (override.fetch_ps_timeout at 3:55) [CAP-E05]`},
		{"random", "random, hedge: {after: p101}", `14:42: after: found "p101", want off, a duration, or a quantile from p50 to p9999 [CAP-E09]`},
		{"random", "random, backoff: {base: 5ms, jitter: 101%}", `14:56: client.backoff.jitter must be 0%..100%, got 101% [CAP-E05]`},
		{"random", "random, retry_budget: {share: -1%}", `14:49: client.retry_budget.share must be 0%..1000%, got -1% [CAP-E05]`},
		{"random", "random, breaker: {failures: 2, open: 0s}", `14:56: client.breaker.open must be >0, got 0s [CAP-E05]`},
		{"random", "random, partial: allow(min_shards=5)", `14:36: min_shards must be 1..2, got 5 (override.num_shard at 3:34) [CAP-E05]`},
		{"1GB/s}", "1GB/s}\n  starts: 40000d", `10:11: starts: found 40000d, want at most 36500d [CAP-E05]`},
		{"1GB/s}", "1GB/s, store: -1GB/s}", `9:36: fleet.boot.store must be >=0, got -1GB/s [CAP-E05]`},
		{event, event + ", {at: -5s, kill: {ps: {count: 1}}}", `16:62: events.1.at must be >=0, got -5s [CAP-E05]`},
		{event, event + ", {at: 90s, kill: {ps: {count: 1}}}", `16:62: event at 1m30s is after the horizon 1m (workload.horizon at 15:33) [CAP-E10]`},
		{event, event + ", {at: 20s, kill: {ps: {count: 5}}}", `16:73: events.1.kill: 5 containers of ps, there are 4 (fleet.ps.replicas at 7:18) [CAP-E05]`},
		{event, event + ", {at: 20s, restart: {tier: ps, at_once: 0}}", `16:96: events.1.restart.at_once must be 1..100000, got 0 [CAP-E05]`},
		{event, event + ", {at: 20s, evacuate: {idc: lf}}", `16:77: evacuate: no idc has clients of its own, want workload.places, as {lf: 100%} (workload at 15:11) [CAP-E06]`},
		{event, event + ", {at: 20s, name: gone, kill: {ps: {count: 1}}}", `16:73: two events have the name "gone", want another for each (events.0.name at 16:26) [CAP-E08]`},
		{"autoscale: {}", "autoscale: {entry: {min: 5, max: 9}}", `17:20: autoscale.entry needs min <= replicas <= max, got 5 <= 2 <= 9 (fleet.entry.replicas at 6:21) [CAP-E05]`},
		{"autoscale: {}", "autoscale: {entry: {min: 1, max: 9, metric: qps, target: 60%}}", `17:58: target: found a percent, a rate expected for metric qps (autoscale.entry.metric at 17:45) [CAP-E04]`},
		{"autoscale: {}", "autoscale: {ps: {min: 1, max: 9, target: 150%}}", `17:42: autoscale.ps: no container uses more than its 4 cores, 100 % of the 4 that it requests, so a target of 150 % is never reached: give request, the cores that are 100 %, or a lower target [CAP-E05]`},
		{"autoscale: {}", "autoscale: {entry: {min: 1, max: 9, behavior: {up: {policies: [{pods: 1, percent: 10%, every: 15s}]}}}}", `17:64: a policy has one of pods and percent above 0, found both [CAP-E08]`},
		{"autoscale: {}", "autoscale: {entry: {min: 1, max: 9, behavior: {up: {policies: [{pods: 1, every: 1h}]}}}}", `17:81: autoscale.entry.behavior.up.policies.0.every must be 1s..1800s, got 1h [CAP-E05]`},
		{"-5s..+20s", "+5s..-3s", `15:56: window "+5s..-3s" ends before it begins [CAP-E05]`},
	} {
		_, _, _, err := plan.Parse("plan.yaml", []byte(strings.Replace(sane, c.old, c.new, 1)))
		if got := ""; err == nil || err.Error() != "plan.yaml:"+c.want {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("%s:\n got %s\nwant plan.yaml:%s", c.new, got, c.want)
		}
	}
}

// Goal: an objective on an event without a name says how to give it one. Method: the action in the place of the
// name.
func TestAnEventWithoutANameIsToldHowToGetOne(t *testing.T) {
	for _, old := range []string{"slo: [lost(kill) <= 5]", "slo: [recovery(kill) <= 5s]"} {
		text := strings.NewReplacer("name: gone, ", "", "slo: [errors <= 1%]", old).Replace(sane)
		if _, _, _, err := plan.Parse("plan.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), "write {at: ..., name: kill, ...} in events.0") {
			t.Errorf("%s: got %v, want that a name is missing", old, err)
		}
	}
}

// Goal: an objective on what an event cost is refused where its window begins too short before it, as
// there would be nothing to compare with (CAP-4.5). Method: the last window that is too short, and the
// next one, with steps of a second, of a quarter and, in a long one, of two.
func TestWhatAnEventCostWantsTimeBeforeIt(t *testing.T) {
	for _, c := range []struct{ short, enough, want string }{
		{"-2900ms..+20s", "-3s..+20s", `"lost(gone)": the window begins 2.9s before the event, want 3s or more: 3 steps to compare with (CAP-4.5) (workload.detail.windows at 15:56) [CAP-E13]`},
		{"-700ms..+9s", "-750ms..+9s", `"lost(gone)": the window begins 700ms before the event, want 750ms or more: 3 steps to compare with (CAP-4.5) (workload.detail.windows at 15:56) [CAP-E13]`},
		{"-5s..+400s", "-6s..+400s", `"lost(gone)": the window begins 5s before the event, want 6s or more: 3 steps to compare with (CAP-4.5) (workload.detail.windows at 15:56) [CAP-E13]`},
	} {
		for _, window := range []string{c.short, c.enough} {
			text := strings.NewReplacer("-5s..+20s", window, "horizon: 1m", "horizon: 10m", "slo: [errors <= 1%]", "slo: [lost(gone) <= 5]").Replace(sane)
			_, _, _, err := plan.Parse("plan.yaml", []byte(text))
			if window == c.enough && err != nil || window == c.short && (err == nil || err.Error() != "plan.yaml:18:7: "+c.want) {
				t.Errorf("%s: got %v", window, err)
			}
		}
	}
}

// Goal: an event may be of as many containers as an autoscaler or another event may have made by then, and of no more.
func TestEventsMayBeOfContainersThatAreAdded(t *testing.T) {
	for more, want := range map[string]string{ //lint:order each is read alone
		"":                                        "9 containers of entry, there are 2",
		"autoscale: {entry: {min: 2, max: 9}}":    "",
		"autoscale: {entry: {min: 2, max: 8}}":    "9 containers of entry, there are 8",
		"+  - {at: 5s, scale: {entry: 9}}":        "",
		"autoscale: {ps: {min: 2, max: 9}}":       "9 containers of entry, there are 2",
		"+  - {at: 5s, scale: {ps: 9, entry: 3}}": "9 containers of entry, there are 3",
	} {
		events := "events:\n  - {at: 10s, name: gone, kill: {entry: {count: 9}}}"
		if strings.HasPrefix(more, "+") {
			events, more = events+"\n"+more[1:], "autoscale: {}"
		}
		if more == "" {
			more = "autoscale: {}"
		}
		_, _, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("events: [{at: 10s, name: gone, kill: {ps: {count: 1}}}]", events, "autoscale: {}", more).Replace(sane)))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", more, err, want)
		}
	}
}
