package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/vectors/golden"
)

// Goal: the output tells the author of a testee what was asked, what was expected and what came.
// Method: a testee in Python that gives a wrong answer to one case of one operation, in one of
// several ways. The test looks for the words that monosim prints then.

// isabsCases returns a directory with two recorded cases. The testee in testdata/diff/testee.py
// answers one of them wrongly.
func isabsCases(t *testing.T) string {
	t.Helper()
	all, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	var kept []*golden.Suite
	for _, s := range all {
		short := *s
		short.Cases = nil
		for _, c := range s.Cases {
			if c.ID == "utils.isabs/relative" || c.ID == "utils.isabs/root" {
				short.Cases = append(short.Cases, c)
			}
		}
		if short.Cases != nil {
			kept = append(kept, &short)
		}
	}
	files, err := golden.Files(kept)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wrongTestee returns the command of a testee that gives wrong answers in the way that how names.
func wrongTestee(t *testing.T, how string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	return python + " testdata/diff/testee.py " + how
}

const smallerRelative = `    a smaller case that differs as well, as a line for a case file:
      {"id":"utils.isabs/relative-small","op":"utils.isabs","env":{},"in":{"path":""},"out":false,"verdict":"match"}
    its answer (- expected, + the testee's):
`

const askedRelative = `
  utils.isabs/relative
    asked:
      {"id": "utils.isabs/relative", "op": "utils.isabs", "env": {"MY_HOST_IP": "10.1.2.3"}, "in": {"path": "a/b"}}
`

func TestDiffSaysWhatIsWrongWithAnAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes under the race detector; the whole tests have it")
	}
	dir := isabsCases(t)
	alike := func(difference string) string { // output in which the case and the smaller one have the same difference
		return askedRelative + "    answer (- expected, + the testee's):\n" + difference + smallerRelative + difference
	}
	for how, want := range map[string]string{
		"value": alike(`      - {"out": false}
      + {"out": "yes"}
`),
		"error": alike(`      - {"out": false}
      + {
      +   "error": {
      +     "type": "KeyError",
      +     "message": "'path'"
      +   }
      + }
`),
		"id": askedRelative + `    no answer:
      found an answer to "UTILS.ISABS/RELATIVE", want one to "utils.isabs/relative": one line of answer for each line, in order
`,
		"no-out": askedRelative + `    no answer:
      found the line {"id": "utils.isabs/relative", "result": false}
      want a JSON object with the id and one of out, error and skipped: found 0 of out, error and skipped, want exactly one
`,
		"json": askedRelative + `    no answer:
      found the line fals
      want a JSON object with the id and one of out, error and skipped: found no JSON: JSONDecodeError: Expecting value: line 1 column 1 (char 0)
`,
		"print": askedRelative + `    no answer:
      found the line looking at a/b
      want a JSON object with the id and one of out, error and skipped: found no JSON: JSONDecodeError: Expecting value: line 1 column 1 (char 0)
`,
		"exit": askedRelative + `    no answer:
      the testee ended without an answer: exit status 0
`,
		"hang": askedRelative + `    no answer:
      found no answer within 3s, want a line on stdout, flushed at once, for each line on stdin
`,
	} {
		t.Run(how, func(t *testing.T) {
			testee := wrongTestee(t, how)
			args := []string{"diff", "--dir", dir, "--testee", testee}
			if how == "hang" {
				args = append(args, "--timeout", "3s")
			}
			out, code, err := runMonosim("", args...)
			const total = "2 cases for 1 testee: 1 passed, 1 failed, 0 explained, 0 skipped\n"
			want := total + testee + `
  operation                                           passed  failed explained skipped
  utils.isabs                                              1       1         0       0
` + want + total
			if diff := cmp.Diff(want, out); diff != "" || code != command.ExitFailed {
				t.Errorf("got exit code %d, %v and (-want +got)\n%s", code, err, diff)
			}
		})
	}
}

func TestDiffShowsHowATesteeDied(t *testing.T) {
	out, code, _ := runMonosim("", "diff", "--dir", isabsCases(t), "--testee", wrongTestee(t, "exception"))
	for _, want := range []string{
		askedRelative + "    no answer:\n      the testee ended without an answer: exit status 1; stderr ends with:\n      Traceback",
		"\n      KeyError: 'pfad'\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
	if code != command.ExitFailed {
		t.Errorf("got exit code %d, want %d", code, command.ExitFailed)
	}
}

// Goal: one answer too many is noticed, at the next case or at the end of the run.
func TestDiffFindsAnAnswerTooMany(t *testing.T) {
	out, code, err := runMonosim("", "diff", "--dir", isabsCases(t), "--testee", wrongTestee(t, "twice"))
	text := out
	if err != nil {
		text += err.Error()
	}
	if code != command.ExitFailed || !strings.Contains(text, `an answer to "utils.isabs/relative", want`) && !strings.Contains(text, `found the line {"id": "utils.isabs/relative"`) {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestDiffCountsWhatATesteeSkips(t *testing.T) {
	out, code, err := runMonosim("", "diff", "--dir", isabsCases(t), "--testee", wrongTestee(t, "skipped"))
	if code != 0 || !strings.HasPrefix(out, "2 cases for 1 testee: 1 passed, 0 failed, 0 explained, 1 skipped\n") {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestDiffFailsWhenATesteeEndsBadly(t *testing.T) {
	_, code, err := runMonosim("", "diff", "--dir", isabsCases(t), "--testee", wrongTestee(t, "end"))
	if code != command.ExitFailed || err == nil || !strings.Contains(err.Error(), "found exit status 1, want exit status 0") || !strings.Contains(err.Error(), "the cache cannot be written") {
		t.Errorf("got exit code %d, %v", code, err)
	}
}

// Goal: a testee that answers no case at all fails the comparison.
func TestDiffRefusesATesteeThatAnswersNothing(t *testing.T) {
	for greeting, want := range map[string]string{
		`{"name":"a","version":"1","ops":["utils.IsAbs"]}`: "it answered none of 2 cases",
		`{"name":"a","version":"1","ops":[]}`:              "found a greeting with no operations",
		`{"name":"a","version":"1"}`:                       "ops: found nothing, want a list of strings",
		`{"name":"a","version":1,"ops":[]}`:                "version: found 1, want a string",
		`{"name":"a","version":"1","ops":[7]}`:             "ops[0]: found 7, want a string",
		`ready`:                                            "found the greeting ready",
	} {
		path := write(t, "greeting.sh", "#!/bin/sh\nwhile read -r line; do echo '"+greeting+"'; done\n")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, code, err := runMonosim("", "diff", "--dir", isabsCases(t), "--testee", path); code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got exit code %d, %v, want %q", greeting, code, err, want)
		}
	}
}

func TestDiffNamesOperationsThatNobodyAsks(t *testing.T) {
	path := write(t, "greeting.sh", `#!/bin/sh
while read -r line; do
  case "$line" in
  *'"hello"'*) echo '{"name":"a","version":"1","ops":["utils.isabs","utils.IsAbs"]}' ;;
  *) id=$(printf '%s' "$line" | sed 's/^{"id": "\([^"]*\)".*/\1/'); echo '{"id":"'"$id"'","out":true}' ;;
  esac
done
`)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	out, _, _ := runMonosim("", "diff", "--testee", path, "--most", "1")
	for _, want := range []string{
		"\n  the greeting has utils.IsAbs, of which there is no case\n",
		" operations that the greeting does not have ",
		" more differ\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("found no %q in\n%s", want, out)
		}
	}
}

func TestShowPrintsTheLineThatIsSent(t *testing.T) {
	out, code, err := runMonosim("", "vectors", "show", "--request", "utils.isabs/relative")
	want := `{"id": "utils.isabs/relative", "op": "utils.isabs", "env": {"MY_HOST_IP": "10.1.2.3"}, "in": {"path": "a/b"}}` + "\n"
	if code != 0 || out != want {
		t.Errorf("got exit code %d, %v and %s, want %s", code, err, out, want)
	}
	out, code, err = runMonosim("", "vectors", "show", "--testee", wrongTestee(t, "value"), "utils.isabs/relative")
	if code != 0 || !strings.HasSuffix(out, "\nthe testee differs (- expected, + the testee's):\n- {\"out\": false}\n+ {\"out\": \"yes\"}\n") {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}

func TestListNamesTheOperations(t *testing.T) {
	out, code, err := runMonosim("", "vectors", "list", "--ops", "--suite", "utils.gen_*")
	want := regexp.MustCompile(`^utils\.gen_model_spec\t\d+\nutils\.gen_model_config\t\d+\nutils\.gen_status_proto\t\d+\nutils\.gen_model_version_status\t\d+\n$`)
	if code != 0 || !want.MatchString(out) {
		t.Errorf("got exit code %d, %v and\n%s, want %v", code, err, out, want)
	}
}

func TestListOfNothingIsBadInput(t *testing.T) {
	if out, code, err := runMonosim("", "vectors", "list", "--suite", "none"); code != command.ExitBadInput || err == nil || !strings.Contains(err.Error(), `found no case for ["none"]`) {
		t.Errorf("got exit code %d, %v and\n%s, want %d and what was asked for", code, err, out, command.ExitBadInput)
	}
}

func TestHelpOfACommandThatIsNotThereIsBadInput(t *testing.T) {
	for _, args := range [][]string{{"help", "bogus"}, {"help", "vectors", "bogus"}, {"bogus"}, {"vectors", "bogus"}, {"test", "--bogus"}} {
		if out, code, err := runMonosim("", args...); code != command.ExitBadInput || err == nil {
			t.Errorf("%v: got exit code %d, %v and\n%s, want %d", args, code, err, out, command.ExitBadInput)
		}
	}
	if out, code, err := runMonosim("", "help", "vectors", "list"); code != 0 || !strings.Contains(out, "monosim vectors list [flags]") {
		t.Errorf("got exit code %d, %v and\n%s", code, err, out)
	}
}
