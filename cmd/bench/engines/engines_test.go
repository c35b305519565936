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
		"measured version=0.1.13 events=1999342 ns=201500000\n":                        {"0.1.13", 1999342, 201500000},
		"=== RUN\nmeasured version=1.26.1 events=7 ns=5\nPASS\n":                       {"1.26.1", 7, 5},
		"[0.000] [kernel/INFO] hello\r\nmeasured version=? events=200000 ns=1e8\nmore": {"?", 200000, 1e8},
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

// Goal: the table has the rows in the order of the list, ratios to our row of the same work
// and size, and a word on runs that had other work to do.
func TestTheTableHasRatiosToOurs(t *testing.T) {
	runs := func(costs ...float64) (list []sample) {
		for _, c := range costs {
			list = append(list, sample{"1.0", 1000, c * 1000})
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
		{callbacks, 100, ours, "1.0", 50, 60, 1, "with a hash"},
		{callbacks, 100, "desru", "1.0", 90, 120, 2, "no hash"},
		{tasks, 100, ours, "1.0", 200, 200, 1, "with a hash"},
		{tasks, 100, "tokio", "1.0", 100, 100, 0.5, "no hash; 1000 events in place of 2000"},
	}, []absent{{"SimPy", "python3: ModuleNotFoundError: No module named 'simpy'"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var out bytes.Buffer
	if err := got.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`(?m)^callbacks, 100 models +version +ns an event: best +median +times ours`,
		`(?m)^desru +1\.0 +90\.0 +120\.0 +2\.00 +no hash$`,
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

// Goal: the command builds our part, runs it in rounds and prints what can be read again.
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
		if r.Best <= 0 || r.Median < r.Best || strings.Contains(r.Note, "in place of") {
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
