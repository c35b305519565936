package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/result"
)

// columns are the headings of the table. Values are in base units (ns, bytes), as in the JSON.
var columns = []string{"cell", "metric", "model", "window", "condition", "unit", "value", "low", "high", "confidence", "n", "n_eff", "replications", "text"}

// CSV writes the estimates of a result as a table. The first column names the cell of a
// sweep or the alternative to which the row belongs. It is empty for rows of the result
// itself.
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

// SeriesCSV writes a table over time, with a row for each step of each window that contains
// events. Values are in base units, over all replications. Low and high bound the middle 90
// % of the replications' own values.
func SeriesCSV(w io.Writer, r *result.Result) error {
	out := csv.NewWriter(w)
	head := []string{"window", "at", "offered"}
	for _, name := range []string{"errors", "goodput", "p50", "p99"} {
		head = append(head, name, name+"_low", name+"_high")
	}
	for _, t := range r.Tiers {
		for _, name := range []string{"busy_cores", "waiting", "live"} {
			head = append(head, name+"_"+t.Name, name+"_"+t.Name+"_low", name+"_"+t.Name+"_high")
		}
		head = append(head, "mem_"+t.Name)
	}
	rows := [][]string{append(head, "zookeeper", "event")}
	for _, s := range r.Series {
		for k := range s.Points {
			rows = append(rows, momentRow(r, &s, &s.Points[k]))
		}
	}
	return out.WriteAll(rows)
}

func momentRow(r *result.Result, s *result.Series, m *result.Moment) []string {
	row := []string{s.Window, strconv.FormatInt(m.At, 10), exact(m.Offered)}
	banded := func(list ...*result.Banded) {
		for _, b := range list {
			if b == nil {
				row = append(row, "", "", "")
				continue
			}
			row = append(row, exact(b.Value), exact(b.Low), exact(b.High))
		}
	}
	banded(m.Errors, m.Goodput, m.P50, m.P99)
	for _, t := range r.Tiers {
		banded(m.Busy[t.Name], m.Waiting[t.Name], m.Live[t.Name])
		row = append(row, strconv.FormatInt(m.Mem[t.Name], 10))
	}
	events := lists.Select(s.Marks, func(mark result.Mark) (string, bool) { return mark.Text, mark.At >= m.At && mark.At < m.At+s.Step })
	return append(row, exact(m.ZooKeeper), strings.Join(events, "; "))
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
