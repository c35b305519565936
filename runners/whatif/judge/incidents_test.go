package judge_test

import (
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// incident is a plan in which one of three PS containers is away for 5 s. Later a version is
// published.
const incident = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {agent_version: 3, size: {embeddings: 1GiB, dense: 1GiB}, resident_versions: 2}
override: {num_ps: 2, num_shard: 2, fetch_ps_timeout: 20ms}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 3, cpu: 4, mem: 8GiB, cost: 1/h}
service:
  entry: {cpu: 1ms}
  ps: {cpu: 1ms}
workload: {rate: 200/s, horizon: 5m, detail: {windows: ["at 2s 2s", "each incident -10s..+30s"]}}
events:
  - {at: 30s, name: death, kill: {ps: {count: 1, pick: same_shard_worst}}, restart_after: 5s}
  - {at: 100s, name: new version, publish: {version: 2}}
slo:
  - p99(request) <= 15ms
  - recovery(death) <= 20s
  - time_to_available(publish) <= 3m
solve:
  over: {ps.replicas: 3..4}
  must_hold_under: [normal]
`

func run(t *testing.T, text string) *result.Result {
	t.Helper()
	r, err := (&judge.Judge{}).Run(t.Context(), parse(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func outcomeOf(r *result.Result, slo, window string) string {
	for _, v := range r.Verdicts {
		if strings.HasPrefix(v.SLO, slo) && strings.Contains(v.Scope.Window, window) {
			return v.Outcome
		}
	}
	return "none"
}

// Goal: recovery takes until the session of a dead container has expired, because it is
// called until then. That is at most 12 s, a timeout of 10 s and a tick of 2 s.
func TestARecoveryEndsWhenTheSessionHasExpired(t *testing.T) {
	long(t)
	r := run(t, incident)
	e := r.Find("recovery(death)", "incident death")
	if e == nil || e.Value == nil {
		t.Fatalf("got %+v, want an estimate", e)
	}
	if got := *e.Value / 1e9; got < 6 || got > 13 {
		t.Errorf("recovered after %.2f s, want 6.67 s to 12 s and one bin of a second", got)
	}
	if got := outcomeOf(r, "recovery(death)", "death"); got != result.Pass {
		t.Errorf("recovery within 20 s: got %s", got)
	}
	if got := outcomeOf(run(t, strings.Replace(incident, "recovery(death) <= 20s", "recovery(death) <= 5s", 1)), "recovery", "death"); got != result.Fail {
		t.Errorf("recovery within 5 s: got %s", got)
	}
	for _, i := range r.Incidents {
		if i.Event == "death" && (i.RecoveredNs == nil || *i.RecoveredNs != int64(*e.Value)) {
			t.Errorf("the incident says %v, the estimate %v", i.RecoveredNs, *e.Value)
		}
	}
}

// Goal: a recovery that is not complete at the end of the simulated time fails its
// objective, whatever the limit.
func TestARecoveryThatNeverComesFails(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	r := run(t, strings.NewReplacer("-10s..+30s", "-10s..+4s", "recovery(death) <= 20s", "recovery(death) <= 3m").Replace(incident))
	if got := outcomeOf(r, "recovery", "death"); got != result.Fail {
		t.Errorf("got %s", got)
	}
	if e := r.Find("recovery(death)", "incident death"); e == nil || e.Value != nil || e.Text == "" {
		t.Errorf("got %+v, want a text and no number", e)
	}
}

// Goal: roll-outs are reported by tier and shard, and match the closed form. Method: a
// version that entry and PS of version 3 find within a minute.
func TestRolloutsAreToldByShard(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	r := run(t, incident)
	if len(r.Rollouts) != 2 {
		t.Fatalf("got %d roll-outs, want those of entry and ps", len(r.Rollouts))
	}
	for _, o := range r.Rollouts {
		if o.Version != 2 || o.ToAll == nil || o.CI == nil {
			t.Fatalf("%+v", o)
		}
		if o.Closed < o.CI[0]-5e9 || o.Closed > o.CI[1]+5e9 || math.Abs(*o.ToAll/o.Closed-1) > 0.2 {
			t.Errorf("%s: to all %v in %v, closed form %v", o.Path, *o.ToAll, *o.CI, o.Closed)
		}
		if last := o.Curve[len(o.Curve)-1]; last.Fraction != 1 {
			t.Errorf("%s: the curve ends at %v", o.Path, last)
		}
	}
	if ps := r.Rollouts[1]; ps.Path != "v3 ps" || len(ps.Shards) != 2 || ps.MinServing != 3 || ps.Replicas != 3 {
		t.Errorf("got %s, %d shards, %d of %d serve, want v3 ps, 2 shards, 3 of 3", ps.Path, len(ps.Shards), ps.MinServing, ps.Replicas)
	}
	if r := run(t, strings.Replace(incident, "agent_version: 3", "agent_version: 1", 1)); r.Rollouts[1].None == "" || r.Rollouts[1].ToAll != nil {
		t.Errorf("PS of version 1: got %+v, want none", r.Rollouts[1])
	}
}

// Goal: a window of an event counts only under the condition that names this event in
// must_hold_under.
func TestWindowsOfEventsCountUnderTheirEvent(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	p := parse(t, strings.Replace(incident, "[normal]", "[normal, death]", 1))
	windows := map[string][]string{}
	for _, c := range judge.Conditions(p) {
		e, err := (&judge.Judge{}).Evaluate(t.Context(), p, c, judge.Goal{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range e.Verdicts() {
			if v.Metric == "p99(request)" {
				windows[c.Text] = append(windows[c.Text], v.Scope.Window+" "+v.Outcome)
			}
		}
	}
	if len(windows[""]) != 1 || windows[""][0] != "at 2s 2s PASS" || len(windows["death"]) != 1 || windows["death"][0] != "incident death FAIL" {
		t.Errorf("got %v", windows)
	}
	if list := judge.Conditions(parse(t, incident)); len(list) != 1 || list[0].NoEvents {
		t.Errorf("without events: got %+v, want all windows to count", list)
	}
}

// Goal: the timeline shows the containers that exist at each time, and not the number at the
// start of the plan.
func TestTheTimelineFollowsTheAutoscaler(t *testing.T) {
	long(t)
	text := strings.NewReplacer(`, "each incident -10s..+30s"`, "", "rate: 200/s, horizon: 5m", "rate: {step: {before: 200/s, after: 6k/s, at: 100s}}, horizon: 5m",
		"  - recovery(death) <= 20s\n", "", "events:", "autoscale: {entry: {metric: offered, target: 60%, min: 2, max: 12}}\nevents:").Replace(incident)
	_, p, _, err := plan.Parse("plan.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&judge.Judge{}).Run(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, last := r.Timeline[0], r.Timeline[len(r.Timeline)-1]
	if first.Live["entry"] != 2 || last.Live["entry"] <= 2 || last.Offered["entry"] > 0.7 || last.Live["ps"] != 6 {
		t.Errorf("got %v full %v, then %v full %v, want more of entry, at 60 %%", first.Live, first.Offered, last.Live, last.Offered)
	}
	// The cost is 8 containers at 1/h until second 100 of 300, and more containers after that.
	s := r.Scaled
	if s == nil || s.MostContainers != int(last.Live["entry"]+last.Live["ps"]) || s.Most != float64(s.MostContainers) || s.Cost <= 8 || s.Cost >= s.Most || s.CI[0] > s.Cost || s.Runs < 2 {
		t.Errorf("cost as it is scaled: got %+v, want between 8 and %v an hour", s, last.Live)
	}
	if fixed := run(t, incident); fixed.Scaled != nil {
		t.Errorf("without an autoscaler: got %+v", fixed.Scaled)
	}
}

// Goal: actions of an autoscaler that measures load are reported only as far as they were
// simulated. Method: a fleet at its limit that loses half of its containers, in a window
// that ends before the horizon.
func TestWhatAnAutoscalerDidIsToldAsFarAsItIsKnown(t *testing.T) {
	long(t)
	r := run(t, strings.NewReplacer("rate: 2k/s, horizon: 20s", "rate: 5.5k/s, horizon: 10m", "at 2s 2s", "at 2m 2m", "ps: {replicas: 4, cpu: 1,", "ps: {replicas: 8, cpu: 1,",
		"min_replications: 20, max_replications: 20", "min_replications: 5, max_replications: 5").Replace(headroom)+
		"autoscale: {ps: {target: 70%, min: 4, max: 20, scrape_delay: 0s}}\nevents: [{at: 2m, name: gone, lose_idc: lf, for: 5m}]\n")
	if len(r.Scalers) != 1 || r.Scalers[0].Begin != 8 || r.Scalers[0].Held == nil || r.Scalers[0].Held.Report != 4 || r.Scalers[0].Held.Of != 8 || r.Scalers[0].HeldIn != 5 {
		t.Errorf("got %+v, want it told that nothing is added as 4 of 8 report nothing", r.Scalers)
	}
	if last := r.Timeline[len(r.Timeline)-1]; last.At > 240e9 || last.At < 200e9 || r.Scaled == nil || r.Scaled.Until != 240e9 {
		t.Errorf("the timeline ends at %d, the cost is of %+v; want what was simulated, four minutes", last.At, r.Scaled)
	}
}

// Goal: a rough sort model rolls out as the agents copy it. That is up to half a minute
// later than the model server would find it, and never on PS that look for versions once.
// Method: publish only this model, and compare with the closed form that includes the copy
// loop.
func TestTheRoughSortModelIsCopiedFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for seconds")
	}
	text := strings.NewReplacer("model: {agent_version: 3,", "model: {agent_version: 1, rough_sort: {size: 300MB},", "publish: {version: 2}", "publish: {model: rough_sort, version: 2}").Replace(incident)
	r := run(t, text)
	if len(r.Rollouts) != 1 || r.Rollouts[0].ToAll == nil {
		t.Fatalf("got %+v, want that of entry alone", r.Rollouts)
	}
	// The expected mean is the later of two copies, each after U(0,30 s), plus two polls of a
	// second and a load of 1.03 s.
	if o := r.Rollouts[0]; o.Path != "v1 entry" || o.Model != "rough_sort" || math.Abs(o.Closed/1e9-22.03) > 0.1 || o.CI[0] > o.Closed || o.CI[1] < o.Closed {
		t.Errorf("got %+v: %v in %v, closed form %v, want some 22 s", o.Path, *o.ToAll, *o.CI, o.Closed)
	}
	for _, tier := range r.Tiers {
		if tier.Name == "entry" && math.Abs(float64(tier.MemPeak-tier.MemSteady)/(1.2*(300e6+float64(1<<30)))-1) > 1e-6 {
			t.Errorf("entry holds %d, at a rollover %d, want another version of both models", tier.MemSteady, tier.MemPeak)
		}
	}
	if r := run(t, strings.Replace(text, "size: 300MB}", "size: 300MB, on: ps}", 1)); len(r.Rollouts) != 1 || r.Rollouts[0].None == "" {
		t.Errorf("on PS that look once: got %+v, want none", r.Rollouts)
	}
}
