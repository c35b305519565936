package steps

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

// suiteOf makes a suite of one file, x.feature. The text's first line is line 1.
func suiteOf(runner runners.Runner, text string) *Suite {
	return &Suite{
		Runner: runner, FS: fstest.MapFS{"x.feature": {Data: []byte(strings.TrimPrefix(text, "\n"))}},
		Paths: []string{"x.feature"}, Seed: 7, Jobs: 1,
	}
}

// run runs a suite, and fails the test if the suite's input is wrong.
func run(t *testing.T, s *Suite) *Report {
	t.Helper()
	report, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// failure runs a suite of one scenario, which must fail, and returns why it failed.
func failure(t *testing.T, s *Suite) string {
	t.Helper()
	report := run(t, s)
	if report.Failed != 1 {
		t.Fatalf("failed scenarios: want 1, got %d of %d", report.Failed, len(report.Results))
	}
	return report.Results[0].Failure().Error()
}

// wantFailure fails the test unless the only scenario of a suite fails with the error want. If want
// is "", the scenario must pass.
func wantFailure(t *testing.T, s *Suite, want string) {
	t.Helper()
	if want == "" {
		if report := run(t, s); report.Passed != 1 {
			t.Error(report.Results[0].Failure())
		}
		return
	}
	if got := failure(t, s); got != want {
		t.Errorf("failure:\n got %s\nwant %s", got, want)
	}
}

func TestActionsReachTheCluster(t *testing.T) {
	r := &fakeRunner{}
	report := run(t, suiteOf(r, `
Feature: f
  Background:
    Given a v3 cluster of 1 shard with 2 replicas
  Scenario: s
    Given model ctr with sub-graphs entry and ps_0 of 30 MB in version 1
    When the cluster starts
    And 1.5s pass
    And ctr:entry is declared
    And ctr:entry is published to layout main
    And version 2 of ctr:ps_0 is exported
    And the clock of shard0-replica0 lags by 2s for 12s
    And shard0-replica0 falls behind
    And version 2 of ctr:ps_0 is copied but for 5 kB
    And idc lf and shard0-replica1 are cut off from ZooKeeper for 3s
    And the model server of shard0-replica1 is killed
    And shard0-replica1 reaches ZooKeeper again
    Then every pod runs
`))
	if report.Passed != 1 {
		t.Fatal(report.Results[0].Failure())
	}
	written := func(f runners.Fault) string { return fmt.Sprintf("%+v", f) }
	cut := runners.Fault{Kind: "network.partition", From: []string{"idc:lf", "shard0-replica1"}, To: []string{"zookeeper"}}
	want := []string{
		"0s start",
		"1.5s declare ctr entry /models/ctr/entry latest",
		"1.5s publish /gip/layouts/main ctr entry",
		"1.5s export /models/ctr/ps_0 2 30000000",
		"1.5s begin " + written(runners.Fault{Kind: "pod.lagging", Pod: "shard0-replica0", Duration: 2 * time.Second}),
		"13.5s end " + written(runners.Fault{Kind: "pod.lagging", Pod: "shard0-replica0", Duration: 2 * time.Second}),
		"13.5s begin " + written(runners.Fault{Kind: "pod.lagging", Pod: "shard0-replica0"}),
		"13.5s begin " + written(runners.Fault{Kind: "version.partial", BasePath: "/models/ctr/ps_0", N: 2, SizeBytes: 5000}),
		"13.5s begin " + written(cut),
		"16.5s end " + written(cut),
		"16.5s begin " + written(runners.Fault{Kind: "server.killed", Pod: "shard0-replica1"}),
		"16.5s end " + written(runners.Fault{Kind: "network.partition", From: []string{"shard0-replica1"}, To: []string{"zookeeper"}}),
	}
	if diff := cmp.Diff(want, r.made[0].did); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
	if !r.made[0].closed {
		t.Error("the cluster was not closed")
	}
}

// Goal: if a sentence names a kind of model server, the fault hits only that kind.
func TestAFaultHitsOneKindOfServer(t *testing.T) {
	r := &fakeRunner{}
	run(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given a v1 cluster of 1 shard with 2 replicas
    When the ps server of shard0-replica0 is killed
    Then every pod runs
`))
	want := []string{fmt.Sprintf("0s begin %+v", runners.Fault{Kind: "server.killed", Pod: "shard0-replica0", Server: "ps"})}
	if diff := cmp.Diff(want, r.made[0].did); diff != "" {
		t.Errorf("what was done (-want +got):\n%s", diff)
	}
}

func TestShapesMakeTheSpec(t *testing.T) {
	r := &fakeRunner{}
	run(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given a v1 cluster of 3 shards with 2 replicas each
    And replicas in "lf:default, hl:blue"
    And the agent setting "num_ps" is "4"
    And the agent setting "layout_filters" is also "ps_{i};i % ${shard_num} == 1"
    And the agents have no setting "dc_aware"
    And the environment variable "MY_HOST_IPV6" is "8"
    And the agents keep the quirks "Q22,Q25"
    And pods that end start again after 30s
    Then every pod runs
`))
	got := r.made[0].spec
	for _, line := range []string{"bzid predict_ctr\n", "num_ps 4\n", "layout_filters ps_{i};i % ${shard_num} == 1\n", "load_retry_interval_micros 60 * 1000 * 1000\n"} {
		if !strings.Contains(got.Conf, line) {
			t.Errorf("agent.conf: found no %q in\n%s", line, got.Conf)
		}
	}
	if strings.Contains(got.Conf, "dc_aware") {
		t.Error("agent.conf: dc_aware is still there")
	}
	got.Conf = ""
	want := runners.Spec{
		Seed: 7, ConfName: "agent.conf", Shards: 3, Replicas: 2, Quirks: "Q22,Q25", RestartAfter: 30 * time.Second,
		Locations: []runners.Location{{IDC: "lf", Cluster: "default"}, {IDC: "hl", Cluster: "blue"}},
		Env:       []runners.EnvVar{{Key: "MY_HOST_IPV6", Value: "8"}},
		Replay:    "monosim test x.feature:2 --seed 7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// waiting makes a suite with one assertion, in a cluster whose pods run from 10 s to 20 s.
func waiting(assertion string) *Suite {
	r := &fakeRunner{prepare: func(c *fakeCluster) {
		c.runs = func(_ string, now time.Duration) bool { return now >= 10*time.Second && now < 20*time.Second }
	}}
	return suiteOf(r, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When 2s pass
    Then `+assertion+`
`)
}

func TestWaiting(t *testing.T) {
	tests := []struct{ name, assertion, failure string }{
		{"now, and it is so", "shard0-replica0 has ended", ""},
		{"now, and it is not so", "every pod runs", "t+2.000s: agent of shard0-replica0, want running, got ended with 0"},
		{"within, in time", "within 8s every pod runs", ""},
		{"within, too late", "within 7.9s every pod runs", "t+9.900s: agent of shard0-replica0, want running, got ended with 0 (waited 7.9s)"},
		{"for, all the time", "for 7.9s shard0-replica0 has ended", ""},
		{"for, not to the end", "for 9s shard0-replica0 has ended", "t+10.000s: agent of shard0-replica0, want ended, got running (held for 8s of 9s)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantFailure(t, waiting(test.assertion), test.failure)
		})
	}
}

func TestAddressesAreComparedAsPods(t *testing.T) {
	r := &fakeRunner{prepare: func(c *fakeCluster) {
		c.heartBeat = func(string, time.Duration) ([]runners.Addresses, error) {
			return []runners.Addresses{{Key: "ctr:entry", Addrs: []string{"10.0.0.1:8500", "10.0.0.0:8501", "10.9.9.9:1"}}}, nil
		}
	}}
	got := failure(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 2 replicas
    And model ctr with sub-graphs entry of 30 MB in version 1
    Then every agent lists ctr:entry on every pod
`))
	want := "t+0.001s: HeartBeat of shard0-replica0: ctr:entry, want [shard0-replica0 shard0-replica1], got [10.9.9.9:1 shard0-replica0 shard0-replica1]"
	if got != want {
		t.Errorf("failure:\n got %s\nwant %s", got, want)
	}
}

func TestUnsupportedActionSkips(t *testing.T) {
	r := &fakeRunner{prepare: func(c *fakeCluster) { c.unsupported = true }}
	report := run(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then every pod has ended
`))
	if report.Skipped != 1 || report.Failed != 0 {
		t.Errorf("want 1 skipped, got %d skipped and %d failed: %v", report.Skipped, report.Failed, report.Results[0].Failure())
	}
}

func TestBrokenClusterFails(t *testing.T) {
	r := &fakeRunner{prepare: func(c *fakeCluster) { c.broken = "panic: index out of range" }}
	got := failure(t, suiteOf(r, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
`))
	if !strings.Contains(got, "panic: index out of range") {
		t.Errorf("failure: found %q, want the panic in it", got)
	}
}

// Goal: a broken invariant fails the step during which it broke, unless the reference breaks it
// too.
func TestBrokenInvariantFails(t *testing.T) {
	const text = `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
`
	of := func(known string) *fakeRunner {
		return &fakeRunner{prepare: func(c *fakeCluster) {
			c.invariants = []runners.Broken{{Invariant: "INV-2", At: time.Minute, Text: "worker1 waits on", Known: known}}
		}}
	}
	if got := failure(t, suiteOf(of(""), text)); !strings.Contains(got, "INV-2 broke by t+60.000s: worker1 waits on") {
		t.Errorf("failure: found %q, want the invariant in it", got)
	}
	if report := run(t, suiteOf(of("Q238"), text)); report.Passed != 1 {
		t.Errorf("got %+v, want what the reference breaks to pass", report)
	}
}

func TestShapeAfterTheClusterIsBuiltFails(t *testing.T) {
	got := failure(t, suiteOf(&fakeRunner{}, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Given the agent setting "num_ps" is "4"
    Then every pod runs
`))
	if !strings.Contains(got, "comes after the cluster was built") {
		t.Errorf("failure: found %q, want that it comes too late", got)
	}
}

func TestSeedsAndOrder(t *testing.T) {
	s := suiteOf(&fakeRunner{}, `
Feature: f
  Scenario: first
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
  @slow
  Scenario Outline: second
    Given a v3 cluster of 1 shard with <n> replicas
    Then every pod runs
    Examples:
      | n |
      | 2 |
      | 3 |
`)
	s.Seeds = 2
	var got []string
	report := run(t, s)
	for _, r := range report.Results {
		got = append(got, fmt.Sprintf("%s seed %d: %s, replay %s", r.Name, r.Seed, r.Steps[0].Text, r.Replay))
	}
	want := []string{
		"first seed 7: a v3 cluster of 1 shard with 1 replica, replay monosim test x.feature:2 --seed 7",
		"second (n: 2) seed 7: a v3 cluster of 1 shard with 2 replicas, replay monosim test x.feature:11 --seed 7",
		"second (n: 3) seed 7: a v3 cluster of 1 shard with 3 replicas, replay monosim test x.feature:12 --seed 7",
		"first seed 8: a v3 cluster of 1 shard with 1 replica, replay monosim test x.feature:2 --seed 8",
		"second (n: 2) seed 8: a v3 cluster of 1 shard with 2 replicas, replay monosim test x.feature:11 --seed 8",
		"second (n: 3) seed 8: a v3 cluster of 1 shard with 3 replicas, replay monosim test x.feature:12 --seed 8",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	s.Seed = 8
	if run(t, s).TraceHash() == report.TraceHash() {
		t.Error("the hash of other seeds is the same")
	}
}

func TestBadInput(t *testing.T) {
	const good = `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
`
	tests := []struct {
		name, text, tags, path string
		where                  string
		says                   []string
	}{
		{"an unknown sentence", strings.Replace(good, "pod runs", "pod rans", 1), "", "x.feature",
			"x.feature:4", []string{"every pod rans", "{pods} run(s)"}},
		{"an unknown sentence in each of two cases", strings.Replace(good, "Scenario: s", "Scenario Outline: s", 1) + "    And <who> rans\n    Examples:\n      | who |\n      | it |\n      | it |\n", "", "x.feature",
			"x.feature:5", []string{"it rans"}},
		{"an action in a background", strings.Replace(good, "Scenario: s", "Background:\n    When the cluster starts\n  Scenario: s", 1), "", "x.feature",
			"x.feature:3", []string{"the cluster starts", "shape of the cluster only"}},
		{"nothing asserted", strings.Replace(good, "Then every pod runs", "When the cluster starts", 1), "", "x.feature",
			"x.feature:2", []string{"asserts nothing"}},
		{"a table", good + "      | a |\n", "", "x.feature", "x.feature:4", []string{"table"}},
		{"a comma in the tags", good, "@a,@b", "x.feature", "tags @a,@b", []string{`"@a,@b"`, "&&"}},
		{"tags with bars", good, "@a || @b", "x.feature", "tags @a || @b", []string{"&&"}},
		{"tags that nothing has", good, "@a && ~@b", "x.feature", "tags @a && ~@b", []string{"found no scenario"}},
		{"a line without a scenario", good, "", "x.feature:1", "x.feature:1", []string{"begin on 2"}},
		{"a missing file", good, "", "y.feature", "features", []string{"y.feature"}},
		{"an empty file", "Feature: f\n", "", "x.feature", "x.feature", []string{"found no scenario"}},
		{"no Gherkin", "Scenario of a kind\n", "", "x.feature", "x.feature:1", []string{`found "Scenario of a kind", want Feature: or a tag`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := suiteOf(&fakeRunner{}, test.text)
			s.Tags, s.Paths = test.tags, []string{test.path}
			_, err := s.Run()
			var input *InputError
			if !errors.As(err, &input) {
				t.Fatalf("want an *InputError, got %v", err)
			}
			if input.Where != test.where {
				t.Errorf("where: want %s, got %s", test.where, input.Where)
			}
			for _, says := range test.says {
				if !strings.Contains(input.Text, says) {
					t.Errorf("text: found no %q in %q", says, input.Text)
				}
			}
		})
	}
}

func TestTwoRunsThatDifferFail(t *testing.T) {
	r := &fakeRunner{}
	r.prepare = func(c *fakeCluster) {
		if len(c.spec.Choices) > 0 {
			c.hash++
		}
		c.diverge = func(other *fakeCluster) (string, uint64, uint64, bool) {
			if !c.spec.Record || !other.spec.Record {
				return "somewhere", 100, 200, false
			}
			return fmt.Sprintf("event %d: as chosen by %v", c.spec.RecordFrom+50, other.spec.Choices), 150, 151, false
		}
	}
	s := suiteOf(r, `
Feature: f
  Scenario: s
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
`)
	s.Twice = true
	if report := run(t, s); report.Passed != 1 {
		t.Fatalf("two equal runs: %v", report.Results[0].Failure())
	}
	s.Choices = []runners.Choice{{Node: "zookeeper", Site: "tick", K: 3, Value: 1}}
	got := failure(t, s)
	for _, want := range []string{"two runs of one seed differ: trace 0000000000000007", "event 150: as chosen by [zookeeper/tick#3=1]"} {
		if !strings.Contains(got, want) {
			t.Errorf("failure: found no %q in\n%s", want, got)
		}
	}
}

func TestQuirksOfTheSuiteAreForScenariosThatSayNone(t *testing.T) {
	r := &fakeRunner{}
	s := suiteOf(r, `
Feature: f
  Scenario: silent
    Given a v3 cluster of 1 shard with 1 replica
    Then every pod runs
  Scenario: outspoken
    Given a v3 cluster of 1 shard with 1 replica
    And the agents keep the quirks "python"
    Then every pod runs
`)
	s.Quirks = "fixed"
	run(t, s)
	if a, b := r.made[0].spec.Quirks, r.made[1].spec.Quirks; a != "fixed" || b != "python" {
		t.Errorf("quirks: want fixed and python, got %s and %s", a, b)
	}
}

// Goal: a failed run is tried again on slower runners as long as there are any. The last run
// counts, and the command that repeats it has that runner's flags.
func TestAFailureIsTriedAgainOnASlowerRunner(t *testing.T) {
	failing := func() runners.Runner {
		return &fakeRunner{prepare: func(c *fakeCluster) { c.runs = func(string, time.Duration) bool { return false } }}
	}
	for _, c := range []struct {
		name   string
		slower []runners.Runner
		passed int
		replay string
	}{
		{"none", nil, 0, "--fast"},
		{"one that fails", []runners.Runner{failing()}, 0, "--slow=1"},
		{"the second passes", []runners.Runner{failing(), &fakeRunner{}, failing()}, 1, "--slow=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := suiteOf(failing(), "Feature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Then shard0-replica0 runs\n")
			s.Explain, s.Flags = -1, "--fast"
			s.Slower = func(times int) (runners.Runner, string) {
				if times > len(c.slower) {
					return nil, ""
				}
				return c.slower[times-1], fmt.Sprint("--slow=", times)
			}
			report := run(t, s)
			if report.Passed != c.passed {
				t.Errorf("found %d that passed, want %d: %v", report.Passed, c.passed, report.Results[0].Failure())
			}
			if replay := report.Results[0].Replay; !strings.Contains(replay, c.replay) {
				t.Errorf("found the command %q, want one with %s", replay, c.replay)
			}
		})
	}
}

// poor is a runner whose agents tell of themselves that they have no memory.
type poor struct{ *fakeRunner }

type poorCluster struct{ runners.Cluster }

func (r poor) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.fakeRunner.Build(spec)
	return poorCluster{c}, err
}

func (poorCluster) GetResource(string) (runners.Resource, error) {
	return runners.Resource{Address: "10.0.0.1:1"}, nil
}

// Goal: an agent of version 3 tells how much memory is free.
func TestAResourceHasMemory(t *testing.T) {
	s := suiteOf(nil, "Feature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Then the agent of shard0-replica0 answers GetResource with shard 0 and replica 0\n")
	s.Runner, s.Explain = poor{&fakeRunner{}}, -1
	if got := run(t, s).Results[0].Failure(); got == nil || !strings.Contains(got.Error(), "want the memory that is free, got 0 bytes") {
		t.Errorf("got %v, want that there is no memory", got)
	}
}

// slowHost is a runner whose clusters report that their host is late.
type slowHost struct {
	*fakeRunner
	busy bool
}

type slowCluster struct {
	runners.Cluster
	busy bool
}

func (r slowHost) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.fakeRunner.Build(spec)
	return slowCluster{c, r.busy}, err
}

func (c slowCluster) Late() (time.Duration, bool) { return 3 * time.Second, c.busy }

// Goal: a failure on a host that is busy with other work does not count as failed, but is counted
// separately. A run that passes there counts as passed.
func TestAHostThatIsTooBusyToTell(t *testing.T) {
	ended := func(code int) *fakeRunner {
		return &fakeRunner{prepare: func(c *fakeCluster) { c.runs, c.code = func(string, time.Duration) bool { return false }, code }}
	}
	const runs, raises = "shard0-replica0 runs", "shard0-replica0 has ended with exit code 1"
	for _, c := range []struct {
		name         string
		runner       *fakeRunner
		then         string
		busy         bool
		failed, told int
	}{
		{"fails on a busy host", ended(0), runs, true, 0, 1},
		{"fails on another", ended(0), runs, false, 1, 0},
		{"passes on a busy host", &fakeRunner{}, runs, true, 0, 0},
		{"kills itself on a busy host", ended(-9), raises, true, 0, 1},
		{"ends there with a code that no agent has", ended(2), raises, true, 1, 0},
	} {
		s := suiteOf(nil, "Feature: f\n  Scenario: s\n    Given a v3 cluster of 1 shard with 1 replica\n    Then "+c.then+"\n")
		s.Runner, s.Explain = slowHost{c.runner, c.busy}, -1
		report := run(t, s)
		if undecided := report.Undecided(); len(undecided) != c.told {
			t.Errorf("%s: got %q, want a line if it is too busy", c.name, undecided)
		}
		if report.Failed != c.failed || report.Busy != c.told || report.Skipped != c.told {
			t.Errorf("%s: got %+v, want %d failed, %d too busy", c.name, report.Summary, c.failed, c.told)
		}
		r := report.Results[0]
		if c.told > 0 && (!errors.Is(r.Unable, ErrBusy) || !strings.Contains(r.Unable.Error(), "late by 3s") || !strings.Contains(r.Unable.Error(), "shard0-replica0")) {
			t.Errorf("%s: want how late it was and how it failed, got %v", c.name, r.Unable)
		}
	}
}
