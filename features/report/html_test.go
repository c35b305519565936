package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/show/timeline"
	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/runners/show/webpage/webpagetest"
	"github.com/monosim/monosim/runners/test/simrun"
)

const pageFeature = `Feature: Outages
  @Q152
  Scenario Outline: Service info stays through <how> & "all" </script>
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    And model ctr is declared and published to layout main
    When the cluster starts
    Then within 95s every agent lists ctr:entry on every pod
    When ZooKeeper is down for <how>
    Then for 60s every pod has service info

    Examples:
      | how |
      | 3s  |
      | 50s |
`

// ran runs one scenario that fails and one that passes, each with two seeds.
func ran(t *testing.T) *steps.Report {
	t.Helper()
	suite := &steps.Suite{
		Runner: &simrun.Runner{KeepLog: 1}, FS: fstest.MapFS{"x.feature": {Data: []byte(pageFeature)}}, Paths: []string{"x.feature"}, Seed: 1, Seeds: 2,
	}
	r, err := suite.Run()
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed == 0 || r.Passed == 0 {
		t.Fatalf("found %d failures and %d that passed, want some of both", r.Failed, r.Passed)
	}
	return r
}

// Goal: the page contains the results of the run. Method: read the results back from the page's
// data, and compare them with the run's own.
func TestAPageHasTheRunsResults(t *testing.T) {
	r := ran(t)
	page := pageOf(t, r)
	lines, err := webpage.Data(page)
	if err != nil {
		t.Fatal(err)
	}
	scenarios := map[int]report.HTMLScenario{}
	var got []steps.Result
	var charts []*timeline.Chart
	var totals report.HTMLTotals
	var rounds []report.HTMLRound
	for _, line := range lines {
		var kind struct{ Kind string }
		read(t, line, &kind)
		switch kind.Kind {
		case "scenario":
			var sc report.HTMLScenario
			read(t, line, &sc)
			scenarios[sc.ID] = sc
		case "run":
			var run report.HTMLRun
			read(t, line, &run)
			got = append(got, resultOf(t, scenarios[run.Scenario], run))
		case "chart":
			var chart report.HTMLChart
			read(t, line, &chart)
			if r.Results[chart.Run-1].Status != steps.Failed {
				t.Errorf("chart of run %d: found one of a run that passed", chart.Run)
			}
			charts = append(charts, chart.Chart)
		case "round":
			var round report.HTMLRound
			read(t, line, &round)
			rounds = append(rounds, round)
		case "totals":
			read(t, line, &totals)
		}
	}
	want := slices.Clone(r.Results)
	var wantCharts []*timeline.Chart
	for i := range want {
		if want[i].Log != nil {
			wantCharts = append(wantCharts, timeline.NewChart(want[i].Log, want[i].Stats.Virtual, want[i].Instants...))
		}
		want[i] = known(want[i])
	}
	if diff := cmp.Diff(comparable(want), comparable(got)); diff != "" {
		t.Errorf("results (-run +page):\n%s", diff)
	}
	if diff := cmp.Diff(wantCharts, charts); diff != "" {
		t.Errorf("charts (-run +page):\n%s", diff)
	}
	var wantRounds []report.HTMLRound
	for i, result := range r.Results {
		if i%len(scenarios) == 0 {
			wantRounds = append(wantRounds, report.HTMLRound{Kind: "round", Seed: result.Seed})
		}
		round := &wantRounds[len(wantRounds)-1]
		round.Ran++
		if result.Status == steps.Failed {
			round.Failed = append(round.Failed, round.Ran)
		}
	}
	if diff := cmp.Diff(wantRounds, rounds); diff != "" {
		t.Errorf("rounds (-run +page):\n%s", diff)
	}
	wantTotals := report.HTMLTotals{
		Kind: "totals", Runs: len(r.Results), Passed: r.Passed, Failed: r.Failed, Skipped: r.Skipped, Steps: r.Steps,
		VirtualNs: int64(r.Virtual), Trace: fmt.Sprintf("%016x", r.TraceHash()),
	}
	if diff := cmp.Diff(wantTotals, totals); diff != "" {
		t.Errorf("totals (-run +page):\n%s", diff)
	}
	for _, sc := range scenarios {
		if len(sc.About) != 1 || !strings.HasPrefix(sc.About[0], "Q152 ") {
			t.Errorf("scenario tagged @Q152: found %q, want the line of the quirk", sc.About)
		}
	}
	if again := pageOf(t, ran(t)); again != page {
		t.Error("two pages of equal runs differ")
	}
}

// known returns the part of a result that a page contains.
func known(r steps.Result) steps.Result {
	stats := steps.Result{}.Stats
	stats.Virtual, stats.Events, stats.TraceHash = r.Stats.Virtual, r.Stats.Events, r.Stats.TraceHash
	return steps.Result{
		Feature: r.Feature, Name: r.Name, Path: r.Path, Line: r.Line, Tags: r.Tags, Seed: r.Seed, Replay: r.Replay,
		Steps: r.Steps, Status: r.Status, Err: r.Err, Stats: stats, Explanation: r.Explanation,
	}
}

// resultOf makes a result from the page's data. The page has the error of a run at its failed step.
func resultOf(t *testing.T, sc report.HTMLScenario, run report.HTMLRun) steps.Result {
	r := steps.Result{
		Feature: sc.Feature, Name: sc.Name, Path: sc.Path, Line: sc.Line, Tags: sc.Tags, Seed: run.Seed, Replay: run.Replay,
		Status: status(t, run.Status), Explanation: run.Explanation,
	}
	r.Stats.Virtual, r.Stats.Events = time.Duration(run.VirtualNs), run.Events
	if _, err := fmt.Sscanf(run.Trace, "%x", &r.Stats.TraceHash); err != nil {
		t.Fatal(err)
	}
	for i, s := range sc.Steps {
		st := steps.Step{Keyword: s.Keyword, Text: s.Text, Line: s.Line, Took: time.Duration(run.TookNs[i])}
		if run.Steps != nil {
			st.Status = status(t, run.Steps[i])
		}
		if st.Status == steps.Failed {
			st.Err = errors.New(run.Error)
		}
		r.Steps = append(r.Steps, st)
	}
	return r
}

func status(t *testing.T, text string) steps.Status {
	for _, s := range []steps.Status{steps.Passed, steps.Failed, steps.Skipped} {
		if s.String() == text {
			return s
		}
	}
	t.Fatalf("status: found %q", text)
	return 0
}

// comparable returns results as texts, with errors as their messages.
func comparable(list []steps.Result) []string {
	var texts []string
	for _, r := range list {
		r.Steps = slices.Clone(r.Steps)
		for i := range r.Steps {
			r.Steps[i].KeywordAsWritten = "" // the page does not show the keyword
		}
		texts = append(texts, fmt.Sprintf("%+v\n%v", r.Steps, r.Failure()))
		r.Steps, r.Err = nil, nil
		texts = append(texts, fmt.Sprintf("%+v", r))
	}
	return texts
}

func read(t *testing.T, line json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(line, v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

func pageOf(t *testing.T, r *steps.Report) string {
	t.Helper()
	var b bytes.Buffer
	form := report.NewHTML(&b)
	if err := form.Begin(r.Plan); err != nil {
		t.Fatal(err)
	}
	for i := range r.Results {
		if err := form.Add(&r.Results[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.End(&r.Summary); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Goal: a page is a single file that loads nothing else.
func TestAPageAsksForNothing(t *testing.T) { webpagetest.AsksForNothing(t, pageOf(t, ran(t))) }

// Goal: the page's script draws what the data contain. Method: open the page in a headless browser,
// and count the elements that the script has made.
func TestABrowserDrawsThePage(t *testing.T) {
	r := ran(t)
	count := webpagetest.Classes(t, pageOf(t, r), 1400)
	if count["strip"] != 2 || count["strip-cells"] != 2 {
		t.Errorf("found %d strips with %d rows of cells, want 2 of each, one a scenario", count["strip"], count["strip-cells"])
	}
	if count["run"] != len(r.Results) || count["steps"] != 1 {
		t.Errorf("found %d runs and %d open ones, want %d and 1, the first failure", count["run"], count["steps"], len(r.Results))
	}
	for _, class := range []string{"chart", "g-faults", "g-sessions", "g-models", "s-AVAILABLE", "g-registrations", "g-processes", "g-steps", "chart-tree", "chart-events"} {
		if count[class] == 0 {
			t.Errorf("found nothing of class %s", class)
		}
	}
}

// Goal: a page of very many runs opens within two seconds: 1,000 scenarios with 5,000 seeds, some
// of which fail often. Method: write it from made-up results, and let a browser report when its
// script has finished, counted from the start of loading.
func TestAPageOfFiveMillionRunsOpensInTwoSeconds(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes five million results")
	}
	const scenarios, seeds = 1000, 5000
	var b bytes.Buffer
	form := report.NewHTML(&b)
	summary := steps.Summary{Plan: steps.Plan{Scenarios: scenarios, Seeds: seeds, Runs: scenarios * seeds}, Runs: scenarios * seeds}
	if err := form.Begin(summary.Plan); err != nil {
		t.Fatal(err)
	}
	list := make([]steps.Step, 8)
	for i := range list {
		list[i] = steps.Step{Keyword: "Then", Text: fmt.Sprintf("within 30s ctr:ps_%d is bound to every pod, as it was before", i), Line: i + 3, Took: time.Second}
	}
	results := make([]steps.Result, scenarios)
	for i := range results {
		path := fmt.Sprintf("features/f%d.feature", i/50)
		results[i] = steps.Result{Feature: "Many", Name: fmt.Sprintf("Scenario %d", i), Path: path, Line: 1 + i%50*10, Steps: list,
			Replay: fmt.Sprintf("monosim test %s:%d --seed 1", path, 1+i%50*10)}
	}
	failure := errors.New("t+30s: bindings of ctr:ps_1, want [shard0-replica0 shard0-replica1], got []")
	for seed := range seeds {
		for i := range scenarios {
			r := results[i]
			r.Seed = uint64(seed + 1)
			if i%10 == 3 && seed%10 == i/10%10 || i == 500 {
				r.Status, r.Err = steps.Failed, failure
				summary.Failed++
			}
			if err := form.Add(&r); err != nil {
				t.Fatal(err)
			}
		}
	}
	summary.Passed = summary.Runs - summary.Failed
	if err := form.End(&summary); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if most := 12 << 20; len(page) > most {
		t.Errorf("found a page of %d bytes, want %d at most", len(page), most)
	}
	took, count := webpagetest.Opened(t, page, 1400)
	t.Logf("%d kB open in %v", len(page)>>10, took)
	if count["strip"] == 0 || count["run"] == 0 {
		t.Errorf("found %d strips and %d runs, want some of both", count["strip"], count["run"])
	}
	if took > 2*time.Second {
		t.Errorf("the page opened in %v, want 2s at most", took)
	}
}
