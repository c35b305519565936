package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// parts lets the tests run the command alone, without monosim's other commands.
var parts = Parts{
	Runner: func() runners.Runner { return &simrun.Runner{} },
	Suite: func(paths []string, runner runners.Runner) (*steps.Suite, error) {
		return &steps.Suite{Runner: runner, FS: features.FS, Paths: paths}, nil
	},
	Reports: func(formats []string, out io.Writer) (steps.Listener, error) {
		if formats[0] != "junit" {
			return nil, errors.New("--format: found " + formats[0])
		}
		return report.NewJUnit(out), nil
	},
}

// monosimExplore runs the command.
func monosimExplore(ctx context.Context, args ...string) (stdout string, code int) {
	var out bytes.Buffer
	cmd := New(parts)
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceErrors = true
	err := cmd.ExecuteContext(ctx)
	return out.String(), command.ExitCode(err)
}

// planted is the simulation with a fault that no quirk explains: every check that the cluster is
// whole fails.
type planted struct{ *simrun.Runner }

func (r planted) Build(spec runners.Spec) (runners.Cluster, error) {
	c, err := r.Runner.Build(spec)
	if err != nil {
		return nil, err
	}
	return broken{c.(*simrun.Cluster)}, nil
}

type broken struct{ *simrun.Cluster }

func (c broken) Whole() error {
	return runners.Broken{Invariant: "canary", At: c.Now(), Text: "a planted fault"}
}

// Goal: a hunt prints each failure as a scenario, saves that scenario, and reports it as JUnit and
// as JSON. It exits with 1 if a failure has no known cause. Method: three stories that fail by a
// planted fault, and three without it, whose failure has a cause (Q323).
func TestExplore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "found")
	flags := []string{"--world", "v3 1x3", "--seed", "9", "--seeds", "3"}
	if out, code := monosimExplore(t.Context(), flags...); code != 0 || !strings.Contains(out, "by Q323") {
		t.Errorf("exit code %d, want 0, for Q323 is the cause\n%s", code, out)
	}
	real := parts.Runner
	parts.Runner = func() runners.Runner { return planted{&simrun.Runner{}} }
	defer func() { parts.Runner = real }()
	out, code := monosimExplore(t.Context(), append(flags, "--save", dir, "--format", "junit")...)
	if code != command.ExitFailed {
		t.Fatalf("exit code %d, want %d\n%s", code, command.ExitFailed, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.feature"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found the files %v (%v), want one for each failure\n%s", files, err, out)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out, indent(string(text))) || !strings.Contains(out, "monosim test "+file) {
			t.Errorf("%s is not printed, with the command that tells it\n%s", file, out)
		}
	}
	for _, want := range []string{"3 stories (", "<testsuites", "<failure"} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	out, code = monosimExplore(t.Context(), append(flags, "--fail-fast", "--jobs", "1")...)
	if code != command.ExitFailed || strings.Count(out, "no repair makes it pass") != 1 {
		t.Errorf("--fail-fast: exit code %d, want 1 and one failure:\n%s", code, out)
	}
	out, code = monosimExplore(t.Context(), append(flags, "--json")...)
	var told struct {
		Stories int
		Found   []struct{ What, Scenario string }
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != command.ExitFailed || told.Stories != 3 || len(told.Found) != len(files) {
		t.Errorf("exit code %d, %d stories, found %d (%v), want 3 stories and %d", code, told.Stories, len(told.Found), err, len(files))
	}
}

// Goal: a hunt for quirks exits with 0 once all of them are found, and otherwise says which are
// missing.
func TestExploreFindsQuirks(t *testing.T) {
	world := []string{"--world", "v3 1x3", "--seed", "3"}
	out, code := monosimExplore(t.Context(), append(world, "--find", "q208", "--seeds", "400")...)
	if code != 0 || !strings.Contains(out, "found 1 of 1 quirks\n") || strings.Contains(out, "\n400 stories") {
		t.Errorf("exit code %d, want 0, and an end before all stories are told:\n%s", code, out)
	}
	out, code = monosimExplore(t.Context(), append(world, "--find", "Q208,Q109", "--seeds", "40", "--json")...)
	var told struct{ Missing []string }
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != command.ExitFailed || strings.Join(told.Missing, ",") != "Q109" {
		t.Errorf("exit code %d, missing %v (%v), want 1 and Q109, which no agent of version 3 has", code, told.Missing, err)
	}
}

// Goal: --list prints the worlds to explore. Given scenarios, it prints the worlds made from them.
func TestWorldsAreListed(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--list"}, "v1 2x2\n  a v1 cluster of 2 shards with 2 replicas each\n"},
		{[]string{"--list", "--json"}, `"name": "training by Consul"`},
		{[]string{"--list", "rollout.feature"}, "of 30 MB in version 1"},
	} {
		if out, code := monosimExplore(t.Context(), c.args...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit code %d, want %q in\n%s", c.args, code, c.want, out)
		}
	}
}

// Goal: flags and arguments that make no sense are refused before any story is played.
func TestBadInput(t *testing.T) {
	for _, args := range [][]string{
		{"--seeds", "0"}, {"--seeds", "-1"}, {"--for", "0s"}, {"--for", "soon"}, {"--jobs", "-1"}, {"--shard", "3/2"}, {"--shard", "x"},
		{"--quirks", "nonsense"}, {"--find", "Q1"}, {"--find", "Q9x"}, {"--world", "v4"}, {"nothing.feature"}, {"--format", "xml", "--seeds", "1"},
	} {
		if out, code := monosimExplore(t.Context(), args...); code != command.ExitBadInput || strings.Contains(out, "exploring") {
			t.Errorf("%v: exit code %d, want %d\n%s", args, code, command.ExitBadInput, out)
		}
	}
}
