package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReadsTheLineThatPeersPrint(t *testing.T) {
	for text, want := range map[string]sample{
		"measured version=0.1.13 events=1999342 ns=201500000\n":                        {"0.1.13", 1999342, 201500000, 0},
		"=== RUN\nmeasured version=1.26.1 events=7 ns=5\nPASS\n":                       {"1.26.1", 7, 5, 0},
		"[0.000] [kernel/INFO] hello\r\nmeasured version=? events=200000 ns=1e8\nmore": {"?", 200000, 1e8, 0},
	} {
		got, err := parse([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRefusesWhatIsNoMeasurement(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "found no line that begins with measured",
		"2000000 201500000\n":                   "found no line that begins with measured",
		"measured version=1 events=many ns=5\n": "want measured version=VERSION events=NUMBER ns=NUMBER",
		"measured version=1 events=0 ns=5\n":    "want events and time above 0",
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

// Goal: the table keeps the order of the list, and shows each row's ratio to our engine's row of
// the same work and size. It marks a row whose run had another number of events.
func TestTheTableHasRatiosToOurs(t *testing.T) {
	runs := func(costs ...float64) (list []sample) {
		for _, c := range costs {
			list = append(list, sample{"1.0", 1000, 2 * c * 1000, c * 1100})
		}
		return list
	}
	results := []result{
		{key{callbacks, 100, ours}, "with a hash", 1000, runs(60, 50, 90)},
		{key{callbacks, 100, "desru"}, "no hash", 1000, runs(120, 121, 90)},
		{key{tasks, 100, ours}, "with a hash", 1000, runs(200)},
		{key{tasks, 100, "tokio"}, "no hash", 2000, runs(100)},
	}
	got := summarize(results, []absent{{"SimPy", "python3: ModuleNotFoundError: No module named 'simpy'"}}, 3)
	want := report{3, []row{
		{callbacks, 100, ours, "1.0", 100, 120, 60, 1, "with a hash"},
		{callbacks, 100, "desru", "1.0", 180, 240, 120, 2, "no hash"},
		{tasks, 100, ours, "1.0", 400, 400, 200, 1, "with a hash"},
		{tasks, 100, "tokio", "1.0", 200, 200, 100, 0.5, "no hash; 1000 events in place of 2000"},
	}, []aimed{
		{callbacks, 100, "ahead of desru; ns-3, map; ns-3, priority queue", "0.50 of desru; ns-3, map was not measured; ns-3, priority queue was not measured", "reached"},
		{tasks, 100, "ahead of madsim", "madsim was not measured", "unknown"},
	}, []absent{{"SimPy", "python3: ModuleNotFoundError: No module named 'simpy'"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if err := got.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`(?m)^callbacks, 100 models +version +ns an event: best +median +cpu +times ours`,
		`(?m)^desru +1\.0 +180\.0 +240\.0 +120\.0 +2\.00 +no hash$`,
		`(?m)^tasks, 100 models: ahead of madsim +madsim was not measured +unknown$`,
		`(?m)^SimPy +python3: ModuleNotFoundError: No module named 'simpy'$`,
	} {
		if !regexp.MustCompile(line).MatchString(out.String()) {
			t.Errorf("the table has no line that matches %s:\n%s", line, out.String())
		}
	}
}

func TestTheFirstErrorOfACompilerIsWhatIsSaid(t *testing.T) {
	output := "   Compiling x v1\nerror: failed to get `desru` as a dependency\n\nCaused by:\n  no network\n"
	if got, want := firstError([]byte(output), io.EOF), "error: failed to get `desru` as a dependency"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := firstError(nil, io.EOF), "EOF"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Goal: an aim is missed when even one of its engines is faster than ours, or when an event
// costs more nanoseconds than the aim allows.
func TestAims(t *testing.T) {
	line := func(work string, n int, engine string, cpu float64) row {
		return row{Work: work, Models: n, Engine: engine, CPU: cpu, Median: 1}
	}
	rows := []row{
		line(callbacks, 100, ours, 60), line(callbacks, 100, "desru", 80), line(callbacks, 100, "ns-3, map", 50),
		line(tasks, 100, ours, 60), line(tasks, 100, "madsim", 80),
		line(tasks, 10_000, ours, 901),
	}
	var got []string
	for _, a := range judge(rows) {
		got = append(got, a.Found+": "+a.Verdict)
	}
	want := []string{
		"0.75 of desru; 1.20 of ns-3, map; ns-3, priority queue was not measured: missed",
		"0.75 of madsim: reached",
		"901 ns: missed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("aims (-want +got):\n%s", diff)
	}
}

// Goal: the command builds our own programs, runs them in rounds, and prints output that can be
// parsed again.
func TestOursIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	t.Chdir("../../..")
	o, err := parseFlags([]string{"-only", "^ours", "-rounds", "2", "-scale", "0.01", "-json", "-dir", filepath.Join(t.TempDir(), "engines")})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(context.Background(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var rows []key
	for _, r := range got.Rows {
		if r.Best <= 0 || r.Median < r.Best || r.CPU <= 0 || strings.Contains(r.Note, "in place of") {
			t.Errorf("row %+v, want costs above 0 and all events", r)
		}
		rows = append(rows, key{r.Work, r.Models, r.Engine})
	}
	off := ours + ", hash off"
	want := []key{
		{callbacks, 100, ours}, {callbacks, 100, off}, {callbacks, 10_000, ours}, {callbacks, 10_000, off},
		{tasks, 100, ours}, {tasks, 100, off}, {tasks, 10_000, ours}, {tasks, 10_000, off},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(key{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
