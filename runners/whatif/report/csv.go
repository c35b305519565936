package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/monosim/monosim/runners/whatif/result"
)

// columns are the headings of the table; values are in base units, as in JSON.
var columns = []string{"cell", "metric", "model", "window", "condition", "unit", "value", "low", "high", "confidence", "n", "n_eff", "replications", "text"}

// CSV writes the estimates of a result as a table. The first column names the cell of a sweep or
// the alternative that a row belongs to, and is empty for the result itself.
func CSV(w io.Writer, r *result.Result) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	rows := func(cell string, list []result.Estimate) error {
		for i := range list {
			if err := out.Write(row(cell, &list[i])); err != nil {
				return err
			}
		}
		return nil
	}
	if err := rows("", r.Estimates); err != nil {
		return err
	}
	for _, s := range append(r.Sweeps, result.Sweep{Cells: r.Alternative}) {
		for i := range s.Cells {
			if err := rows(point(s.Cells[i].Point), s.Cells[i].Estimates); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func row(cell string, e *result.Estimate) []string {
	value, low, high := "", "", ""
	if e.Value != nil {
		value = exact(*e.Value)
	}
	if e.CI != nil {
		low, high = exact(e.CI[0]), exact(e.CI[1])
	}
	return []string{cell, e.Metric, e.Scope.Model, e.Scope.Window, e.Scope.Condition, e.Unit, value, low, high, exact(e.Confidence), strconv.FormatInt(e.N, 10), exact(e.NEff), strconv.Itoa(e.Runs), e.Text}
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
