package report_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/whatif/control"
	"github.com/monosim/monosim/runners/whatif/ensemble"
	"github.com/monosim/monosim/runners/whatif/plan"
	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

// sketch returns a result and the plan of testdata/sketch.yaml. The result has the load that
// the plan's fleet puts on ZooKeeper.
func sketch(t *testing.T) (*result.Result, *plan.Plan) {
	t.Helper()
	_, p, problems, err := plan.Read("../plan/testdata/sketch.yaml")
	if p == nil {
		t.Fatal(problems, err)
	}
	r := &result.Result{Format: result.Format, Command: "run", Plan: p.Name, ScenarioHash: p.Hash(), Seed: p.Seed, Version: "1", Currency: "$"}
	for _, name := range plan.TierNames {
		tier := p.Fleet.Tier(name)
		r.Tiers = append(r.Tiers, result.Tier{
			Name: name, Containers: 10, CPU: tier.CPU, MemLimit: int64(tier.Mem), MemSteady: int64(p.Memory(name, 1)), MemPeak: int64(p.Memory(name, p.Versions(name))), Cost: 10 * float64(tier.Cost),
		})
	}
	r.ZooKeeper = ensemble.Of(p).Curve(&p.ZooKeeper)
	lab := control.LabOf(p, 6)
	lab.Incidents = []string{"kill 1", "session storm"}
	m, err := lab.Measure(context.Background(), &p.ZooKeeper)
	if err != nil {
		t.Fatal(err)
	}
	r.ZooKeeper.Measured = append(r.ZooKeeper.Measured, *m)
	return r, p
}

func pageOf(t *testing.T, r *result.Result, p *plan.Plan) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r, p.Canonical(), "monosim whatif run sketch.yaml"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Goal: the text report contains the numbers of the result. Method: look for the numbers
// under the names of their blocks.
func TestTheTextHasABlockForEachQuestion(t *testing.T) {
	r, _ := sketch(t)
	var b bytes.Buffer
	if err := report.Text(&b, r, "monosim whatif run sketch.yaml --seed 42"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"\nMEMORY       entry peak ", "\nFAILURES     agents v", "\nROLLOUT      ", "\nZOOKEEPER    ", "is reached first, at ", "\nCOST         ",
		"\nREPRODUCE    monosim whatif run sketch.yaml --seed 42\n", "result sha256 " + r.SHA256(), "\nTRUST        control plane: real agents",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("found no %q in\n%s", want, text)
		}
	}
	for _, empty := range []string{"\nANSWER", "\nSENSITIVITY"} {
		if strings.Contains(text, empty) {
			t.Errorf("found %q, of which the result has nothing", strings.TrimSpace(empty))
		}
	}
}

// Goal: equal results give pages with equal bytes, and a page loads nothing from elsewhere.
func TestThePageFollowsFromTheResult(t *testing.T) {
	r, p := sketch(t)
	page := pageOf(t, r, p)
	again, _ := sketch(t)
	if pageOf(t, again, p) != page {
		t.Error("two pages of equal results differ")
	}
	webpagetest.AsksForNothing(t, page)
	lines, err := webpage.Data(page)
	if err != nil || len(lines) != 4 || !strings.Contains(string(lines[0]), r.ScenarioHash) {
		t.Errorf("data of the page: got %d lines, %v", len(lines), err)
	}
}

func TestABrowserDrawsTheResult(t *testing.T) {
	r, p := sketch(t)
	page := pageOf(t, r, p)
	if name := os.Getenv("PAGE"); name != "" { // writes the page to a file, so that one can look at it
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int{1400, 400} {
		count := webpagetest.Classes(t, page, width)
		if count["plot"] < 6 || count["line"] < 10 || count["tile"] < 4 || count["block"] < 6 || count["limit"] < 4 {
			t.Errorf("width %d: got %v, want the plots of ZooKeeper, tiles and blocks", width, count)
		}
	}
}

// Goal: a report says what each autoscaler did and where it failed to act. Method: a result
// with three recorded autoscalers: one that flaps, one that adds nothing, and an oracle.
func TestTheTextSaysWhatAutoscalersDid(t *testing.T) {
	r := &result.Result{Format: result.Format, Scalers: []result.Scaler{
		{Tier: "entry", Looks: "cpu at 60 %", Begin: 4, Runs: 20, Ups: 3.2, Downs: 2.1, Turns: 4, Steps: []result.ScaleStep{{At: 135e9, To: 7, By: "metrics"}, {At: 150e9, To: 12, By: "metrics"}}},
		{Tier: "ps", Looks: "qps at 50/s", Begin: 10, Runs: 1, Held: &result.ScaleHold{From: 120e9, To: 300e9, Why: "pods that report nothing count as idle", Percent: 100, Report: 5, Of: 10}, HeldIn: 1},
		{Tier: "dense", Looks: "the offered load at 60 %", Oracle: true, Begin: 2, Runs: 1},
	}}
	var b bytes.Buffer
	if err := report.Text(&b, r, "again"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"entry by cpu at 60 %: 4 > 7 (2m15s) > 12 (2m30s) in the first replication; in the mean of 20 it goes up 3.2 times, down 2.1, and turns 4 times: it flaps",
		"ps (shard 0) by qps at 50/s: 10 throughout",
		"from 2m0s to 5m0s it adds nothing, though the 5 of 10 containers that report are above the target, at 100 % of cpu: pods that report nothing count as idle",
		"dense by the offered load at 60 %: an oracle, which no autoscaler is",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Goal: the line of a cell has the p99 of the window in which it is worst, says which, and where more
// fail than a p99 leaves out that it is the p99 of the others. Method: two windows, with and without
// failures in the one whose answers are quick.
func TestACellHasThePercentileOfItsWorstWindow(t *testing.T) {
	at := func(metric, window, unit string, v float64) result.Estimate {
		return result.Estimate{Metric: metric, Unit: unit, Value: &v, CI: &[2]float64{v, v}, Confidence: 0.95, N: 1000, Scope: result.Scope{Window: window}}
	}
	for failing, want := range map[float64]string{ //lint:order each by itself
		0:     "ps.replicas 3: FAIL, p99 14 ms [14 ms, 14 ms] @95 % in roll-out\n",
		0.009: "ps.replicas 3: FAIL, p99 14 ms [14 ms, 14 ms] @95 % in roll-out\n",
		0.06:  "ps.replicas 3: FAIL, errors 6 % [6 %, 6 %] @95 %, p99 of the rest 3 ms [3 ms, 3 ms] @95 % in restart\n",
	} {
		cell := result.Cell{Point: map[string]string{"fleet.ps.replicas": "3"}, Outcome: result.Fail, Estimates: []result.Estimate{
			at("p99(request)", "restart", "ns", 3e6), at("errors", "restart", "fraction", failing), at("p99(request)", "roll-out", "ns", 14e6), at("errors", "roll-out", "fraction", 0)}}
		var b bytes.Buffer
		if err := report.Text(&b, &result.Result{Sweeps: []result.Sweep{{Name: "one", Cells: []result.Cell{cell}}}}, ""); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%g fail: found no %q in\n%s", failing, want, b.String())
		}
	}
}
