package tables

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseReadsEveryNumberOfALine(t *testing.T) {
	got, err := parse([]byte("goos: linux\nBenchmarkDay/v3/agents=10-2   \t       1\t   62034 B/agent\t 480694 virtual/wall\nPASS\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[key]float64{
		{"BenchmarkDay/v3/agents=10", "B/agent"}:      62034,
		{"BenchmarkDay/v3/agents=10", "virtual/wall"}: 480694,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestParseRefusesWhatIsNoNumber(t *testing.T) {
	if _, err := parse([]byte("BenchmarkX-2 1 many ns/op\n")); err == nil {
		t.Error("got no error, want one that names the line")
	}
}

func TestFlagsThatMakeNoSenseAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		only, base string
		limit      time.Duration
		want       string // "" for good
	}{
		{limit: time.Hour},
		{only: "growth", limit: time.Hour},
		{only: "events", limit: time.Hour},
		{only: "growht", limit: time.Hour, want: `--only: found no row with "growht"`},
		{base: filepath.Join(dir, "none"), limit: time.Hour, want: "--base: "},
		{base: dir, limit: time.Hour, want: "--base: found the directory"},
		{limit: 0, want: "--limit: found 0s"},
	} {
		err := checkFlags(c.only, c.base, c.limit)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

func TestTheVerdictComparesWithTheAim(t *testing.T) {
	r := row{what: "events/s", unit: "events/s", aim: 20e6}
	for value, want := range map[float64]string{25e6: "reached", 10e6: "50 %"} {
		if got := r.verdict(value); got != want {
			t.Errorf("verdict of %g: got %q, want %q", value, got, want)
		}
	}
}
