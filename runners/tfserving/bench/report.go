package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/monosim/monosim/engine/lists"
)

// Report holds the results of a benchmark.
type Report struct {
	Rows []Row `json:"rows"`
}

// Row is one result with its aim.
type Row struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Aim is 0 for a result without an aim. AtMost means that a smaller value is better.
	Aim    float64 `json:"aim,omitempty"`
	AtMost bool    `json:"at_most,omitempty"`
	// Note is a remark about the number or its aim.
	Note string `json:"note,omitempty"`
}

func (r *Report) add(rows ...Row) { r.Rows = append(r.Rows, rows...) }

// Ratio returns the value divided by the aim.
func (r Row) Ratio() float64 { return r.Value / r.Aim }

// Missed reports whether the row has an aim that its value misses.
func (r Row) Missed() bool {
	return r.Aim > 0 && (r.AtMost && r.Value > r.Aim || !r.AtMost && r.Value < r.Aim)
}

// Missed returns the rows whose aims were not reached.
func (r *Report) Missed() (rows []Row) {
	return lists.Filter(r.Rows, Row.Missed)
}

// Write prints the table.
func (r *Report) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tmeasured\taim\tratio\t\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s %s\t%s\t\n", row.What, digits(row.Value), row.Unit, row.verdict())
	}
	return w.Flush()
}

func (r Row) verdict() string {
	if r.Aim == 0 {
		return "\t\t"
	}
	sign, verdict := ">=", "reached"
	if r.AtMost {
		sign = "<="
	}
	if r.Missed() {
		verdict = "missed"
	}
	if r.Note != "" {
		verdict += ", " + r.Note
	}
	return fmt.Sprintf("%s %g\t%.2fx\t%s", sign, r.Aim, r.Ratio(), verdict)
}

// digits formats a number with three significant digits, but never rounds digits before the
// decimal point.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// WriteJSON prints the rows as one object, with ratios and verdicts.
func (r *Report) WriteJSON(out io.Writer) error {
	type row struct {
		Row
		Ratio   float64 `json:"ratio,omitempty"`
		Reached *bool   `json:"reached,omitempty"`
	}
	all := struct {
		Rows []row `json:"rows"`
	}{}
	for _, one := range r.Rows {
		full := row{Row: one}
		if one.Aim > 0 {
			reached := !one.Missed()
			full.Ratio, full.Reached = one.Ratio(), &reached
		}
		all.Rows = append(all.Rows, full)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}
