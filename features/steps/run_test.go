package steps

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners"
)

// ownScenarios holds scenarios of a user of the package, with sentences of the user's own.
var ownScenarios = fstest.MapFS{
	"deep/lamps.feature": {Data: []byte(`Feature: Lamps
  @lamp
  Scenario: A lamp (of 60 W) goes out
    Given a v3 cluster of 1 shard with 1 replica
    When 2 lamps go out
    Then within 2s it is dark
    And for 3s it is dark

  Scenario Outline: Pods run
    Given a v3 cluster of 1 shard with <n> replicas
    Then <who>

    Examples:
      | n | who                       |
      | 1 | shard0-replica0 runs      |
      | 1 | shard0-replica0 has ended |
`)},
	"pods.feature": {Data: []byte(`Feature: Pods
  Scenario: A pod ends
    Given a v3 cluster of 1 shard with 1 replica
    When 2s pass
    Then shard0-replica0 has ended
    And shard0-replica0 runs
`)},
}

// lamps returns sentences that the vocabulary does not have. They are about lamps that go out, one
// each half second.
func lamps() []*Sentence {
	out := map[*World]int{}
	return []*Sentence{
		Action("{n} lamp(s) go(es) out", func(w *World, n int) error {
			out[w] = n
			return nil
		}),
		Assertion("it is dark", func(w *World) func() error {
			return func() error {
				if now := w.Cluster().Now(); now.Milliseconds() < int64(500*out[w]) {
					return fmt.Errorf("want darkness, got light at %v", now)
				}
				return nil
			}
		}),
	}
}

// TestHelperOwnScenarios is not a test of its own. The tests below run it in a separate process.
func TestHelperOwnScenarios(t *testing.T) {
	how, ok := map[string]Suite{
		"all":      {Runner: &fakeRunner{}, Sentences: lamps()},
		"tagged":   {Runner: &fakeRunner{}, Sentences: lamps(), Tags: "@lamp", Seeds: 2, Seed: 3},
		"unable":   {Runner: &fakeRunner{prepare: func(c *fakeCluster) { c.unsupported = true }}, Sentences: append(lamps()[1:], Action("{n} lamps go out", cannot))},
		"unknown":  {Runner: &fakeRunner{}},
		"nothing":  {Runner: &fakeRunner{}, Sentences: lamps(), Tags: "@moon"},
		"noRunner": {Sentences: lamps()},
	}[os.Getenv("MONOSIM_STEPS_HELPER")]
	if !ok {
		t.Skip("only another test asks for this one")
	}
	Run(t, ownScenarios, how)
}

func cannot(*World, int) error { return runners.ErrUnsupported }

var duration = regexp.MustCompile(` \(\d+\.\d+s\)`)

// ranScenarios runs the helper in a process and returns the lines that go test prints, without file
// names and durations.
func ranScenarios(t *testing.T, which, pattern string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run=^TestHelperOwnScenarios$"+pattern)
	cmd.Env = append(os.Environ(), "MONOSIM_STEPS_HELPER="+which, "MONOSIM_SEED=7", "GOCOVERDIR="+t.TempDir())
	out, _ := cmd.CombinedOutput() // the error is not looked at: the helper may fail
	var lines []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(duration.ReplaceAllString(line, ""), "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "===") || line == "PASS" || line == "FAIL" || strings.HasPrefix(line, "coverage:") {
			continue
		}
		lines = append(lines, regexp.MustCompile(`\w+_test\.go:\d+: |\w+\.go:\d+: `).ReplaceAllString(line, ""))
	}
	return lines
}

const again = "MONOSIM_SEED=7 go test github.com/monosim/monosim/features/steps -run '^TestHelperOwnScenarios$"

func TestScenariosAreSubtests(t *testing.T) {
	for _, c := range []struct {
		which, pattern string
		want           string
	}{
		{"all", "", `
		--- FAIL: TestHelperOwnScenarios
		    --- FAIL: TestHelperOwnScenarios/deep/lamps.feature
		        --- PASS: TestHelperOwnScenarios/deep/lamps.feature/A_lamp_(of_60_W)_goes_out
		        --- FAIL: TestHelperOwnScenarios/deep/lamps.feature/Pods_run
		            --- PASS: TestHelperOwnScenarios/deep/lamps.feature/Pods_run/n:_1,_who:_shard0-replica0_runs
		            --- FAIL: TestHelperOwnScenarios/deep/lamps.feature/Pods_run/n:_1,_who:_shard0-replica0_has_ended
		    --- FAIL: TestHelperOwnScenarios/pods.feature
		        --- FAIL: TestHelperOwnScenarios/pods.feature/A_pod_ends
		deep/lamps.feature:16: Pods run (n: 1, who: shard0-replica0 has ended)
		  + Given a v3 cluster of 1 shard with 1 replicas
		  ! Then shard0-replica0 has ended
		      t+0.000s: agent of shard0-replica0, want ended, got running
		  seed 7, replay with: ` + again + `/^deep$/^lamps\.feature$/^Pods_run$/^n:_1,_who:_shard0-replica0_has_ended$'
		pods.feature:2: A pod ends
		  + Given a v3 cluster of 1 shard with 1 replica
		  + When 2s pass
		  ! Then shard0-replica0 has ended
		      t+2.000s: agent of shard0-replica0, want ended, got running
		  - And shard0-replica0 runs
		  seed 7, replay with: ` + again + `/^pods\.feature$/^A_pod_ends$'`},
		{"tagged", "", `
		--- PASS: TestHelperOwnScenarios
		    --- PASS: TestHelperOwnScenarios/deep/lamps.feature
		        --- PASS: TestHelperOwnScenarios/deep/lamps.feature/A_lamp_(of_60_W)_goes_out
		            --- PASS: TestHelperOwnScenarios/deep/lamps.feature/A_lamp_(of_60_W)_goes_out/seed_3
		            --- PASS: TestHelperOwnScenarios/deep/lamps.feature/A_lamp_(of_60_W)_goes_out/seed_4`},
		{"unable", `/^deep$/^lamps\.feature$/^A_lamp`, `
		--- PASS: TestHelperOwnScenarios
		    --- PASS: TestHelperOwnScenarios/deep/lamps.feature
		        --- SKIP: TestHelperOwnScenarios/deep/lamps.feature/A_lamp_(of_60_W)_goes_out
		the runner cannot do all of this scenario`},
		{"unknown", "", `
		--- FAIL: TestHelperOwnScenarios
		deep/lamps.feature:5: no sentence says
		    2 lamps go out
		  did you mean
		    {call} is not answered
		deep/lamps.feature:6: no sentence says
		    within 2s it is dark
		  did you mean
		    {models} is/are declared
		deep/lamps.feature:7: no sentence says
		    for 3s it is dark
		  did you mean
		    {models} is/are declared`},
		{"nothing", "", `
		--- FAIL: TestHelperOwnScenarios
		tags @moon: found no scenario with such tags in .`},
		{"noRunner", "", `
		--- FAIL: TestHelperOwnScenarios
		steps.Suite: found no Runner, want one, as &simrun.Runner{}`},
	} {
		t.Run(c.which, func(t *testing.T) {
			if diff := cmp.Diff(inOrder(strings.Split(strings.TrimSpace(c.want), "\n")), inOrder(ranScenarios(t, c.which, c.pattern))); diff != "" {
				t.Errorf("what go test prints (-want +got):\n%s", diff)
			}
		})
	}
}

// inOrder puts the verdicts before the logged lines, because their order varies, and removes
// indentation.
func inOrder(lines []string) (sorted []string) {
	var logged []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--- ") {
			sorted = append(sorted, line)
		} else {
			logged = append(logged, line)
		}
	}
	return append(sorted, logged...)
}
