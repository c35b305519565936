package judge_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

// late is a fleet whose PS take so long that no call is answered in time, and are cancelled.
const late = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GB}}
override: {num_ps: 1, num_shard: 1, fetch_ps_timeout: 20ms, fetch_ps_retry: 2}
fleet: {entry: {replicas: 1, cpu: 4, mem: 8GiB}, ps: {replicas: 3, cpu: 32, mem: 8GiB}}
service: {entry: {cpu: 1us}, ps: {cpu: 50ms}}
client: {abandon: cancel, retry_target: distinct}
network: {same_cluster: 1us, overhead_per_rpc: 0s}
workload: {rate: 100/s, horizon: 30s}
slo: [util(ps) <= 5%, goodput >= 1/s]
`

// Goal: a tier that answers nothing in time has a utilisation, and nothing is known of its latency. Method: the
// closed form. Each request keeps three threads of 96 for a timeout each.
func TestATierThatAnswersNothingIsBusy(t *testing.T) {
	r := run(t, late)
	const want = 100 * 3 * 0.02 / 96
	if e := r.Find("util(ps)", "all"); e == nil || e.Value == nil || math.Abs(*e.Value-want) > 0.03*want {
		t.Errorf("util(ps): got %+v, want %g", e, want)
	}
	if e := r.Find("p99(ps)", "all"); e != nil && e.Value != nil {
		t.Errorf("p99(ps): got %+v, want none", e)
	}
	for _, v := range r.Verdicts {
		if v.Outcome != result.Fail {
			t.Errorf("%s: got %s %s, want FAIL", v.SLO, v.Outcome, v.Text)
		}
	}
	// If nothing is answered in 600 s, at most 3.689 answers are expected, by Poisson's law.
	if e := r.Find("goodput", "all"); e == nil || e.CI == nil || e.CI[0] != 0 || math.Abs(e.CI[1]-3.689/600) > 1e-4 {
		t.Errorf("goodput: got %+v, want 0 with [0, 3.689/600]", e)
	}
}

// Goal: an event that cost nothing in twenty replications is not known to cost nothing. Method: a container
// which is slow for a second, and loses nobody; Poisson's limit of none in twenty.
func TestNoneLostOfTwentyIsNoCertainty(t *testing.T) {
	r := run(t, strings.NewReplacer("ps: {cpu: 50ms}", "ps: {cpu: 1ms}", "horizon: 30s}", `horizon: 30s, detail: {windows: ["each incident -5s..+5s"]}}
events: [{at: 10s, name: slow, slow: {ps: {count: 1, factor: 2x}}, for: 1s}]`, "[util(ps) <= 5%, goodput >= 1/s]", "[errors <= 1%, lost(slow) <= 1, lost(slow) <= 0]").Replace(late))
	if e := r.Find("lost(slow)", "incident slow"); e == nil || e.CI == nil || *e.Value != 0 || e.CI[0] != 0 || math.Abs(e.CI[1]-3.689/20) > 1e-3 {
		t.Errorf("lost: got %+v, want 0 with [0, 0.184]", e)
	}
	want := map[string]string{"errors <= 1%": result.Pass, "lost(slow) <= 1": result.Pass, "lost(slow) <= 0": result.Undecided}
	for _, v := range r.Verdicts {
		if v.Outcome != want[v.SLO] {
			t.Errorf("%s: got %s %s, want %s", v.SLO, v.Outcome, v.Text, want[v.SLO])
		}
	}
}

// Goal: what an event costs may come in groups of requests that hang together, of which none came. Method: a queue
// at 80 %, of which some 90 requests make a group (CAP-5.2), and an event that costs nothing.
func TestNoneLostOfTwentyIsOfGroups(t *testing.T) {
	r := run(t, strings.NewReplacer("ps: {cpu: 50ms}", "ps: {cpu: 1us}", "entry: {cpu: 1us}", "entry: {cpu: exp(10ms)}", "replicas: 1, cpu: 4", "replicas: 1, cpu: 1", "rate: 100/s, horizon: 30s}", `rate: 80/s, horizon: 30s, detail: {windows: ["each incident -5s..+5s"]}}
events: [{at: 10s, name: slow, slow: {ps: {count: 1, factor: 2x}}, for: 1s}]`, "[util(ps) <= 5%, goodput >= 1/s]", "[lost(slow) <= 1]").Replace(late))
	if e := r.Find("lost(slow)", "incident slow"); e == nil || e.CI == nil || *e.Value != 0 || e.CI[1] < 80*3.689/20 || e.CI[1] > 100*3.689/20 {
		t.Errorf("lost: got %+v, want 0 with [0, some 17]", e)
	}
	if v := r.Verdicts[0]; v.Outcome != result.Undecided {
		t.Errorf("got %s %s, want UNDECIDED", v.Outcome, v.Text)
	}
}

// Goal: a closed form of nothing is no infinite error. Method: a fleet in which all is so short that a histogram
// has it as a microsecond, and formulas as 0.
func TestAClosedFormOfNothing(t *testing.T) {
	r := run(t, strings.NewReplacer("ps: {cpu: 50ms}", "ps: {cpu: 1ns}", "entry: {cpu: 1us}", "entry: {cpu: 1ns}", "same_cluster: 1us", "same_cluster: 1ns").Replace(late))
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
}

// Goal: threads that share no cores are told with the cores that they would need, all of a container together.
// Method: a mixed container of a core whose two processes have 0.8 cores of work each, and batches of two servers
// with eight threads each.
func TestThreadsWithoutContentionAreToldTogether(t *testing.T) {
	const none = `apiVersion: capacity/v1
budget: {min_replications: 20, max_replications: 20}
model: {size: {embeddings: 1GB, dense: 1GB}}
override: {num_ps: 1, num_shard: 1, quirks: fixed}
`
	for _, c := range []struct {
		text, want string
		busy       float64
	}{
		{`fleet: {mixed: {replicas: 1, cpu: 1, mem: 8GiB}}
service: {entry: {cpu: 4ms, threads: 8}, ps: {cpu: 4ms, threads: 8}, contention: {model: none}}
workload: {rate: 200/s, horizon: 10s}
`, "the 16 threads of mixed work like as many cores, and it has 1;", 1.6},
		{`fleet: {entry: {replicas: 1, cpu: 4, mem: 8GiB}, ps: {replicas: 1, cpu: 4, mem: 8GiB}, dense: {replicas: 1, cpu: 2, mem: 8GiB, services_per_container: 2}}
service: {entry: {cpu: 1ms}, ps: {cpu: 1ms}, dense: {batch: "affine(base=0ms, per_item=1ms)"}, contention: {model: none}}
workload: {rate: 200/s, horizon: 10s}
`, "the 16 threads of dense work like as many cores, and it has 2;", 0.2},
	} {
		_, p, warnings, err := plan.Parse("plan.yaml", []byte(none+c.text))
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0].Message, c.want) {
			t.Errorf("got %v, want that %s", warnings, c.want)
		}
		r := judge.New("run", p, warnings)
		if got := r.Tiers[len(r.Tiers)-1].Busy; math.Abs(got-c.busy) > 1e-9 {
			t.Errorf("busy cores of %s: got %g, want %g", r.Tiers[len(r.Tiers)-1].Name, got, c.busy)
		}
	}
}

// Goal: a fleet that is asked once a minute is not behind. Method: deterministic arrivals, one in each
// replication, where the quarter of the window to compare with has none.
func TestOneRequestIsNoBacklog(t *testing.T) {
	r := run(t, strings.NewReplacer("rate: 100/s, horizon: 30s", "rate: 1/m, horizon: 1m, arrivals: {process: deterministic}", "50ms", "1ms", "goodput >= 1/s", "mean(request) <= 5ms").Replace(late))
	if s := r.Saturation; s.State != "STABLE" || r.Windows[0].Requests != 20 {
		t.Errorf("got %+v of %d requests, want STABLE of 20", s, r.Windows[0].Requests)
	}
}

// Goal: the wait that theory prints follows what arrivals vary by, and an estimate is called one. Method: the exact
// wait at one server with exponential work and gaps that are gamma with cv 2, or always the same: sigma/(mu (1 -
// sigma)), where sigma is the transform of the gaps at mu (1 - sigma).
func TestTheWaitFollowsTheArrivals(t *testing.T) {
	for _, c := range []struct {
		arrivals  string
		transform func(s float64) float64 // of gaps with the mean 1/80 s
	}{
		{"{process: gamma, cv: 2}", func(s float64) float64 { return math.Pow(1+s*4/80, -0.25) }},
		{"{process: deterministic}", func(s float64) float64 { return math.Exp(-s / 80) }},
	} {
		_, p, _, err := plan.Parse("plan.yaml", []byte(strings.NewReplacer("entry: {cpu: 1us}", "entry: {cpu: exp(10ms)}", "replicas: 1, cpu: 4", "replicas: 1, cpu: 1", "rate: 100/s, horizon: 30s", "rate: 80/s, horizon: 30s, arrivals: "+c.arrivals).Replace(late)))
		if err != nil {
			t.Fatal(err)
		}
		sigma := 0.5
		for range 1000 {
			sigma = c.transform(100 * (1 - sigma))
		}
		want, found := sigma/(100*(1-sigma))*1e9, map[string]float64{}
		for _, f := range judge.ClosedForms(p) {
			found[f.Name] = f.Theory
		}
		if got := found["W_q of entry (Allen-Cunneen, an estimate, c = 1)"]; math.Abs(got-want) > 0.2*want {
			t.Errorf("%s: got %g, want %g within a fifth: %v", c.arrivals, got, want, found)
		}
		if _, ok := found["P(wait) of entry (an estimate)"]; !ok {
			t.Errorf("%s: P(wait) is not called an estimate: %v", c.arrivals, found)
		}
	}
}

// Goal: a window may begin behind its event, or end before it: then there is nothing to compare with. Method: the
// figures of an event are not there, those of the window are those of the same seconds.
func TestAWindowBesideItsEvent(t *testing.T) {
	for around, same := range map[string]string{"+2s..+6s": "at 12s 4s", "-6s..-2s": "at 4s 4s"} {
		text := func(windows string) string {
			return strings.NewReplacer("ps: {cpu: 50ms}", "ps: {cpu: 1ms}", "horizon: 30s}", `horizon: 30s, detail: {windows: ["`+windows+`"]}}
events: [{at: 10s, name: gone, kill: {ps: {count: 1}}, restart_after: 9s}]`, "[util(ps) <= 5%, goodput >= 1/s]", "[errors <= 50%, p99(request) <= 50ms]").Replace(late)
		}
		r, other := run(t, text("each incident "+around)), run(t, text(same))
		var out bytes.Buffer
		if err := r.Write(&out); err != nil {
			t.Fatal(err)
		}
		if e := r.Find("lost(gone)", "incident gone"); e != nil && e.Value != nil {
			t.Errorf("%s: lost %+v, want none", around, e)
		}
		for _, metric := range []string{"mean(request)", "errors", "answered"} {
			if got, want := r.Find(metric, "incident gone"), other.Find(metric, same); got == nil || want == nil || *got.Value != *want.Value || got.N != want.N {
				t.Errorf("%s: %s is %+v, want %+v", around, metric, got, want)
			}
		}
	}
}
