package report_test

import (
	"bytes"
	"encoding/csv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/whatif/report"
	"github.com/monosim/monosim/runners/whatif/result"
)

func TestEstimatesAreATable(t *testing.T) {
	v := 1.5e6
	e := result.Estimate{Metric: "p99(request)", Unit: "ns", Value: &v, CI: &[2]float64{1e6, 2e6}, Confidence: 0.95, N: 100, NEff: 50, Runs: 20, Scope: result.Scope{Window: `peak, "60s"`, Model: "ranker"}}
	none := result.Estimate{Metric: "p999(request)", Unit: "ns", Confidence: 0.95, Text: "not enough data (n = 100, need 1000)", N: 100}
	var b bytes.Buffer
	err := report.CSV(&b, &result.Result{Estimates: []result.Estimate{e, none}, Sweeps: []result.Sweep{{Cells: []result.Cell{{Point: map[string]string{"fleet.ps.replicas": "3"}, Estimates: []result.Estimate{e}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	row := []string{"p99(request)", "ranker", `peak, "60s"`, "", "ns", "1.5e+06", "1e+06", "2e+06", "0.95", "100", "50", "20", ""}
	want := [][]string{append([]string{""}, row...), {"", "p999(request)", "", "", "", "ns", "", "", "", "0.95", "100", "0", "0", none.Text}, append([]string{"ps.replicas 3"}, row...)}
	if diff := cmp.Diff(want, rows[1:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
