package simtest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// embedder is the folder of a Go module that uses everything this project offers to Go tests
// of other modules.
const embedder = "testdata/embedder"

// module is a copy of the embedder in a directory outside of this repository.
type module struct{ dir string }

// copied copies the embedder, and points its go.mod to this checkout of monosim.
func copied(t *testing.T) module {
	t.Helper()
	m, root := module{t.TempDir()}, "../../.."
	if err := os.CopyFS(m.dir, os.DirFS(embedder)); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	m.write(t, "go.sum", string(sums))
	monosim, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := m.sh("go mod edit -replace 'github.com/monosim/monosim=" + monosim + "'"); err != nil {
		t.Fatalf("go mod edit: %v\n%s", err, out)
	}
	return m
}

func (m module) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sh runs a shell command in the module, offline and for no longer than ten minutes.
func (m module) sh(command string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "MONOSIM_SEED=")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// impatient is a test file with a failing subtest and a failing scenario. The subtest's name
// has characters that are special to a shell and to a regular expression.
const impatient = `package embedder

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
	"github.com/monosim/monosim/runners/test/simtest"
)

func TestImpatient(t *testing.T) {
	t.Run("it's (too) soon", func(t *testing.T) {
		c := simtest.Start(t, runners.Spec{Models: []runners.Model{ranker}})
		c.RollOut("main", "ranker")
		c.Within(10*time.Second, "it is listed", c.Listed("ranker:entry"))
	})
	steps.Run(t, fstest.MapFS{"a.feature": {Data: []byte("Feature: f\n  Scenario: It's (too) late\n    Given a v3 cluster of 1 shard with 1 replica\n    Then for 3s every pod runs\n")}},
		steps.Suite{Runner: &simrun.Runner{}})
}
`

// Goal: another module can use simtest, its own scenarios with its own step sentences, and
// the ZooKeeper and model server in process.
func TestAModuleOfSomebodysOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds another module")
	}
	out, err := copied(t).sh("go test -count=1 -v ./...")
	if err != nil {
		t.Fatalf("go test: %v\n%s", err, out)
	}
	for _, want := range []string{
		"--- PASS: TestBothPodsAreListed ", "--- PASS: TestANight ", "--- PASS: TestALeaderThatFallsSilentIsLost ",
		"--- PASS: TestAVersionTakesOver ", "--- PASS: TestREST ",
		"--- PASS: TestScenarios/scenarios/ranker.feature/A_killed_agent_falls_silent ",
		"--- PASS: TestScenarios/scenarios/ranker.feature/Flags_outlive_an_outage ",
		"--- PASS: TestScenariosOfManySeeds/scenarios/ranker.feature/A_killed_agent_falls_silent/seed_5 ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("go test -v: found no %q in\n%s", want, out)
		}
	}
}

var replayLine = regexp.MustCompile(`(?m)seed (\d+), replay with: (.*)$`)

// Goal: the command in a failure message repeats that failure and nothing else. Method: a
// shell runs the printed command unchanged.
func TestTheCommandOfAFailureRepeatsIt(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds another module")
	}
	m := copied(t)
	m.write(t, "impatient_test.go", impatient)
	out, err := m.sh("MONOSIM_SEED=7 go test -run Impatient .")
	commands := replayLine.FindAllStringSubmatch(out, -1)
	if err == nil || len(commands) != 2 {
		t.Fatalf("go test: %v, found %d commands, want 2 failures\n%s", err, len(commands), out)
	}
	for i, says := range []string{
		"it is listed: HeartBeat of shard0-replica0: ranker:entry, want [shard0-replica0], got []",
		"for 3s every pod runs",
	} {
		again, err := m.sh(commands[i][2])
		repeated := replayLine.FindAllString(again, -1)
		if err == nil || len(repeated) != 1 || repeated[0] != commands[i][0] || !strings.Contains(again, says) || commands[i][1] != "7" {
			t.Errorf("%s: %v, want one failure with seed 7 that says %q\n%s", commands[i][2], err, says, again)
		}
	}
}
