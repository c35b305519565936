package judge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/judge"
	"github.com/monosim/monosim/runners/whatif/model"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/result"
)

const limited = small + "slo: [p99(request) <= 1s, errors <= 50%, zk.utilisation <= 50%]\n"

// kept is a cache that keeps up to a given number of samples.
type kept struct {
	samples map[string]*model.Sample
	most    int
}

func (k *kept) Get(key string) (*model.Sample, bool) {
	s, ok := k.samples[key]
	return s, ok
}

func (k *kept) Put(key string, s *model.Sample) error {
	if len(k.samples) < k.most {
		k.samples[key] = s
	}
	return nil
}

// Goal: if budget.wall ends before min_replications are complete, the complete ones still
// count. No objective on an estimate passes and no quantile is given, but objectives on
// computed values are judged as usual (CAP-5.1, CAP-5.6). Method: a deadline in the past,
// with no replications or three in a cache.
func TestTheWallClockEndsTheFirstRound(t *testing.T) {
	for _, whole := range []int{0, 3} {
		p := parse(t, limited)
		cache := &kept{map[string]*model.Sample{}, whole}
		if whole > 0 {
			if _, err := (&judge.Judge{Cache: cache, Workers: 1}).Evaluate(t.Context(), p, judge.Normal, judge.Goal{Replications: whole}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := (&judge.Judge{Cache: cache, Deadline: time.Unix(1, 0)}).Run(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != "budget wall" || !r.Marked || r.Exit != result.ExitUndecided || len(r.Records) != whole {
			t.Errorf("%d whole: stopped by %q, marked %v, exit %d, %d records", whole, r.Stopped, r.Marked, r.Exit, len(r.Records))
		}
		for _, v := range r.Verdicts {
			switch {
			case v.Metric == "zk.utilisation" && v.Outcome != result.Pass:
				t.Errorf("%d whole: %+v, want what is computed judged", whole, v)
			case v.Metric != "zk.utilisation" && (v.Outcome != result.Undecided || !strings.Contains(v.Text, "of at least 20 replications")):
				t.Errorf("%d whole: %+v, want it undecided", whole, v)
			}
		}
		mean, p99 := r.Find("mean(request)", "at 5s 500ms"), r.Find("p99(request)", "at 5s 500ms")
		switch {
		case whole == 0:
			if mean != nil || p99 != nil || r.Saturation.State != "UNKNOWN" {
				t.Errorf("mean %+v, p99 %+v, state %s of nothing", mean, p99, r.Saturation.State)
			}
		case mean == nil || mean.Value == nil || p99 == nil || p99.Value != nil || !strings.HasPrefix(p99.Text, "not enough data"):
			t.Errorf("mean %+v, want it with its interval; p99 %+v, want it refused", mean, p99)
		}
	}
}

// Goal: a run without objectives and without any results is undecided, and no success.
// Method: a deadline in the past.
func TestARunOfNothingIsUndecided(t *testing.T) {
	r, err := (&judge.Judge{Deadline: time.Unix(1, 0)}).Run(t.Context(), parse(t, small), nil)
	if err != nil || r.Exit != result.ExitUndecided {
		t.Errorf("got %+v, %v, want exit code %d", r, err, result.ExitUndecided)
	}
}

// Goal: a run takes no more requests than budget.requests, although rounds double in size.
// Method: a plan whose precision cannot be reached, with a budget for thirty replications
// and a first round of twenty.
func TestTheBudgetOfRequestsIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates for a minute under the race detector")
	}
	e, err := (&judge.Judge{}).Evaluate(t.Context(), parse(t, small), judge.Normal, judge.Goal{Replications: 20})
	if err != nil {
		t.Fatal(err)
	}
	each := e.Windows[0].Sum.Requests / 20
	p := parse(t, strings.Replace(small, "max_replications: 20", "max_replications: 400", 1))
	p.Precision.Mean = 0.001
	p.Budget.Requests = plan.Count(30 * each)
	e, err = (&judge.Judge{}).Evaluate(t.Context(), p, judge.Normal, judge.Goal{Precise: true})
	if err != nil {
		t.Fatal(err)
	}
	if e.Runs < 29 || e.Runs > 32 || e.Stopped != "budget requests" {
		t.Errorf("%d replications, stopped by %s, want 30 or so by budget requests", e.Runs, e.Stopped)
	}
}

// Goal: what is simulated once counts once, in budgets and in the checks of TRUST: windows of events at one instant
// are the same seconds. Method: the same plan with one event and with two.
func TestEqualWindowsCountOnce(t *testing.T) {
	var taken, simulated [2]int64
	for k, more := range []string{"", ", {at: 5s, name: b, traffic: {factor: 1x}, for: 1s}"} {
		p := parse(t, strings.Replace(small, `windows: ["at 5s 500ms"]`, "windows: [each incident -500ms..+500ms]", 1)+"events: [{at: 5s, name: a, traffic: {factor: 1x}, for: 1s}"+more+"]\n")
		j := &judge.Judge{}
		r, err := j.Run(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Windows) != k+1 {
			t.Fatalf("%d windows, want %d", len(r.Windows), k+1)
		}
		taken[k], simulated[k] = j.Taken(), r.Checks.Simulated
	}
	if taken[0] != taken[1] || simulated[0] != simulated[1] || taken[0] == 0 {
		t.Errorf("with one event %d requests are taken and %d simulated, with two at one instant %d and %d", taken[0], simulated[0], taken[1], simulated[1])
	}
}
