package train

import (
	_ "embed"
	"io"

	"github.com/monosim/monosim/runners/show/series"
	"github.com/monosim/monosim/runners/show/webpage"
)

//go:embed page.js
var pageScript string

// pageData is the data of the page, as JSON.
type pageData struct {
	// Report omits values that depend on the machine.
	Report *Report `json:"report"`
	// Wrong says why the run is a failure, "" if it is none.
	Wrong   string      `json:"wrong,omitempty"`
	Columns []string    `json:"columns"`
	Rows    [][]float64 `json:"rows"`
	Bars    []Bar       `json:"bars"`
}

// WriteHTML writes the report as a page that needs no other file. It shows steps, the
// running times of processes, and failures over time. Equal runs give equal bytes.
func (r *Report) WriteHTML(out io.Writer) error {
	page := webpage.Begin(out, webpage.Head{Title: "monosim train: " + r.Plan, Styles: []string{webpage.PlotStyle}, Scripts: []string{webpage.PlotScript, pageScript}})
	same := *r
	same.WallSec = 0
	names, rows := series.Rows(r.columns(), r.Samples)
	if err := page.Line(pageData{&same, r.Wrong(), names, rows, r.Bars}); err != nil {
		return err
	}
	return page.End()
}
