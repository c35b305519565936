package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/runners/diff/testee/conformance"
	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/vectors/golden"
)

// recordedPort is a testee that gives the recorded answers of a port.
type recordedPort struct {
	ops     []string
	answers map[string]testee.Answer
}

// readPort reads the recorded answers of monolith-rs. testdata/README.md says how they were made.
// Cases that were added later are skipped.
func readPort(t *testing.T) *recordedPort {
	t.Helper()
	file, err := os.Open("testdata/monolith-rs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := &recordedPort{answers: map[string]testee.Answer{}}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		id, a, err := testee.ParseAnswer(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		p.answers[id] = a
		if op, _, _ := strings.Cut(id, "/"); !slices.Contains(p.ops, op) {
			p.ops = append(p.ops, op)
		}
	}
	return p
}

func (p *recordedPort) Hello() (testee.Hello, error) {
	return testee.Hello{Name: "monolith-rs", Version: "017b708", Ops: p.ops}, nil
}

func (p *recordedPort) Answer(c *testee.Case) testee.Answer {
	if a, ok := p.answers[c.ID]; ok {
		return a
	}
	return testee.Answer{Kind: testee.Skipped, Why: "recorded later"}
}

func (p *recordedPort) Close() error { return nil }

func portReport(t *testing.T) *conformance.Report {
	t.Helper()
	suites, err := golden.Suites(golden.FS())
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Verify(readPort(t), suites, conformance.Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Goal: the failures of a real port are grouped into few causes. Among these are the causes that a
// person found by reading all failures. Method: the recorded answers of monolith-rs.
func TestTheFailuresOfAPortAreFewCauses(t *testing.T) {
	report := portReport(t)
	causes := conformance.CausesOf(report.Results)
	if failed := report.Counts().Failed; failed != 479 || len(causes) > 20 {
		t.Errorf("got %d failures and %d causes, want 479 of 20 at most", failed, len(causes))
	}
	for _, want := range []struct {
		cause, op string
		least     int
	}{
		{"blanks of JSON", "data_def.ModelMeta.serialize", 100},
		{"log lines missing", "utils.ZKPath", 56},
		{"JSONDecodeError in place of an answer, for NaN or Infinity", "data_def.ModelMeta.deserialize", 15},
		{"JSONDecodeError in place of an answer, for a number with a fraction or exponent", "data_def.ModelMeta.deserialize", 20},
		{"an answer in place of UnicodeDecodeError, for bytes that are not UTF-8", "data_def.ModelMeta.deserialize", 10},
		{"an answer in place of AttributeError", "data_def.ModelMeta.deserialize", 12}, // fault: lists are taken for objects
		{"JSONDecodeError in place of another exception, for a text or number in place of an object", "data_def.Event.deserialize", 20},
		{"order of entries", "utils.conf_parser", 10},
		{"entries too many", "utils.conf_parser", 5}, // fault: the third of three equal keys is kept
		// faults: the blank before a comment is kept; CR ends a line
		{"other differences of utils.conf_parser", "utils.conf_parser", 5},
		{"AssertionError in place of an answer", "utils.DeployType.compat_server_type", 10},
		// faults in the type of PS, and in that of mixed without a type
		{"other differences of utils.DeployType.compat_server_type", "utils.DeployType.compat_server_type", 5},
		{"another word in place of None in a text", "data_def.PublishMeta.get_path", 10},
		{"an empty text in place of null", "data_def.ReplicaMeta.get_address", 6},
		{"other differences of utils.ZKPath", "utils.ZKPath", 4}, // faults: a line break at the end, and words of Unicode
	} {
		i := slices.IndexFunc(causes, func(c conformance.Cause) bool { return c.String() == want.cause })
		if i < 0 || len(causes[i].Failures) < want.least || !slices.Contains(causes[i].Ops, want.op) || len(causes[i].Lines) == 0 {
			t.Errorf("found no %q of %s with %d failures and lines of the reference", want.cause, want.op, want.least)
		}
	}
	if t.Failed() {
		for _, c := range causes {
			t.Logf("%4d %v: %v", len(c.Failures), c, c.Ops)
		}
	}
}

// Goal: the counts of a cause agree with the failures. Alone and Left are right if they agree with
// the report after the cause is removed from every failure.
func TestWhatACauseLeaves(t *testing.T) {
	report := portReport(t)
	failed := report.Counts().Failed
	missing := conformance.CausesOf(report.Results)[1]
	if missing.What != "log lines missing" || missing.Alone+missing.Left != failed || missing.Alone > len(missing.Failures) {
		t.Fatalf("got %v with %d failures, %d alone and %d left of %d", missing, len(missing.Failures), missing.Alone, missing.Left, failed)
	}
	if n := report.Ignore([]string{"logs"}); n != missing.Alone {
		t.Errorf("ignoring logs: got %d more that pass, want %d", n, missing.Alone)
	}
	if got := report.Counts().Failed; got != missing.Left {
		t.Errorf("ignoring logs: got %d failures, want %d", got, missing.Left)
	}
	blanks := conformance.CausesOf(report.Results)[0]
	if n := report.Ignore([]string{"blanks"}); blanks.What != "blanks of JSON" || n < blanks.Alone {
		t.Errorf("ignoring blanks: got %d more that pass, want the %d of %v at least", n, blanks.Alone, blanks)
	}
}

// Goal: the cause of a failure names how the answers differ. Method: for each kind of difference,
// two answers that differ so.
func TestHowAnswersPart(t *testing.T) {
	for _, test := range []struct{ name, want, got, cause, ignored string }{
		{"blanks", `"out":"{\"a\": 1}"`, `"out":"{\"a\":1}"`, "blanks of JSON", "blanks"},
		{"escapes", `"out":"{\"a\": \"\\u00e9\"}"`, `"out":"{\"a\": \"é\"}"`, "how JSON writes texts or numbers", "blanks"},
		{"order in JSON", `"out":"{\"a\": 1, \"b\": 2}"`, `"out":"{\"b\": 2, \"a\": 1}"`, "order of keys in JSON", "blanks"},
		{"order further down in JSON", `"out":"{\"c\": [{\"a\": 1, \"b\": 2}]}"`, `"out":"{\"c\": [{\"b\": 2, \"a\": 1}]}"`, "order of keys in JSON", "blanks"},
		{"order of a list in JSON", `"out":"{\"a\": [1, 2]}"`, `"out":"{\"a\": [2, 1]}"`, "order of entries", ""},
		{"a value in JSON", `"out":"{\"a\": 1}"`, `"out":"{\"a\": 2}"`, "another integer", ""},
		{"a field in JSON", `"out":"{\"a\": 1}"`, `"out":"{}"`, "entries missing", ""},
		{"order of a list", `"out":[1,2]`, `"out":[2,1]`, "order of entries", ""},
		{"order of pairs", `"out":[["a",1],["b",2]]`, `"out":[["b",2],["a",1]]`, "order of entries", ""},
		{"class", `"error":{"type":"KeyError","message":"'a'"}`, `"error":{"type":"TypeError","message":""}`, "TypeError in place of another exception", ""},
		{"text", `"error":{"type":"RuntimeError","message":"a"}`, `"error":{"type":"RuntimeError","message":"b"}`, "text of RuntimeError", "texts"},
		{"raised", `"out":1`, `"error":{"type":"KeyError","message":""}`, "KeyError in place of an answer", ""},
		{"answered", `"error":{"type":"KeyError","message":""}`, `"out":1`, "an answer in place of KeyError", ""},
		{"raised within", `"out":{"a":{"r":1}}`, `"out":{"a":{"e":{"type":"KeyError","message":""}}}`, "KeyError in place of an answer", ""},
		{"logs missing", `"out":1,"logs":[["INFO","x"]]`, `"out":1`, "log lines missing", "logs"},
		{"logs differ", `"out":1,"logs":[["INFO","x"]]`, `"out":1,"logs":[["INFO","y"]]`, "log lines differ", "logs"},
		{"an effect missing", `"out":{"writes":[["/a","x"],["/b","y"]]}`, `"out":{"writes":[["/a","x"]]}`, "entries missing", ""},
		{"one of several effects missing", `"out":{"writes":[["ensure_path",{"path":"/a"}],["ensure_path",{"path":"/b"}]]}`, `"out":{"writes":[["ensure_path",{"path":"/a"}]]}`, "entries missing", ""},
		{"the other of several effects missing", `"out":{"writes":[["set",{"path":"/a"}],["set",{"path":"/b"}],["delete",{"path":"/c"}]]}`, `"out":{"writes":[["set",{"path":"/b"}],["delete",{"path":"/c"}]]}`, "entries missing", ""},
		{"a blank after JSON", `"out":{"$hex":"7b2261223a20317d"}`, `"out":{"$hex":"7b2261223a20317d0a"}`, "blanks of JSON", "blanks"},
		{"more blanks in JSON", `"out":"{\"a\": 1}"`, `"out":"{ \"a\":  1}"`, "blanks of JSON", "blanks"},
		{"logs at another level", `"out":1,"logs":[["ERROR","x"],["INFO","y"]]`, `"out":1,"logs":[["INFO","x"],["INFO","y"]]`, "log lines at another level", "logs"},
		{"no list of logs", `"out":1,"logs":[]`, `"out":1`, "log lines: field missing", "logs"},
		{"logs in an answer", `"out":{"logs":["x"]}`, `"out":{"logs":[]}`, "entries missing", ""},
		{"logs in another order", `"out":1,"logs":[["INFO","x"],["INFO","y"]]`, `"out":1,"logs":[["INFO","y"],["INFO","x"]]`, "log lines in another order", "logs"},
		{"a float", `"out":{"$f64":"1.0"}`, `"out":{"$f64":"1.5"}`, "another float", ""},
		{"null", `"out":null`, `"out":""`, "an empty text in place of null", ""},
		{"number form", `"out":1`, `"out":{"$f64":"1.0"}`, "a float in place of an integer", ""},
		{"bytes in capitals", `"out":{"$hex":"7b7d0a"}`, `"out":{"$hex":"7B7D0A"}`, "bytes not in the protocol's form", ""},
		{"half a byte", `"out":{"$hex":"7b7d"}`, `"out":{"$hex":"7b7"}`, "bytes not in the protocol's form", ""},
		{"other bytes", `"out":{"$hex":"ff"}`, `"out":{"$hex":"fe"}`, "another text", ""},
		{"another lone surrogate", `"out":"a\ud83d"`, `"out":"a\ud83e"`, "another text", ""},
		{"a bare float", `"out":{"$f64":"1.5"}`, `"out":1.5`, "a number not in the protocol's form in place of a float", ""},
		{"a bare float for an integer", `"out":1`, `"out":1.0`, "a number not in the protocol's form in place of an integer", ""},
		{"true", `"out":true`, `"out":{"a":1}`, "an object in place of a boolean", ""},
		{"false", `"out":"True"`, `"out":false`, "a boolean in place of a text", ""},
		{"the other boolean", `"out":true`, `"out":false`, "false in place of true", ""},
		{"one of several log lines missing", `"out":1,"logs":[["INFO","x"],["INFO","y"],["INFO","x"]]`, `"out":1,"logs":[["INFO","y"],["INFO","x"]]`, "log lines missing", "logs"},
		{"one log line too many", `"out":1,"logs":[["INFO","x"],["INFO","y"]]`, `"out":1,"logs":[["INFO","x"],["INFO","z"],["INFO","y"]]`, "log lines too many", "logs"},
		{"a log line missing, the others in another order", `"out":1,"logs":[["INFO","x"],["INFO","y"],["INFO","z"]]`, `"out":1,"logs":[["INFO","z"],["INFO","x"]]`, "log lines differ", "logs"},
		{"None", `"out":"/a/None:1"`, `"out":"/a/:1"`, "another word in place of None in a text", ""},
		{"a text cut off", `"out":"ab c"`, `"out":"ab"`, "a text cut off", ""},
		{"a text that goes on", `"out":"ab"`, `"out":"ab/"`, "a text that goes on", ""},
		{"a message", `"out":{"$pb":"a.B","hex":"0801"}`, `"out":{"$pb":"a.B","hex":"0802"}`, "another message", ""},
		{"blanks of a text", `"out":"a b"`, `"out":"a  b"`, "blanks of a text", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := partedReport(t, test.want, test.got)
			causes := conformance.CausesOf(report.Results)
			if len(causes) != 1 || causes[0].What != test.cause || causes[0].Alone != 1 {
				t.Errorf("got %v, want %s", causes, test.cause)
			}
			for _, kind := range conformance.Ignored() {
				want := 0
				if kind == test.ignored {
					want = 1
				}
				if got := partedReport(t, test.want, test.got).Ignore([]string{kind}); got != want {
					t.Errorf("ignoring %s: got %d that pass, want %d", kind, got, want)
				}
			}
		})
	}
}

// partedReport returns the report of one case, for which want was expected and got was answered.
func partedReport(t *testing.T, want, got string) *conformance.Report {
	t.Helper()
	_, expected, err := testee.ParseAnswer(`{"id":"a/b",` + want + `}`)
	if err != nil {
		t.Fatal(err)
	}
	_, came, err := testee.ParseAnswer(`{"id":"a/b",` + got + `}`)
	if err != nil {
		t.Fatal(err)
	}
	asked := &testee.Case{ID: "a/b", Op: "utils.isabs", Env: &pysem.Dict{}, In: &pysem.Dict{}}
	if expected.Beside != nil {
		asked.Shows = []string{"logs"}
	}
	c, err := conformance.ToVector(asked, expected, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	port := &recordedPort{ops: []string{"utils.isabs"}, answers: map[string]testee.Answer{"a/b": came}}
	report, err := conformance.Verify(port, []*golden.Suite{{Name: "utils", Cases: []golden.Case{c}}}, conformance.Selection{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestThePageHasEveryCauseAndFailure(t *testing.T) {
	var page bytes.Buffer
	report := portReport(t)
	if err := conformance.WriteHTML(&page, []conformance.SubjectReport{{Name: "port", DiffReport: &conformance.DiffReport{Report: *report}}}); err != nil {
		t.Fatal(err)
	}
	lines, err := webpage.Data(page.String())
	if err != nil || len(lines) != 1 {
		t.Fatalf("got %d lines of data (%v), want 1", len(lines), err)
	}
	var subject struct {
		Causes   []struct{ Example string }
		Failures []struct{ ID, Text string }
	}
	if err := json.Unmarshal(lines[0], &subject); err != nil {
		t.Fatal(err)
	}
	if len(subject.Causes) != len(conformance.CausesOf(report.Results)) || len(subject.Failures) != report.Counts().Failed || subject.Failures[0].Text == "" {
		t.Errorf("got %d causes and %d failures, want those of the report", len(subject.Causes), len(subject.Failures))
	}
}
