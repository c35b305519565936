package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/gotestee"
	"github.com/monosim/monosim/runners/show/junit"
	"github.com/monosim/monosim/runners/test/simrun"
)

// testCommand runs `monosim test` on the simulation.
func testCommand(args ...string) (stdout, stderr string, err error) {
	return testCommandOn(func() runners.Runner { return &simrun.Runner{KeepLog: 1, Operations: gotestee.Recorded{}} }, args...)
}

// testCommandOn runs `monosim test` on a runner that takes the place of the simulation.
func testCommandOn(newRunner func() runners.Runner, args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := newTestCommand(newRunner)
	cmd.SilenceErrors = true
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append([]string{}, args...)) // nil would make cobra take the arguments of this process
	err = cmd.Execute()
	return out.String(), errs.String(), err
}

var lastLine = regexp.MustCompile(`^(\d+) scenarios(?: of this binary)? \((\d+) passed, (\d+) failed, (\d+) skipped\), \d+ steps, \S+ virtual in \S+ wall, trace ([0-9a-f]{16})$`)

// last parses the last line of the output into the totals and the trace.
func last(t *testing.T, output string) (scenarios, passed, failed, skipped, trace string) {
	t.Helper()
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	m := lastLine.FindStringSubmatch(lines[len(lines)-1])
	if m == nil {
		t.Fatalf("last line: found %q, want %s", lines[len(lines)-1], lastLine)
	}
	return m[1], m[2], m[3], m[4], m[5]
}

// write writes a file into a new temporary directory and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const passing = `Feature: f
  Scenario: It runs
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    Then within 5s shard0-replica0 has service info
`

var failing = strings.Replace(passing, "It runs", "It does not", 1) + "    And shard0-replica0 has ended\n"

// onSim does not run on the agents of others.
var onSim = strings.Replace(passing, "  Scenario", "  # not-python: it cannot\n  @not-python\n  Scenario", 1)

func TestOwnScenariosPass(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute under the race detector, on one goroutine")
	}
	out, _, err := testCommand("builtin:")
	if err != nil {
		t.Fatalf("exit code %d\n%s", command.ExitCode(err), out)
	}
	scenarios, passed, _, _, _ := last(t, out)
	if scenarios != passed {
		t.Errorf("scenarios: want all %s passed, got %s", scenarios, passed)
	}
}

// Goal: scenarios of the fakes wait for the slower pod. A model server that reads its first config
// late loads what is published by then. So its pod binds after 30 s, and the pod beside it after 90
// s (runners/test/BLACKBOX.md, BB-2.1). With seed 228 this happens to the first pod of
// fakes.feature.
func TestScenariosOfTheFakesWaitForTheSlowerPod(t *testing.T) {
	if out, _, err := testCommand("builtin:features/fakes.feature", "--seed", "228"); err != nil {
		t.Errorf("got %v, want all passed:\n%s", err, out)
	}
}

func TestSameSeedSameTrace(t *testing.T) {
	traceOf := func(seed string) string {
		out, _, err := testCommand("builtin:", "--tags", "@cluster1000", "--seed", seed)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, _, _, _, trace := last(t, out)
		return trace
	}
	first := traceOf("5")
	if again := traceOf("5"); again != first {
		t.Errorf("trace of seed 5: first %s, then %s", first, again)
	}
	if other := traceOf("6"); other == first {
		t.Errorf("seeds 5 and 6 have the same trace %s", first)
	}
}

func TestFailureSaysHowToReplay(t *testing.T) {
	path := write(t, "x.feature", passing+strings.TrimPrefix(failing, "Feature: f\n"))
	for _, format := range []string{"progress", "pretty"} {
		out, _, err := testCommand(path, "--seed", "3", "--quirks", "fixed", "--format", format)
		if command.ExitCode(err) != command.ExitFailed {
			t.Errorf("exit code: want %d, got %d (%v)", command.ExitFailed, command.ExitCode(err), err)
		}
		for _, want := range []string{
			"shard0-replica0 has ended", "want ended, got running", "t+1.400s: ",
			"monosim test " + path + ":6 --seed 3 --quirks fixed\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("--format %s: found no %q in\n%s", format, want, out)
			}
		}
		if scenarios, passed, failed, _, _ := last(t, out); scenarios != "2" || passed != "1" || failed != "1" {
			t.Errorf("--format %s: want 2 scenarios, 1 passed, 1 failed, got %s, %s, %s", format, scenarios, passed, failed)
		}
	}
}

func TestReplayRunsThatScenarioOnly(t *testing.T) {
	path := write(t, "x.feature", passing+strings.TrimPrefix(failing, "Feature: f\n"))
	out, _, err := testCommand(path + ":2")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if scenarios, _, _, _, _ := last(t, out); scenarios != "1" {
		t.Errorf("scenarios: want 1, got %s", scenarios)
	}
}

func TestSeedsMultiplyTheRuns(t *testing.T) {
	out, _, err := testCommand("--seeds", "3", filepath.Dir(write(t, "x.feature", passing)))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if scenarios, _, _, _, _ := last(t, out); scenarios != "3" {
		t.Errorf("scenarios: want 3, got %s", scenarios)
	}
}

// Goal: scenarios of the binary run in any folder, but only for paths that begin with builtin:. The
// last line says that they are the binary's. A folder without scenarios or a missing file is an
// error.
func TestOnlyBuiltinNamesTheScenariosOfTheBinary(t *testing.T) {
	t.Chdir(t.TempDir())
	out, _, err := testCommand("builtin:features/lifecycle.feature", "builtin:features/startup.feature:4")
	if err != nil || !strings.Contains(out, " scenarios of this binary (") {
		t.Fatalf("%v\n%s", err, out)
	}
	fails := func(want string, args ...string) {
		t.Helper()
		out, _, err := testCommand(args...)
		if command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), want) || out != "" {
			t.Errorf("%q: got exit code %d, %v and %q, want %d, %q and nothing printed", args, command.ExitCode(err), err, out, command.ExitBadInput, want)
		}
	}
	const none = "features: found no such folder with a .feature file, and no path was given"
	fails(none)
	fails(none, "--list-tags")
	fails("features: found no such file", "features")
	fails("this binary has builtin:features/startup.feature", "features/startup.feature:4")
	fails("builtin:features/nope.feature: found no such file", "builtin:features/nope.feature")
	if err := os.Mkdir("features", 0o755); err != nil {
		t.Fatal(err)
	}
	fails(none)
	fails("found no scenario", "features")
	if got := completedTags(t); got != "" {
		t.Errorf("completion of --tags where there is no scenario: got %q, want nothing", got)
	}
	tagged := strings.Replace(failing, "  Scenario", "  @mine\n  Scenario", 1)
	if err := os.WriteFile("features/own.feature", []byte(tagged), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, err := testCommand(); command.ExitCode(err) != command.ExitFailed || !strings.Contains(out, "\n1 scenarios (") {
		t.Errorf("without a path: got %v and\n%s\nwant the failure of features/own.feature", err, out)
	}
	if out, _, _ := testCommand("features", "builtin:features/startup.feature"); !strings.Contains(out, " of this binary and 1 yours (") {
		t.Errorf("last line: found not whose scenarios ran in\n%s", out)
	}
	if got := completedTags(t); got != "@mine" {
		t.Errorf("completion of --tags: got %q, want @mine", got)
	}
	if got := completedTags(t, "builtin:features/startup.feature"); !strings.Contains(got, "@v3") {
		t.Errorf("completion of --tags: got %q, want those of the file", got)
	}
}

// completedTags returns the completions of --tags that a shell gets after the given paths.
func completedTags(t *testing.T, paths ...string) string {
	t.Helper()
	out, err := rootCommand(append(append([]string{"__completeNoDesc", "test"}, paths...), "--tags", "")...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(out), ":4"))
}

func TestReportFiles(t *testing.T) {
	path := write(t, "x.feature", passing+strings.TrimPrefix(failing, "Feature: f\n"))
	dir := t.TempDir()
	xmlFile, cucumber := filepath.Join(dir, "junit.xml"), filepath.Join(dir, "cucumber.json")
	out, _, err := testCommand(path, "--format", "junit:"+xmlFile, "--format", "cucumber:"+cucumber)
	if command.ExitCode(err) != command.ExitFailed {
		t.Fatalf("exit code: want %d, got %v\n%s", command.ExitFailed, err, out)
	}
	last(t, out)

	text, err := os.ReadFile(xmlFile)
	if err != nil {
		t.Fatal(err)
	}
	var suites junit.Suites
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 2 || suites.Failures != 1 || len(suites.Suites) != 1 || len(suites.Suites[0].Cases) != 2 {
		t.Fatalf("junit: want one suite of 2 tests with 1 failure, got\n%s", text)
	}
	if f := suites.Suites[0].Cases[1].Failure; f == nil || !strings.Contains(f.Text, "replay with: monosim test "+path+":6 --seed 1") {
		t.Errorf("junit: want the second case to fail and to say how to replay it, got\n%s", text)
	}

	if text, err = os.ReadFile(cucumber); err != nil {
		t.Fatal(err)
	}
	var list []report.CucumberFeature
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list[0].Elements {
		for _, s := range e.Steps {
			got = append(got, e.Name+": "+s.Keyword+s.Name+": "+s.Result.Status)
		}
	}
	want := []string{
		"It runs: Given a v3 cluster of 1 shard with 1 replica: passed",
		"It runs: When the cluster starts: passed",
		"It runs: Then within 5s shard0-replica0 has service info: passed",
		"It does not: Given a v3 cluster of 1 shard with 1 replica: passed",
		"It does not: When the cluster starts: passed",
		"It does not: Then within 5s shard0-replica0 has service info: passed",
		"It does not: And shard0-replica0 has ended: failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cucumber (-want +got):\n%s", diff)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("directory of the reports: want 2 files, got %d (%v)", len(files), err)
	}
}

func TestReportThatALineWouldSpoil(t *testing.T) {
	out, errs, err := testCommand(write(t, "x.feature", passing), "--format", "cucumber")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(out)) {
		t.Errorf("standard output is no JSON:\n%s", out)
	}
	last(t, errs)
}

func TestDifferenceBetweenTwoRunsIsShown(t *testing.T) {
	path := write(t, "x.feature", passing)
	if out, _, err := testCommand(path, "--check-determinism"); err != nil {
		t.Fatalf("two equal runs: %v\n%s", err, out)
	}
	out, _, err := testCommand(path, "--check-determinism", "--choice", "shard0-replica0/pace.import#0=1", "--choice", "zookeeper/network.latency:shard0-replica0:1#2=77")
	if command.ExitCode(err) != command.ExitFailed {
		t.Fatalf("exit code: want %d, got %v\n%s", command.ExitFailed, err, out)
	}
	for _, want := range []string{"two runs of one seed differ", "first differing event", "because of #"} {
		if !strings.Contains(out, want) {
			t.Errorf("output: found no %q in\n%s", want, out)
		}
	}
}

func TestBadInputEndsWith2(t *testing.T) {
	path := write(t, "x.feature", passing)
	unknown := write(t, "y.feature", strings.Replace(passing, "the cluster starts", "the clusters start", 1))
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"a missing path", []string{"nowhere.feature"}, "nowhere.feature: found no such file"},
		{"a line without a scenario", []string{path + ":1"}, "want one of those that begin on 2"},
		{"tags that nothing has", []string{path, "--tags", "@nothing"}, "found no scenario"},
		{"tags with a comma", []string{path, "--tags", "@a,@b"}, `found "@a,@b", want a tag`},
		{"an unknown sentence", []string{unknown}, "y.feature:4: no sentence says\n    the clusters start\n  did you mean\n    the cluster starts"},
		{"an unknown format", []string{path, "--format", "pdf"}, `--format: found "pdf"`},
		{"a format without a file name", []string{path, "--format", "junit:"}, `--format: found "junit:"`},
		{"a seed that is no number", []string{path, "--seed", "x"}, "seed"},
		{"no seeds", []string{path, "--seeds", "0"}, "--seeds: found 0"},
		{"quirks that are none", []string{path, "--quirks", "most"}, `--quirks: found "most"`},
		{"a choice without a second run", []string{path, "--choice", "a/b#1=2"}, "--check-determinism"},
		{"a choice that is none", []string{path, "--check-determinism", "--choice", "a#1"}, "node/site#k=value"},
		{"an unknown runner", []string{path, "--runner", "sim,rela"}, `--runner: found "rela", want some of sim, real, python, tensorflow, agent`},
		{"agents of nobody", []string{path, "--runner", "agent"}, "--agent: found it, or the runner agent, alone"},
		{"agents that do not run", []string{path, "--agent", "./mine"}, "--agent: found it, or the runner agent, alone"},
		{"a runner twice", []string{path, "--runner", "sim,sim"}, `--runner: found "sim"`},
		{"nothing to compare", []string{path, "--compare"}, "--compare: found the runner sim, want two or more"},
		{"nothing that can be compared", []string{write(t, "z.feature", strings.ReplaceAll(onSim, "python", "real")), "--runner", "sim,real", "--compare"}, "found no scenario that runs on real: it cannot"},
		{"no scenario for an agent", []string{write(t, "z.feature", onSim), "--runner", "agent", "--agent", "./mine"}, "found no scenario that runs on agent: it cannot"},
		{"nothing to record", []string{path, "--record", "x"}, "--record: found no --compare"},
		{"no record that could be older", []string{path, "--runner", "sim,real", "--compare", "--stale"}, "--stale: found no --record"},
		{"a time for no comparison", []string{path, "--longest", "1m"}, "--longest: found 1m0s, want a time, as 15m, and --compare"},
		{"a clock that stands", []string{path, "--time-scale", "0"}, "--time-scale: found 0"},
		{"no ZooKeeper that there is", []string{path, "--runner", "real", "--zookeeper", "debian"}, `--zookeeper: found "debian", want monosim, java, java:N`},
		{"a ZooKeeper where nobody is", []string{path, "--runner", "real", "--zookeeper", "127.0.0.1:1"}, "--zookeeper: found nobody at 127.0.0.1:1, want a ZooKeeper"},
		{"a clock that is not the ZooKeeper's", []string{path, "--runner", "real", "--zookeeper", "127.0.0.1:1", "--time-scale", "0.1"}, "--time-scale: found 0.1, want 1 with --zookeeper 127.0.0.1:1"},
		{"a backend of the simulation", []string{path, "--zookeeper", "127.0.0.1:1"}, "--zookeeper 127.0.0.1:1: found the runner sim alone"},
		{"a model server that is not there", []string{path, "--runner", "real", "--model-server", "/nowhere/tfs"}, "want monosim, or a program with TF Serving's command line"},
		{"seeds of processes", []string{path, "--runner", "real", "--seeds", "3"}, "--runner real: found --seeds"},
		{"an unknown flag", []string{path, "--fast"}, "--fast"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, _, err := testCommand(test.args...)
			if command.ExitCode(err) != command.ExitBadInput {
				t.Fatalf("exit code: want %d, got %d (%v)", command.ExitBadInput, command.ExitCode(err), err)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("message: found no %q in %q", test.says, err)
			}
			if out != "" {
				t.Errorf("standard output: want nothing, got %q", out)
			}
		})
	}
}

const rows = `Feature: f
  @v3
  Scenario Outline: Pods run
    Given a v3 cluster of 1 shard with <n> replicas
    When the cluster starts
    Then within 5s every pod has service info

    Examples:
      | n |
      | 1 |
      | 2 |
`

func TestARowOfAnOutlineRunsAlone(t *testing.T) {
	path := write(t, "x.feature", rows)
	for line, want := range map[string]string{"": "2", ":2": "2", ":5": "2", ":10": "1", ":11": "1"} {
		out, _, err := testCommand(path+line, "--format", "pretty")
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		if scenarios, _, _, _, _ := last(t, out); scenarios != want {
			t.Errorf("%q: want %s scenarios, got %s", line, want, scenarios)
		}
		if line == ":11" && !strings.Contains(out, "Pods run (n: 2) (line 11, seed 1)") {
			t.Errorf("found no name of the row in\n%s", out)
		}
	}
}

func TestLookingRunsNothing(t *testing.T) {
	path := write(t, "x.feature", rows+strings.TrimPrefix(passing, "Feature: f\n"))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--list"}, path + ":10\tPods run (n: 1)\t@v3\tsim real python agent\n" + path + ":11\tPods run (n: 2)\t@v3\tsim real python agent\n" + path + ":12\tIt runs\t\tsim real python agent\n"},
		{[]string{"--list", "--tags", "not @v3"}, path + ":12\tIt runs\t\tsim real python agent\n"},
		{[]string{"--list-tags"}, "@v3\t2\n"},
		{[]string{"--dry-run"}, "3 scenarios, 9 steps, every one of them known; nothing was run\n"},
	} {
		out, _, err := testCommand(append(c.args, path)...)
		if err != nil {
			t.Errorf("%v: %v", c.args, err)
		}
		if diff := cmp.Diff(c.want, out); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.args, diff)
		}
	}
}

// Goal: --list shows on which runners a scenario runs, and why not on the others.
func TestAListSaysWhereScenariosRun(t *testing.T) {
	path := write(t, "x.feature", onSim)
	out, _, err := testCommand("--list", path)
	if err != nil {
		t.Fatal(err)
	}
	if want := path + ":4\tIt runs\t@not-python\tsim real; not python: it cannot; not agent: it cannot\n"; out != want {
		t.Errorf("want %q, got %q", want, out)
	}
	_, _, err = testCommand(path, "--runner", "python")
	if command.ExitCode(err) != command.ExitBadInput {
		t.Errorf("exit code where nothing can run: want %d, got %v", command.ExitBadInput, err)
	}
}

// lateRunner is the simulation on a host that is too busy to tell why a scenario fails.
type lateRunner struct{ simrun.Runner }

type lateCluster struct{ runners.Cluster }

func (r *lateRunner) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.Runner.Build(spec)
	return lateCluster{c}, err
}

func (lateCluster) Late() (time.Duration, bool) { return time.Second, true }

// Goal: a run that says nothing about its runner does not read as a pass. Method: a scenario that fails
// on a host that is too busy to tell, alone and beside one that passes.
func TestARunWithoutAVerdictEndsWith3(t *testing.T) {
	const told = "no verdict on sim: of 1 runs none passed or failed, 0 skipped, 1 too busy to tell; a quieter machine or a slower clock can tell\n1 scenarios (0 passed, 0 failed, 1 too busy to tell, 0 skipped)"
	for _, c := range []struct {
		feature string
		code    int
	}{{failing, command.ExitUndecided}, {failing + strings.TrimPrefix(passing, "Feature: f\n"), 0}} {
		out, _, err := testCommandOn(func() runners.Runner { return &lateRunner{} }, write(t, "x.feature", c.feature))
		if command.ExitCode(err) != c.code || strings.Contains(out, told) != (c.code != 0) {
			t.Errorf("want exit code %d, and the reason with one alone, got %v and\n%s", c.code, err, out)
		}
	}
}

func TestFailFastEndsWithTheFirstFailure(t *testing.T) {
	path := write(t, "x.feature", failing+strings.TrimPrefix(passing, "Feature: f\n"))
	out, _, err := testCommand(path, "--fail-fast", "--seeds", "20")
	if command.ExitCode(err) != command.ExitFailed {
		t.Fatalf("exit code: want %d, got %v", command.ExitFailed, err)
	}
	if scenarios, _, failed, _, _ := last(t, out); scenarios != "1" || failed != "1" {
		t.Errorf("want the 1 scenario that failed, got %s with %s failures", scenarios, failed)
	}
}

func TestAFailureSaysWhichQuirkItIsAbout(t *testing.T) {
	text := strings.Replace(failing, "  Scenario", "  @Q152\n  Scenario", 1)
	out, _, _ := testCommand(write(t, "x.feature", text))
	if !strings.Contains(out, "  about Q152 (fix): ") {
		t.Errorf("found no line of Q152 in\n%s", out)
	}
}

func TestReplayLinesAreComplete(t *testing.T) {
	path := write(t, "x.feature", strings.Replace(rows, "within 5s every pod has service info", "every pod has ended", 1))
	out, _, _ := testCommand(path+":11", "--seed", "4", "--check-determinism", "--choice", "zookeeper/network.latency:shard0-replica0:1#2=77")
	if want := "monosim test " + path + ":11 --seed 4 --check-determinism --choice 'zookeeper/network.latency:shard0-replica0:1#2=77'\n"; !strings.Contains(out, want) {
		t.Errorf("found no %q in\n%s", want, out)
	}
}
