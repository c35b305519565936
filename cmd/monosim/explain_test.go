package main

import (
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/show/junit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Goal: the report of a failed scenario says what led to the failure. Method: scenarios whose last
// step is false, each after another kind of fault. Their output is compared with golden files that
// a person has reviewed.
func TestFailuresExplainThemselves(t *testing.T) {
	files, err := filepath.Glob("testdata/failures/*.feature")
	causes, err2 := filepath.Glob("testdata/causes/*.feature")
	if err != nil || err2 != nil || len(files) < 10 || len(causes) < 10 {
		t.Fatalf("testdata: found %d failures and %d causes (%v), want 10 or more of each", len(files), len(causes), err)
	}
	files = append(files, causes...)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			out, _, err := testCommand(filepath.ToSlash(file))
			if command.ExitCode(err) != command.ExitFailed {
				t.Fatalf("exit code: want %d, got %d (%v)\n%s", command.ExitFailed, command.ExitCode(err), err, out)
			}
			lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
			got := strings.Join(lines[:len(lines)-1], "") // the last line is left out: it contains the wall time
			golden := strings.TrimSuffix(file, ".feature") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (rewrite with -update and read the difference): (-want +got)\n%s", golden, diff)
			}
		})
	}
}

const failure = "testdata/failures/agent.killed.feature"

func TestExplainSaysHowMuch(t *testing.T) {
	for n, want := range map[string]int{"0": 0, "1": 1, "5": 5, "20": 20} {
		out, _, _ := testCommand(failure, "--explain", n)
		_, from, _ := strings.Cut(out, "FAILED")
		lines := strings.Split(from, "\n")
		begin := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  what happened") })
		end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  seed ") })
		got := 0
		if begin >= 0 {
			got = end - begin
		}
		if got != want {
			t.Errorf("--explain %s: want %d lines, got %d:\n%s", n, want, got, from)
		}
	}
}

// Goal: every report format says what led to a failure, including those for programs.
func TestReportsForProgramsSayWhatLedToIt(t *testing.T) {
	text, err := os.ReadFile(failure)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "x.feature", strings.Replace(string(text), "  Scenario", "  @Q152\n  Scenario", 1))
	pretty, _, _ := testCommand(path, "--format", "pretty")
	_, told, found := strings.Cut(pretty, "    what happened to ")
	told, _, _ = strings.Cut("    what happened to "+told, "\n\n")
	lines := strings.Split(told, "\n")
	if !found || len(lines) < 15 || !strings.HasPrefix(lines[len(lines)-2], "    about Q152 (fix): ") || !strings.HasPrefix(lines[len(lines)-1], "    replay with: ") {
		t.Fatalf("pretty: found %q, want what happened, the quirk and how to replay it", told)
	}
	junitReport, _, _ := testCommand(path, "--format", "junit")
	var suites junit.Suites
	if err := xml.Unmarshal([]byte(junitReport), &suites); err != nil {
		t.Fatal(err)
	}
	cucumberReport, _, _ := testCommand(path, "--format", "cucumber")
	var features []struct {
		Elements []struct {
			Steps []struct {
				Result struct {
					Error string `json:"error_message"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(cucumberReport), &features); err != nil {
		t.Fatal(err)
	}
	list := features[0].Elements[0].Steps
	for form, got := range map[string]string{"junit": suites.Suites[0].Cases[0].Failure.Text, "cucumber": list[len(list)-1].Result.Error} {
		for _, line := range lines {
			if line = strings.TrimSpace(line); !strings.Contains(got, line) {
				t.Errorf("%s: found no %q in\n%s", form, line, got)
			}
		}
	}
}

// Goal: writing a trace file does not change a run: its hash is the same with and without the file.
func TestTraceChangesNoTrace(t *testing.T) {
	args := []string{"builtin:", "--tags", "@outage", "--seeds", "2"}
	out, _, err := testCommand(args...)
	if err != nil {
		t.Fatal(err)
	}
	traced, _, err := testCommand(append(args, "--trace", filepath.Join(t.TempDir(), "x.jsonl"))...)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, _, want := last(t, out)
	if _, _, _, _, got := last(t, traced); got != want {
		t.Errorf("trace with --trace: want %s, got %s", want, got)
	}
}

// traceFile runs a command twice and returns the file that it wrote. It fails the test if the two
// files differ, or if another file is left behind.
func traceFile(t *testing.T, name string, run func(file string)) []byte {
	t.Helper()
	var first []byte
	for i := range 2 {
		dir := t.TempDir()
		run(filepath.Join(dir, name))
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("files: want %s alone, got %v", name, entries)
		}
		if i == 1 && string(data) != string(first) {
			t.Errorf("%s: two runs of one seed differ", name)
		}
		first = data
	}
	return first
}

func TestTraceAsJSONLines(t *testing.T) {
	data := traceFile(t, "x.jsonl", func(file string) {
		testCommand("testdata/failures", "--seeds", "2", "--trace", file)
	})
	type line struct {
		Run     int
		Seed    uint64
		N       int
		At      int64  `json:"at_ns"`
		Who     string `json:"who"`
		What    string `json:"what"`
		Because int    `json:"because_of"`
	}
	runs, n, causes := 0, 0, 0
	var before line
	whats := map[string]int{}
	for i, text := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if l.Run > 0 {
			if runs++; l.Run != runs || l.Seed == 0 {
				t.Errorf("line %d: want run %d with a seed, got %s", i+1, runs, text)
			}
			n, before = 0, line{}
			continue
		}
		if n++; l.N != n || l.At < before.At || l.Who == "" || l.What == "" || l.Because >= l.N {
			t.Errorf("line %d: want number %d, a time from %d on, who, what and an earlier cause, got %s", i+1, n, before.At, text)
		}
		if l.Because > 0 {
			causes++
		}
		whats[l.What]++
		before = l
	}
	if runs != 20 || causes == 0 {
		t.Errorf("want 20 runs and causes, got %d and %d", runs, causes)
	}
	for _, want := range []string{"remark", "fault.begin", "process.start", "zookeeper.create", "modelserver.state", "rpc", "log.info"} {
		if whats[want] == 0 {
			t.Errorf("found no %s in %v", want, whats)
		}
	}
}

func TestTraceForChrome(t *testing.T) {
	checkChrome(t, traceFile(t, "x.perfetto.json", func(file string) {
		testCommand("testdata/failures", "--trace", file)
	}), "processes", "sessions", "models", "calls", "faults", "events")
}

func TestSimTrace(t *testing.T) {
	checkChrome(t, traceFile(t, "x.json", func(file string) {
		code, out, message := monosim("sim", "--conf", "testdata/unified.conf", "--models", "testdata/exported", "--for", "5m", "--trace", file)
		if code != 0 {
			t.Fatalf("exit code %d: %s%s", code, out, message)
		}
	}), "processes", "sessions", "models", "calls", "events")
}

func TestTraceThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "missing", "x.json")
	if _, _, err := testCommand(failure, "--trace", file); command.ExitCode(err) != command.ExitBadInput {
		t.Errorf("test: exit code: want %d, got %d (%v)", command.ExitBadInput, command.ExitCode(err), err)
	}
	code, _, message := monosim("sim", "--conf", "testdata/unified.conf", "--models", "testdata/exported", "--for", "1m", "--trace", file)
	if code != command.ExitBadInput {
		t.Errorf("sim: exit code: want %d, got %d (%s)", command.ExitBadInput, code, message)
	}
}

type chromeEvent struct {
	Name, Cat, Ph string
	Ts, Dur       *float64
	Pid, Tid, ID  int
	Args          map[string]any
}

// checkChrome checks that a file keeps to the Trace Event Format, and has lanes of the given
// groups.
func checkChrome(t *testing.T, data []byte, groups ...string) {
	t.Helper()
	var file struct{ TraceEvents []chromeEvent }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	type thread struct{ pid, tid int }
	type span struct{ from, to float64 }
	spans, lanes, flows := map[thread][]span{}, map[thread]string{}, map[int]chromeEvent{}
	var ends []chromeEvent
	for i, e := range file.TraceEvents {
		on := thread{e.Pid, e.Tid}
		if e.Pid == 0 || e.Ts == nil || *e.Ts < 0 || e.Name == "" {
			t.Fatalf("event %d: want a name, a pid and a time, got %+v", i, e)
		}
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				lanes[on] = fmt.Sprint(e.Args["name"])
			}
		case "X":
			if e.Dur == nil || *e.Dur < 0 || lanes[on] == "" {
				t.Fatalf("event %d: want a duration and a thread that was named, got %+v", i, e)
			}
			spans[on] = append(spans[on], span{*e.Ts, *e.Ts + *e.Dur})
		case "s":
			flows[e.ID] = e
		case "f":
			ends = append(ends, e)
		default:
			t.Errorf("event %d: found phase %q", i, e.Ph)
		}
	}
	const rounding = 1e-4 // rounding error of microseconds as floating point
	inSlice := func(e chromeEvent) bool {
		return slices.ContainsFunc(spans[thread{e.Pid, e.Tid}], func(s span) bool { return s.from <= *e.Ts+rounding && *e.Ts < s.to })
	}
	for _, f := range ends {
		s, ok := flows[f.ID]
		if !ok || *s.Ts > *f.Ts || !inSlice(s) || !inSlice(f) {
			t.Errorf("flow %d: want one from an earlier slice to a later one, got %+v to %+v", f.ID, s, f)
		}
	}
	for on, list := range spans {
		slices.SortFunc(list, func(a, b span) int { return int(a.from*1000 - b.from*1000) })
		for i := 1; i < len(list); i++ {
			if list[i].from < list[i-1].to-rounding {
				t.Errorf("%s %v: slices overlap: %v, %v", lanes[on], on, list[i-1], list[i])
			}
		}
	}
	for _, want := range groups {
		if !slices.Contains(slices.Collect(maps.Values(lanes)), want) {
			t.Errorf("found no lane of %s", want)
		}
	}
	if len(ends) == 0 || len(ends) != len(flows) {
		t.Errorf("flows: want as many ends as beginnings, got %d and %d", len(ends), len(flows))
	}
}
