package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/tfserving/bench"
)

var report = bench.Report{Rows: []bench.Row{
	{What: "calls", Value: 75_000, Unit: "/s", Aim: 50_000},
	{What: "slow calls", Value: 25_000, Unit: "/s", Aim: 50_000, Note: "by all others too"},
	{What: "latency", Value: 1.234, Unit: "ms"},
	{What: "memory", Value: 16, Unit: "KiB", Aim: 64, AtMost: true},
	{What: "more memory", Value: 96, Unit: "KiB", Aim: 64, AtMost: true},
	{What: "just reached", Value: 60, Unit: "s", Aim: 60, AtMost: true},
}}

// Goal: the table has ratios and verdicts where there is an aim.
func TestReport(t *testing.T) {
	var out strings.Builder
	if err := report.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `what measured aim ratio
		calls 75000 /s >= 50000 1.50x reached
		slow calls 25000 /s >= 50000 0.50x missed, by all others too
		latency 1.23 ms
		memory 16.0 KiB <= 64 0.25x reached
		more memory 96.0 KiB <= 64 1.50x missed
		just reached 60.0 s <= 60 1.00x reached`
	if diff := cmp.Diff(strings.Fields(want), strings.Fields(out.String())); diff != "" {
		t.Errorf("words of the table (-want +got):\n%s", diff)
	}
	var missed []string
	for _, row := range report.Missed() {
		missed = append(missed, row.What)
	}
	if diff := cmp.Diff([]string{"slow calls", "more memory"}, missed); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
}

// Goal: the JSON output has the same numbers and verdicts as the table.
func TestReportAsJSON(t *testing.T) {
	short := bench.Report{Rows: report.Rows[1:4]}
	var out strings.Builder
	if err := short.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	want := `{
  "rows": [
    {
      "what": "slow calls",
      "value": 25000,
      "unit": "/s",
      "aim": 50000,
      "note": "by all others too",
      "ratio": 0.5,
      "reached": false
    },
    {
      "what": "latency",
      "value": 1.234,
      "unit": "ms"
    },
    {
      "what": "memory",
      "value": 16,
      "unit": "KiB",
      "aim": 64,
      "at_most": true,
      "ratio": 0.25,
      "reached": true
    }
  ]
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}
