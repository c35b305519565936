package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/junit"
)

// Goal: long runs and runs on CI servers can be limited to a part of the scenarios, to a time, or
// to what failed last, by flags or by monosim.yaml. Method: the list of what would run, or the last
// line of short runs.

// folder makes a temporary folder with these files, and makes it the test's working directory.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// listed runs `monosim test --list` and returns the titles that it prints.
func listed(t *testing.T, args ...string) string {
	t.Helper()
	out, _, err := testCommand(append(args, "--list", "--json")...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%q: %v in %s", args, err, out)
	}
	var names []string
	for _, one := range list {
		names = append(names, one.Name)
	}
	return strings.Join(names, ", ")
}

func bothKinds() string { return rows + strings.TrimPrefix(passing, "Feature: f\n") }

func TestShardsAndNamesSelect(t *testing.T) {
	folder(t, map[string]string{"features/x.feature": bothKinds()})
	for args, want := range map[string]string{
		"":                       "Pods run (n: 1), Pods run (n: 2), It runs",
		"--shard 1/2":            "Pods run (n: 1), It runs",
		"--shard 2/2":            "Pods run (n: 2)",
		"--name ^It":             "It runs",
		"--name n:.[12]":         "Pods run (n: 1), Pods run (n: 2)",
		"--tags @v3 --shard 2/2": "Pods run (n: 2)",
	} {
		if got := listed(t, strings.Fields(args)...); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
	for args, want := range map[string]string{
		"--shard 3/2":   `--shard: found "3/2", want i/N`,
		"--shard 0/2":   "--shard: found",
		"--shard 1/2x":  "--shard: found",
		"--shard 4/4":   "shard 4/4: found no scenario for it among 3",
		"--name (":      "found no regular expression",
		"--name nobody": "found no scenario with such a title",
		"--for 0s":      "--for: found 0s",
		"--json":        "--json: found none of",
	} {
		if _, _, err := testCommand(strings.Fields(args)...); command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

func TestATimeEndsARunWhole(t *testing.T) {
	folder(t, map[string]string{"features/x.feature": bothKinds()})
	// On a busy machine not every scenario may run within 0.3 s. Then the limit is raised.
	var out string
	var err error
	for limit := 300 * time.Millisecond; limit < 30*time.Second; limit *= 4 {
		if out, _, err = testCommand("--for", limit.String(), "--format", "junit:r.xml"); err == nil && !strings.Contains(out, "were met") {
			break
		}
	}
	if err != nil || !strings.Contains(out, "out of time after ") || !strings.Contains(out, ": each of 3 scenarios with ") {
		t.Errorf("got %v and\n%s\nwant all passed and how far it came", err, out)
	}
	last(t, out)
	if text, err := os.ReadFile("r.xml"); err != nil || !strings.Contains(string(text), "<!-- out of time after ") {
		t.Errorf("report: got %v, %s, want the remark", err, text)
	}
	if out, _, err := testCommand("--for", "1h", "--seeds", "2"); err != nil || strings.Contains(out, "out of time") {
		t.Errorf("a time that is enough: got %v and\n%s", err, out)
	}
	if _, _, err := testCommand("--for", "1ns"); command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), "found no run that ended") {
		t.Errorf("no time: got %v, want exit code 2", err)
	}
}

func TestWhatFailedLastRunsAgain(t *testing.T) {
	folder(t, map[string]string{"features/x.feature": bothKinds() + strings.TrimPrefix(failing, "Feature: f\n")})
	_, errs, err := testCommand("--last-failed", "-q")
	if command.ExitCode(err) != command.ExitFailed || !strings.Contains(errs, "so all run") {
		t.Fatalf("the first time: got %v and %q, want all and a failure", err, errs)
	}
	if got := listed(t, "--last-failed"); got != "It does not" {
		t.Errorf("got %s, want what failed", got)
	}
	mended := "# a line more\n" + bothKinds() + strings.Replace(strings.TrimPrefix(passing, "Feature: f\n"), "It runs", "It does not", 1)
	if err := os.WriteFile("features/x.feature", []byte(mended), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, err := testCommand("--last-failed", "-q"); err != nil || !strings.HasPrefix(out, "1 scenarios (1 passed") {
		t.Errorf("mended: got %v and\n%s\nwant that one, and the totals alone", err, out)
	}
	if _, errs, _ := testCommand("--last-failed", "-q"); !strings.Contains(errs, "so all run") {
		t.Errorf("nothing failed: got %q, want that all run", errs)
	}
}

func TestTheProjectFileCounts(t *testing.T) {
	folder(t, map[string]string{
		"specs/x.feature": bothKinds(),
		"monosim.yaml":    "features: specs\nseeds: 4\nquirks: fixed\ntags: not @v3\n",
	})
	runs := func(want string, args ...string) {
		t.Helper()
		out, _, err := testCommand(args...)
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		if got, _, _, _, _ := last(t, out); got != want {
			t.Errorf("%q: got %s runs, want %s", args, got, want)
		}
	}
	runs("4")
	runs("2", "--seeds", "2")
	runs("1", "--seed", "7")
	runs("8", "--tags", "@v3")
	runs("4", "specs/x.feature:11")
	if out, _, _ := testCommand("specs", "--name", "It runs"); !strings.Contains(out, "4 scenarios") {
		t.Errorf("with a path: got\n%s", out)
	}
	folder(t, map[string]string{"monosim.yaml": "features: nowhere\n"})
	if _, _, err := testCommand(); command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), "nowhere: found no such file") {
		t.Errorf("got %v, want the path of the file", err)
	}
	folder(t, map[string]string{"monosim.yaml": "seed: 3\n"})
	if _, _, err := testCommand("builtin:"); command.ExitCode(err) != command.ExitBadInput || !strings.Contains(err.Error(), `monosim.yaml:1: found the unknown key "seed"`) {
		t.Errorf("got %v, want the key", err)
	}
}

func TestReportsOfWrongInputAreWritten(t *testing.T) {
	unknown := strings.Replace(passing, "the cluster starts", "the clusters start", 1)
	folder(t, map[string]string{"features/x.feature": unknown, "features/y.feature": unknown, "r.xml": "old"})
	for args, want := range map[string][]string{
		"--format junit:r.xml":         {"features/x.feature", "features/y.feature"},
		"nowhere --format junit:r.xml": {"monosim test"},
	} {
		_, _, err := testCommand(strings.Fields(args)...)
		if command.ExitCode(err) != command.ExitBadInput {
			t.Errorf("%s: got %v, want exit code 2", args, err)
		}
		var all junit.Suites
		text, readErr := os.ReadFile("r.xml")
		if err := xml.Unmarshal(text, &all); readErr != nil || err != nil || all.Errors != len(want) {
			t.Fatalf("%s: got %v, %v and\n%s", args, readErr, err, text)
		}
		var got []string
		for _, s := range all.Suites {
			got = append(got, s.File)
			if s.Cases[0].Error == nil || !strings.Contains(err.Error(), s.Cases[0].Error.Message) {
				t.Errorf("%s: got %s, want an error as that of the command", args, text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

// Goal: the size of a JUnit report does not grow with the number of seeds.
func TestAJUnitReportDoesNotGrowWithSeeds(t *testing.T) {
	folder(t, map[string]string{"features/x.feature": bothKinds() + strings.TrimPrefix(failing, "Feature: f\n")})
	size := func(seeds string) int {
		testCommand("--seeds", seeds, "--format", "junit:r.xml", "-q")
		text, err := os.ReadFile("r.xml")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "(line ") {
			t.Errorf("names: found a line in\n%s", text)
		}
		return len(text)
	}
	if few, many := size("10"), size("100"); many > few+200 {
		t.Errorf("got %d bytes with 10 seeds and %d with 100, want no growth", few, many)
	}
}
