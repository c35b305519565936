package compare_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/compare"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/deeds"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/vectors/scope"
)

// shifted is the simulation under another name and with other seeds.
type shifted struct{ simrun.Runner }

func (*shifted) Name() string { return "shifted" }

func (s *shifted) Build(spec runners.Spec) (runners.Cluster, error) {
	spec.Seed += 1_000_000
	return s.Runner.Build(spec)
}

// run compares another runner with the simulation on the scenarios in paths.
func run(t *testing.T, other runners.Runner, paths ...string) (*compare.Matrix, *steps.Report) {
	t.Helper()
	c := compare.Comparison{
		Suite:   steps.Suite{FS: features.FS, Paths: paths, Seed: 1, Explain: -1, Jobs: 2},
		Runners: []runners.Runner{&simrun.Runner{}, other}, Logs: true, Most: 40,
	}
	report := &steps.Report{}
	m, _, err := c.Run(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	return m, report
}

// Goal: randomness alone makes no difference. A run with a distant seed does what runs with some of
// the first seeds do. Method: all scenarios about crashes, discovery and sessions.
func TestTwoSeedsDoTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	m, report := run(t, &shifted{}, "crashes.feature", "discovery.feature", "sessions.feature")
	for _, r := range report.Results {
		if r.Status == steps.Failed {
			t.Errorf("%s:%d: %s: %v", r.Path, r.Line, r.Name, r.Failure())
		}
	}
	for _, row := range m.Scenarios {
		if got := row.Cells[1].Log; got != compare.Same {
			t.Errorf("%s: want the same as some seed does, got %q", row.Name, got)
		}
	}
	if len(m.Scenarios) < 25 {
		t.Errorf("want 25 scenarios at least, got %d", len(m.Scenarios))
	}
}

// other is the simulation, but its agents start model servers with another flag.
type other struct{ simrun.Runner }

func (*other) Name() string { return "other" }

func (o *other) Build(spec runners.Spec) (runners.Cluster, error) {
	spec.Conf = strings.Replace(spec.Conf, "enable_profiler true", "enable_profiler false", 1)
	return o.Runner.Build(spec)
}

// Goal: the comparison finds agents that behave differently, even if their scenarios pass.
func TestAgentsThatDoOtherwiseAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	m, report := run(t, &other{}, "dense.feature", "lifecycle.feature")
	for _, row := range m.Scenarios {
		cell := row.Cells[1]
		if dense := row.Path == "dense.feature"; dense != (cell.Log == compare.Differs) || cell.Verdict != "passed" {
			t.Errorf("%s: want the three of version 1 to pass and to differ, got %+v", row.Name, cell)
		}
	}
	failed := 0
	for _, r := range report.Results {
		if r.Status != steps.Failed {
			continue
		}
		failed++
		text := r.Failure().Error()
		for _, says := range []string{"other did what sim does with none of 40 seeds", "deed 1 is another", "--enable_profiler=false", "\n  sim:\n", "\n  other:\n"} {
			if !strings.Contains(text, says) {
				t.Errorf("%s: found no %q in\n%s", r.Name, says, text)
			}
		}
		if !strings.HasSuffix(r.Name, " on other") || !strings.HasSuffix(r.Replay, " --runner other") {
			t.Errorf("want the runner behind the name and in the command, got %q and %q", r.Name, r.Replay)
		}
	}
	if failed != 3 {
		t.Errorf("want 3 failures, got %d", failed)
	}
	var b strings.Builder
	if err := m.Print(&b); err != nil {
		t.Fatal(err)
	}
	last := "all                 4 passed   4 passed, 1 same, 3 differs\n"
	if !strings.HasSuffix(b.String(), last) {
		t.Errorf("want the last line %q, got\n%s", last, b.String())
	}
}

// Goal: a quirk explains a difference if its entry in the register matches it. Both the runner and
// the track have to match.
func TestAQuirkExplainsADifference(t *testing.T) {
	for _, test := range []struct{ runner, track, log, verdict string }{
		{"other", "^process .* tensorflow_model_server", compare.Explained, "passed"},
		{"real", "^process .* tensorflow_model_server", compare.Differs, "failed"},
		{"other", "^znode ", compare.Differs, "failed"},
	} {
		c := compare.Comparison{
			Suite:   steps.Suite{FS: features.FS, Paths: []string{"rollout.feature:54"}, Seed: 1},
			Runners: []runners.Runner{&simrun.Runner{}, &other{}}, Logs: true, Most: 4,
			Quirks: []scope.Quirk{{ID: "Q5", Differs: []scope.DiffersOn{{Runner: test.runner, Track: test.track}}}},
		}
		report := &steps.Report{}
		m, _, err := c.Run(context.Background(), report)
		if err != nil {
			t.Fatal(err)
		}
		cell := m.Scenarios[0].Cells[1]
		if cell.Log != test.log || report.Results[1].Status.String() != test.verdict {
			t.Errorf("%+v: got %+v", test, cell)
		}
		if got, want := cell.Differences[0].Quirk, map[bool]string{true: "Q5"}[test.log == compare.Explained]; got != want {
			t.Errorf("%+v: want the quirk %q, got %q", test, want, got)
		}
	}
}

// Goal: a scenario does not run on a runner that its tags exclude. If a runner cannot do a scenario
// and no tag says so, the scenario fails.
func TestScenariosThatDoNotRunEverywhere(t *testing.T) {
	const text = `Feature: f
  # not-unable: it has no pods
  @not-unable
  Scenario: Left out
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info

  Scenario: Forgotten
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
`
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(text)}}, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &unable{}},
	}
	m, summary, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	want := []compare.Cell{
		{Verdict: compare.NotRun, Why: "it has no pods"},
		{Verdict: "failed", Why: "unable cannot do this, and no tag @not-unable says so"},
	}
	for i, row := range m.Scenarios {
		if diff := cmp.Diff([]compare.Cell{{Verdict: "passed"}, want[i]}, row.Cells); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Name, diff)
		}
	}
	if summary.Runs != 3 || summary.Plan.Runs != 3 || summary.Passed != 2 || summary.Failed != 1 {
		t.Errorf("want 3 runs of which 1 failed, got %+v", summary)
	}
}

// unable is a runner that fails to start anything.
type unable struct{ simrun.Runner }

func (*unable) Name() string { return "unable" }

func (u *unable) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := u.Runner.Build(spec)
	return unstarted{c}, err
}

type unstarted struct{ runners.Cluster }

func (unstarted) Start() error { return runners.ErrUnsupported }

// Goal: a run that fails on a fast clock is tried again on a slower clock. Once it passes, it is
// not tried again.
func TestAFailureIsTriedAgainMoreSlowly(t *testing.T) {
	const text = `Feature: f
  Scenario: A pod has a service info
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
`
	var asked []int
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(text)}}, Paths: []string{"."}, Seed: 1, Flags: "--fast"},
		Runners: []runners.Runner{&simrun.Runner{}, &unable{}},
		Slower: func(name string, times int) (runners.Runner, string) {
			asked = append(asked, times)
			if times < 2 {
				return &unable{}, "--slow"
			}
			return &shifted{}, "--slower"
		},
	}
	report := &steps.Report{}
	m, summary, err := c.Run(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2}, asked); diff != "" {
		t.Errorf("slower runners that were asked for (-want +got):\n%s", diff)
	}
	if cell := m.Scenarios[0].Cells[1]; cell.Verdict != "passed" || summary.Runs != 2 || summary.Failed != 0 {
		t.Errorf("want the last of three runs to count, got %+v of %+v", cell, summary)
	}
	if replay := report.Results[1].Replay; !strings.HasSuffix(replay, " --runner shifted --slower") {
		t.Errorf("want the command of the last run, got %q", replay)
	}
}

// choosy is a runner whose chosen backend cannot be started.
type choosy struct{ unable }

func (c *choosy) Build(spec runners.Spec) (runners.Cluster, error) {
	built, err := c.Runner.Build(spec)
	return withoutBackend{built}, err
}

type withoutBackend struct{ runners.Cluster }

func (withoutBackend) Start() error {
	return fmt.Errorf("start: %w", &runners.BackendError{Reason: "the backend stays down"})
}

// breaking is a runner that interrupts the comparison when it builds a cluster. It then blocks
// until the test ends.
type breaking struct {
	simrun.Runner
	off   context.CancelFunc
	until chan struct{}
}

func (*breaking) Name() string { return "breaking" }

func (b *breaking) Build(runners.Spec) (runners.Cluster, error) {
	b.off()
	<-b.until
	return nil, errors.New("the comparison is over")
}

const onePod = `Feature: f
  Scenario: A pod has a service info
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
`

// Goal: a scenario that the chosen backends cannot do is reported as not run, with the reason, and
// not as failed. Another choice of backends would run it.
func TestWhatABackendCannotDo(t *testing.T) {
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(onePod)}}, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &choosy{}}, Logs: true,
	}
	m, summary, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	want := compare.Cell{Verdict: compare.NotRun, Why: "the backend stays down", Backend: true}
	if diff := cmp.Diff(want, m.Scenarios[0].Cells[1]); diff != "" || summary.Failed != 0 || summary.Skipped != 1 {
		t.Errorf("got %+v of %+v (-want +got):\n%s", m.Scenarios[0].Cells[1], summary, diff)
	}
	var b strings.Builder
	if err := m.Print(&b); err != nil || !strings.Contains(b.String(), "1 not run on unable: the backend stays down\n") {
		t.Errorf("want the reason in what is printed, got %v\n%s", err, b.String())
	}
}

// Goal: when a comparison is interrupted, the finished results are kept, also those of the scenario
// in progress.
func TestWhatIsFinishedStays(t *testing.T) {
	ctx, off := context.WithCancel(context.Background())
	defer off()
	until := make(chan struct{})
	defer close(until)
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(onePod)}}, Paths: []string{"."}, Seed: 1},
		Runners: []runners.Runner{&simrun.Runner{}, &shifted{}, &breaking{off: off, until: until}}, Logs: true,
	}
	report := &steps.Report{}
	m, summary, err := c.Run(ctx, report)
	if err != nil {
		t.Fatal(err)
	}
	if !summary.Interrupted || summary.Passed != 2 || len(report.Results) != 2 || len(m.Scenarios) != 1 {
		t.Fatalf("want two runs that have passed, got %+v", summary)
	}
	cells := m.Scenarios[0].Cells
	if cells[1].Log == "" || cells[2].Verdict != compare.Unfinished {
		t.Errorf("want the second compared and the third unfinished, got %+v", cells)
	}
	row := m.Scenarios[0]
	row.Cells = []compare.Cell{{Verdict: "passed"}, {Verdict: "passed", Log: compare.Same}, {Verdict: "passed", Log: compare.Explained}}
	older := &compare.Matrix{Runners: m.Runners, Scenarios: []compare.Row{row}}
	made := m.Over(older, func(string, string) (int, bool) { return 0, true })
	if got := made.Scenarios[0].Cells[2].Log; got != compare.Explained {
		t.Errorf("a record: want the older result of what is unfinished to stay, got %q", got)
	}
}

// noting is a runner that records the number of replicas of each cluster, in the order of their
// start.
type noting struct {
	shifted
	replicas []int
}

func (n *noting) Build(spec runners.Spec) (runners.Cluster, error) {
	n.replicas = append(n.replicas, spec.Replicas)
	return n.shifted.Build(spec)
}

// Goal: long scenarios begin before the others, but are reported in their usual place.
func TestLongScenariosBeginFirst(t *testing.T) {
	text, takes := "Feature: f\n", map[string]time.Duration{}
	for i, minutes := range []time.Duration{1, 30, 2, 40, 1, 2} {
		name := fmt.Sprintf("Replicas %d", i+1)
		takes[name] = minutes * time.Minute
		text += fmt.Sprintf("  Scenario: %s\n    Given a v3 cluster of 1 shard with %d replicas\n    When the cluster starts\n    Then within 5s shard0-replica0 has service info\n", name, i+1)
	}
	noted := &noting{}
	c := compare.Comparison{
		Suite:   steps.Suite{FS: fstest.MapFS{"f.feature": {Data: []byte(text)}}, Paths: []string{"."}, Seed: 1, Jobs: 1},
		Runners: []runners.Runner{&simrun.Runner{}, noted},
		Takes:   func(sc steps.Listed) time.Duration { return takes[sc.Name] },
	}
	m, _, err := c.Run(context.Background(), &steps.Report{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range m.Scenarios {
		told = append(told, strings.TrimPrefix(row.Name, "Replicas "))
	}
	if diff := cmp.Diff([]int{4, 2, 1, 3, 5, 6}, noted.replicas); diff != "" {
		t.Errorf("the order in which scenarios began (-want +got):\n%s", diff)
	}
	if got := strings.Join(told, " "); got != "1 2 3 4 5 6" {
		t.Errorf("want the results in the order of the file, got %s", got)
	}
}

// hurried is a runner whose agents behave differently, on a machine that was late: they write their
// service info sooner, or with flagged start model servers with another flag.
type hurried struct {
	other
	busy, flagged bool
}

func (h *hurried) Build(spec runners.Spec) (runners.Cluster, error) {
	if h.flagged {
		c, err := h.other.Build(spec)
		return late{c, h.busy}, err
	}
	c, err := h.Runner.Build(spec)
	return late{&told{Cluster: c, change: sooner}, h.busy}, err
}

// told is a cluster of which another story is told: change returns an observation as it is told, with
// false for one that is left out. With hangs, its agents run for ever. With stale, they forget no pod
// that they have listed.
type told struct {
	runners.Cluster
	change       func(o runners.Observation) (runners.Observation, bool)
	hangs, stale bool
	listed       []runners.Addresses
}

func (c *told) HeartBeat(pod, kind string) ([]runners.Addresses, error) {
	list, err := c.Cluster.HeartBeat(pod, kind)
	if len(list) > 0 && (c.listed == nil || len(list[0].Addrs) > len(c.listed[0].Addrs)) {
		c.listed = list
	}
	if c.stale && err == nil {
		list = c.listed
	}
	return list, err
}

func asItWas(o runners.Observation) (runners.Observation, bool) { return o, true }

func (c *told) Log() []runners.Observation { return lists.Select(c.Cluster.Log(), c.change) }

func (c *told) PodState(pod string) (runners.PodState, error) {
	s, err := c.Cluster.PodState(pod)
	s.Running = s.Running || c.hangs
	return s, err
}

// sooner has agents write their service info four fifths of the reference's period after the last time.
func sooner(o runners.Observation) (runners.Observation, bool) {
	if o.Op == "zookeeper.setData" && strings.Contains(o.Path, "/container_service/") {
		o.At = o.At * 4 / 5
	}
	return o, true
}

// early has agents bind models half a minute too early, and others read that.
func early(o runners.Observation) (runners.Observation, bool) {
	if o.At > 80*time.Second && (o.Op == "zookeeper.create" && strings.Contains(o.Path, "/binding/ctr/") || o.Op == "zookeeper.getData") {
		o.At -= 30 * time.Second
	}
	return o, true
}

// endless leaves out the end of agents.
func endless(o runners.Observation) (runners.Observation, bool) {
	return o, o.Op != "process.exit"
}

// teller is the simulation, of which another story is told.
type teller struct {
	simrun.Runner
	told told
}

func (*teller) Name() string { return "agent" }

func (r *teller) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.Runner.Build(spec)
	return &told{Cluster: c, change: r.told.change, hangs: r.told.hangs, stale: r.told.stale}, err
}

// Goal: the first difference is the cause, not what follows from it, and names a period as such. Method:
// change what is told of a simulation in one respect.
func TestTheFirstDifferenceIsTheCause(t *testing.T) {
	for _, c := range []struct {
		name, path   string
		told         told
		verdict      string
		cause, first string
		slack        time.Duration
	}{
		{"a period that the slack of a fast clock hides", "publishing.feature:20", told{change: sooner}, compare.Differs, "service info: at another period", "comes every 47.", 15 * time.Second},
		{"a binding too early, and reads after it", "publishing.feature:9", told{change: early}, compare.Differs, "a binding: at another time", "creates it, ephemeral at t+", 5 * time.Second},
		{"an agent that hangs, of which nothing more is told", "startup.feature:54", told{change: endless, hangs: true}, compare.Fails, "the agent's process: missing", "nothing, want ends code 1", 5 * time.Second},
		{"an agent that lists a pod that is gone, and what the scenario does after that", "crashes.feature:34", told{change: asItWas, stale: true}, compare.Fails, "HeartBeat: missing", "want [shard0-replica0], got [shard0-replica0 shard0-replica1]", 5 * time.Second},
	} {
		comparison := compare.Comparison{
			Suite:   steps.Suite{FS: features.FS, Paths: []string{c.path}, Seed: 1},
			Runners: []runners.Runner{&simrun.Runner{}, &teller{told: c.told}}, Logs: true, Most: 10,
			Slack: deeds.Slack{Least: c.slack, Part: 0.05},
		}
		m, _, err := comparison.Run(context.Background(), &steps.Report{})
		if err != nil {
			t.Fatal(err)
		}
		row := m.Port("agent", "./mine").Scenarios[0]
		if row.Verdict != c.verdict || row.Cause != c.cause || !strings.Contains(row.First, c.first) {
			t.Errorf("%s: want %s, %s, %s, got %+v", c.name, c.verdict, c.cause, c.first, row)
		}
	}
}

type late struct {
	runners.Cluster
	busy bool
}

func (l late) Late() (time.Duration, bool) { return time.Second, l.busy }

// Goal: a difference on a machine that is too busy is not a failure. Before that verdict the
// scenario is tried again on a slower clock.
func TestADifferenceOnABusyMachine(t *testing.T) {
	for _, c := range []struct {
		path          string
		first, slower runners.Runner
		verdict       string
		failed        int
	}{
		{"publishing.feature:20", &hurried{busy: true}, nil, compare.Busy, 0},
		{"publishing.feature:20", &hurried{busy: true}, &hurried{busy: true}, compare.Busy, 0},
		{"publishing.feature:20", &hurried{busy: true}, &hurried{busy: false}, "passed", 1},
		{"rollout.feature:54", &hurried{busy: true, flagged: true}, nil, "passed", 1}, // no delay gives a model server another flag
	} {
		comparison := compare.Comparison{
			Suite:   steps.Suite{FS: features.FS, Paths: []string{c.path}, Seed: 1},
			Runners: []runners.Runner{&simrun.Runner{}, c.first}, Logs: true, Most: 3,
			Slower: func(_ string, times int) (runners.Runner, string) {
				if times > 1 {
					return nil, ""
				}
				return c.slower, "--slower"
			},
		}
		m, summary, err := comparison.Run(context.Background(), &steps.Report{})
		if err != nil {
			t.Fatal(err)
		}
		cell := m.Scenarios[0].Cells[1]
		if cell.Verdict != c.verdict || summary.Failed != c.failed || summary.Busy != 1-c.failed {
			t.Errorf("slower %+v: got %+v of %+v, want %s", c.slower, cell, summary, c.verdict)
		}
		if c.failed == 0 && (!strings.Contains(cell.Why, "late by 1s") || cell.First == nil) {
			t.Errorf("why: got %q, %v, want by how much it was late, and what differs", cell.Why, cell.First)
		}
	}
}
