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

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
	"github.com/monosim/monosim/runners/show/junit"
	"github.com/monosim/monosim/vectors/scope"
)

// Goal: the commands about golden cases and testees do what their help says, with the exit codes
// that main.go names. Method: run the root command, capture its output, and use small shell scripts
// as testees.

func runMonosim(stdin string, args ...string) (stdout string, code int, err error) {
	var out, errs bytes.Buffer
	cmd := newRootCommand()
	cmd.SetIn(strings.NewReader(stdin))
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	err = cmd.Execute()
	return out.String(), command.ExitCode(err), err
}

// scriptTestee writes a testee that knows only utils.isabs and gives the same answer to every case.
func scriptTestee(t *testing.T, answer string) string {
	t.Helper()
	path := write(t, "testee.sh", `#!/bin/sh
while read -r line; do
  case "$line" in
  *'"op":"hello"'*) echo '{"name":"script","version":"1","ops":["utils.isabs"]}' ;;
  *) id=$(printf '%s' "$line" | sed 's/^{"id": "\([^"]*\)".*/\1/'); echo '{"id":"'"$id"'",`+answer+`}' ;;
  esac
done
`)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheEngineIsATestee(t *testing.T) {
	out, code, _ := runMonosim(`{"op":"hello"}
{"id":"utils.expand_pattern/a","op":"utils.expand_pattern","env":{},"in":{"pattern_str":"ps_[0-2]"}}
`, "testee")
	lines := strings.Split(out, "\n")
	if code != 0 || !strings.Contains(lines[0], `"name": "monosim"`) || lines[1] != `{"id": "utils.expand_pattern/a", "out": ["ps_0", "ps_1"]}` {
		t.Errorf("got exit code %d and\n%s", code, out)
	}
}

func TestTheTesteeRepairsWhatItIsTold(t *testing.T) {
	const question = `{"id":"a","op":"utils.expand_pattern","env":{},"in":{"pattern_str":"ps_[1,4]"}}` + "\n"
	for quirks, want := range map[string]string{"python": `"error"`, "-Q166": `"out": ["ps_1", "ps_4"]`, "fixed": `"out": ["ps_1", "ps_4"]`} {
		if out, code, _ := runMonosim(question, "testee", "--quirks="+quirks); code != 0 || !strings.Contains(out, want) {
			t.Errorf("--quirks=%s: got exit code %d and %s, want %s", quirks, code, out, want)
		}
	}
	if _, code, err := runMonosim("", "testee", "--quirks", "22"); code != 2 || err == nil {
		t.Errorf("got exit code %d, %v, want bad input", code, err)
	}
}

func TestVerifyReplaysTheVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	out, code, err := runMonosim("", "vectors", "verify")
	last := regexp.MustCompile(`\n\d+ cases: \d+ passed, 0 failed, \d+ explained, \d+ skipped\n$`)
	if code != 0 || !last.MatchString(out) || !strings.Contains(out, "\nzk_mirror ") {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestVerifyFailsWithTheDifference(t *testing.T) {
	out, code, _ := runMonosim("", "vectors", "verify", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`))
	if code != command.ExitFailed || !strings.Contains(out, "  utils.isabs/relative\n") || !strings.Contains(out, `      - {"out": false}`+"\n"+`      + {"out": true}`+"\n") {
		t.Errorf("got exit code %d and\n%s", code, out)
	}
}

// Goal: nobody has to look up the number of a quirk. Wherever verify names one, it also prints the
// line of monosim quirks about it.
func TestVerifyPrintsTheLinesOfTheQuirksThatItNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	line := func(id string) string {
		q, err := scope.FindQuirk(id)
		if err != nil {
			t.Fatal(err)
		}
		return "    " + q.Line() + "\n"
	}
	out, code, _ := runMonosim("", "vectors", "verify")
	if want := "  explained by Q155: 1\n" + line("Q155"); code != 0 || !strings.Contains(out, want) {
		t.Errorf("explained: got exit code %d and\n%s\nwant\n%s", code, out, want)
	}
	for _, id := range regexp.MustCompile(`\bQ\d+\b`).FindAllString(out, -1) {
		if !strings.Contains(out, line(id)) {
			t.Errorf("found %s named without its line", id)
		}
	}
	out, code, _ = runMonosim("", "vectors", "verify", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":"never"`), "--most", "0")
	if code != command.ExitFailed || !strings.Contains(out, line("Q170")) {
		t.Errorf("failed: got exit code %d and\n%s\nwant the line of Q170, which a case is flagged with", code, out)
	}
}

func TestVerifyWritesJSON(t *testing.T) {
	out, code, _ := runMonosim("", "vectors", "verify", "--suite", "utils.isabs", "--json")
	var report struct {
		Testee string
		Totals struct{ Passed, Failed int }
		Cases  []struct{ ID, Status string }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	if report.Testee != "monosim" || report.Totals.Passed == 0 || len(report.Cases) != report.Totals.Passed {
		t.Errorf("got %+v", report)
	}
}

func TestKnownFailuresAreRun(t *testing.T) {
	list := write(t, "known.txt", "utils.isabs/relative # wrong\nutils.isabs/root\n")
	out, code, _ := runMonosim("", "vectors", "verify", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`), "--known-failing", list)
	if code != command.ExitFailed || strings.Contains(out, "  utils.isabs/relative\n") || !strings.Contains(out, "take it off the list") || !strings.Contains(out, "1 explained") {
		t.Errorf("got exit code %d and\n%s", code, out)
	}
}

func TestListAndShow(t *testing.T) {
	out, code, _ := runMonosim("", "vectors", "list", "--suite", "utils.isabs")
	if code != 0 || !strings.HasPrefix(out, "utils.isabs/") {
		t.Errorf("list: got exit code %d and\n%s", code, out)
	}
	out, code, _ = runMonosim("", "vectors", "show", "utils.isabs/hdfs")
	if code != 0 || !strings.Contains(out, `"path": "hdfs://a/b"`) || !strings.Contains(out, "the testee agrees") {
		t.Errorf("show: got exit code %d and\n%s", code, out)
	}
}

func TestLintOfTheVectorsIsSilent(t *testing.T) {
	if out, code, err := runMonosim("", "vectors", "lint", "--dir", "../../vectors/golden"); code != 0 || out != "" {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestRecordingTwiceGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	drawn, code, err := runMonosim("", "vectors", "draw", "--suite", "utils.isabs", "--count", "5")
	if code != 0 {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cases", "utils.jsonl"), []byte(drawn), 0o644); err != nil {
		t.Fatal(err)
	}
	record := []string{"vectors", "record", "--testee", scriptTestee(t, `"out":true`), "--dir", dir}
	if out, code, err := runMonosim("", record...); code != 0 || !strings.Contains(out, "cases in 1 suites from script 1, 2 files changed") {
		t.Fatalf("got exit code %d, %v and\n%s", code, err, out)
	}
	if out, code, _ := runMonosim("", append(record, "--check")...); code != 0 || !strings.Contains(out, "0 files changed") {
		t.Errorf("recording again: got exit code %d and\n%s", code, out)
	}
	if out, code, _ := runMonosim("", "vectors", "lint", "--dir", dir); code != 0 {
		t.Errorf("lint of what was recorded: got exit code %d and\n%s", code, out)
	}
}

func TestDiffComparesTestees(t *testing.T) {
	out, code, _ := runMonosim("", "diff", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`), "--fuzz", "30", "--seed", "4", "--by", "case")
	for _, want := range []string{"utils.isabs ", "utils.isabs/seed-4-", "as a line for a case file:\n      {\"id\":", " cases for 1 testee: "} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	if code != command.ExitFailed {
		t.Errorf("got exit code %d, want %d", code, command.ExitFailed)
	}
	if again, _, _ := runMonosim("", "diff", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`), "--fuzz", "30", "--seed", "4", "--by", "case"); strings.SplitN(again, "\n", 3)[2] != strings.SplitN(out, "\n", 3)[2] {
		t.Errorf("the same seed gives another output:\n%s\nthen\n%s", out, again)
	}
}

func TestDiffOfTheEngineWithTheVectorsIsExplained(t *testing.T) {
	out, code, err := runMonosim("", "diff", "--suite", "zk_mirror")
	if code != 0 || !strings.Contains(out, "0 failed") {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestDiffWritesJUnitAndJSON(t *testing.T) {
	dir := t.TempDir()
	xmlFile, list := filepath.Join(dir, "report.xml"), filepath.Join(dir, "report.json")
	_, code, err := runMonosim("", "diff", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`), "--format", "junit:"+xmlFile, "--format", "json:"+list)
	if code != command.ExitFailed {
		t.Fatalf("got exit code %d, %v", code, err)
	}
	var suites junit.Suites
	if text, err := os.ReadFile(xmlFile); err != nil || xml.Unmarshal(text, &suites) != nil || suites.Tests == 0 || suites.Failures == 0 || suites.Failures == suites.Tests {
		t.Errorf("JUnit: got %v, %d tests, %d failures, want some of each", err, suites.Tests, suites.Failures)
	}
	var reports []json.RawMessage
	if text, err := os.ReadFile(list); err != nil || json.Unmarshal(text, &reports) != nil || len(reports) != 1 {
		t.Errorf("JSON: got %v, %d reports, want one", err, len(reports))
	}
}

func TestBadInputOfTheCommandsIsTold(t *testing.T) {
	t.Setenv("MONOLITH_SRC", "")
	cases := []struct {
		name string
		args []string
		want string
	}{
		{"an unknown suite", []string{"vectors", "verify", "--suite", "nope"}, "found no case"},
		{"a broken glob", []string{"vectors", "verify", "--suite", "["}, "syntax error in pattern"},
		{"a missing directory", []string{"vectors", "verify", "--dir", "/no/such"}, "--dir"},
		{"an unknown id", []string{"vectors", "show", "a/b"}, `found no case "a/b"`},
		{"no id", []string{"vectors", "show"}, "found no id"},
		{"a missing list", []string{"vectors", "verify", "--known-failing", "/no/such"}, "known failures"},
		{"a program that is not there", []string{"vectors", "verify", "--testee", "/no/such"}, "/no/such"},
		{"nobody to record from", []string{"vectors", "record"}, "want one"},
		{"no checkout", []string{"vectors", "record", "--python"}, "MONOLITH_SRC"},
		{"nothing to compare with", []string{"diff", "--fuzz", "3"}, "found neither --python nor --testee"},
		{"a known failure of no case", []string{"diff", "--suite", "utils.isabs", "--known-failing", write(t, "known.txt", "utils.isabs/seed-1-3\nutils.isabs/relativ\n")}, "--known-failing: found \"utils.isabs/relativ\""},
		{"a negative number", []string{"diff", "--fuzz", "-3"}, "found -3, want 0 or more"},
		{"a kind of difference that there is not", []string{"diff", "--ignore", "all"}, "--ignore: found \"all\", want logs, texts, blanks"},
		{"a way to print that there is not", []string{"diff", "--by", "op"}, "--by: found \"op\", want cause or case"},
		{"nobody to answer", []string{"diff", "--jobs", "0"}, "found 0, want 1 or more"},
		{"no time to answer", []string{"diff", "--timeout", "0s"}, "--timeout: found 0s, want a time above 0"},
		{"a negative number to print", []string{"vectors", "verify", "--most", "-1"}, "--most: found -1, want 0 or more"},
		{"a missing testee to show", []string{"vectors", "show", "--testee", "/no/such", "utils.isabs/hdfs"}, "/no/such"},
		{"an unknown format", []string{"diff", "--format", "pdf"}, `found "pdf"`},
		{"a count of none", []string{"vectors", "draw", "--count", "0"}, "count 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, code, err := runMonosim("", c.args...)
			if code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got exit code %d, %v and\n%s\nwant %d and %q", code, err, out, command.ExitBadInput, c.want)
			}
		})
	}
}

// Goal: diff groups failed cases by their cause and prints each cause once with its number.
func TestDiffCountsFailuresByTheirCauses(t *testing.T) {
	out, code, _ := runMonosim("", "diff", "--suite", "utils.isabs", "--testee", scriptTestee(t, `"out":true`))
	for _, want := range []string{"failures have 1 cause;", "  true in place of false\n", "see utils.py:", "cause 1, true in place of false, in utils.isabs/"} {
		if code != 1 || !strings.Contains(out, want) {
			t.Errorf("got exit code %d, found no %q in\n%s", code, want, out)
		}
	}
}

func TestDiffPrintsTheGrammar(t *testing.T) {
	out, code, err := runMonosim("", "diff", "--grammar")
	if code != 0 || err != nil || out != catalogue.Grammar() || !strings.Contains(out, "\ncondition\n") {
		t.Errorf("got exit code %d, %v and %d bytes, want the grammar of %d", code, err, len(out), len(catalogue.Grammar()))
	}
}
