package whatif

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/result"
	"github.com/spf13/cobra"
)

const smallPlan = `apiVersion: capacity/v1
precision: {mean: 10%, p99: 20%}
budget: {max_replications: 40}
model: {size: {embeddings: 1GiB}}
override: {num_ps: 2, num_shard: 2}
fleet:
  entry: {replicas: 2, cpu: 4, mem: 8GiB, cost: 1/h}
  ps: {replicas: 2, cpu: 4, mem: 8GiB, cost: 2/h}
service:
  entry: {cpu: 1ms}
  ps: {cpu: "exp(mean=1ms)"}
workload: {rate: 1k/s, horizon: 10s, detail: {windows: ["at 5s 200ms"]}}
slo: [p99(request) <= 20ms]
solve: {over: {ps.replicas: 1..3}}
sweep: {load: {workload.rate: [500/s, 1k/s]}}
`

// whatif runs the command with arguments, below the program's.
func whatif(args ...string) (code int, stdout, message string) {
	var out, errs bytes.Buffer
	cmd := &cobra.Command{Use: "monosim"}
	cmd.AddCommand(New())
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"whatif"}, args...))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	err := cmd.Execute()
	if err != nil {
		message = err.Error()
	}
	return command.ExitCode(err), out.String(), errs.String() + message
}

// planFile is the small plan with one text in the place of another.
func planFile(t *testing.T, old, new string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(smallPlan, old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatifExitCodesSayWhetherObjectivesAreMet(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		command        string
		code           int
	}{
		{"met", "", "", "run", 0},
		{"missed", "20ms]", "3ms]", "run", 1},
		{"nonsense", "rate: 1k/s", "rate: -1/s", "run", 2},
		{"unknown key", "replicas: 2", "replica: 2", "solve", 2},
		{"nothing to search", "solve:", "# solve:", "solve", 2},
		{"solved", "", "", "solve", 0},
		{"no cell passes", "20ms]", "1ms]", "solve", 1},
		{"swept", "", "", "sweep", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, message := whatif(c.command, planFile(t, c.old, c.new), "--json")
			if code != c.code {
				t.Fatalf("exit %d, want %d: %s", code, c.code, message)
			}
			if c.code == 2 && strings.HasPrefix(c.name, "nothing") {
				return
			}
			r, err := result.Read(strings.NewReader(stdout))
			if err != nil {
				t.Fatal(err)
			}
			if r.Exit != c.code {
				t.Errorf("the result says exit %d", r.Exit)
			}
		})
	}
}

func TestWhatifGivesTheSameBytesForAnyNumberOfJobs(t *testing.T) {
	path := planFile(t, "", "")
	_, one, _ := whatif("run", path, "--json", "--jobs", "1")
	_, two, _ := whatif("run", path, "--json", "--jobs", "2")
	if one != two || len(one) == 0 {
		t.Errorf("1 and 2 jobs give different results of %d and %d bytes", len(one), len(two))
	}
}

// What was interrupted goes on from the cache, and merges name what is missing.
func TestWhatifSweepsInShards(t *testing.T) {
	path, dir := planFile(t, "", ""), t.TempDir()
	_, whole, _ := whatif("sweep", path, "--json", "--cache", filepath.Join(dir, "cache"))
	if code, _, message := whatif("sweep", path, "--engine", "shard=0/2", "--out", dir); code != 0 {
		t.Fatal(message)
	}
	if code, _, message := whatif("merge", dir, "--plan", path); code != 2 || !strings.Contains(message, "20 points are missing: cell 0, replication 1, window 0") {
		t.Errorf("exit %d: %s", code, message)
	}
	if code, _, message := whatif("sweep", path, "--engine", "shard=1/2", "--out", dir); code != 0 {
		t.Fatal(message)
	}
	_, merged, _ := whatif("merge", dir, "--plan", path, "--json")
	_, cached, _ := whatif("sweep", path, "--json", "--cache", filepath.Join(dir, "cache"))
	if whole != merged || whole != cached {
		t.Error("one process, two shards and the cache give different results")
	}
}

func TestTheManifestHasThePlan(t *testing.T) {
	code, out, message := whatif("manifest", planFile(t, "", ""), "--image", "monosim:1", "--shards", "4")
	if code != 0 || !strings.Contains(out, "completions: 4") || !strings.Contains(out, "apiVersion: capacity/v1") {
		t.Errorf("exit %d, %s: %s", code, message, out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--shards", "4"}, `image: found ""`},
		{[]string{"--image", "monosim:1", "--shards", "0"}, "found 0 shards"},
	} {
		if code, _, message := whatif(append([]string{"manifest", planFile(t, "", "")}, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, message)
		}
	}
}

// Without the program there is one clear line, and nothing is simulated.
func TestTheProgramForBeamIsAskedFor(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--engine", "beam"}, "found no program monosim-beam"},
		{[]string{"--beam", "-attempts=1"}, "without --engine beam"},
		{[]string{"--engine", "bean"}, `found "bean", want local, shard=i/N or beam`},
	} {
		if code, _, message := whatif(append([]string{"sweep", planFile(t, "", "")}, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, message)
		}
	}
}
