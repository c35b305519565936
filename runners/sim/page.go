package sim

import (
	_ "embed"
	"io"

	"github.com/monosim/monosim/runners/show/series"
	"github.com/monosim/monosim/runners/show/webpage"
)

//go:embed page.js
var pageScript string

// pageSamples holds the samples as a table, which is shorter in JSON than a list of objects.
type pageSamples struct {
	Kind    string      `json:"kind"`
	Columns []string    `json:"columns"`
	Rows    [][]float64 `json:"rows"`
}

// pageReport is the part of the page's data that holds the report. Values that depend on the
// machine are left out.
type pageReport struct {
	Kind   string  `json:"kind"`
	Report *Report `json:"report"`
}

type pageBars struct {
	Kind string `json:"kind"`
	Bars []Bar  `json:"bars"`
}

// WriteHTML writes the report as a page that needs no other file. It shows the start-up and
// roll-outs of each pod as bars, and rates and memory over time. Equal runs give equal bytes.
func (r *Report) WriteHTML(out io.Writer) error {
	page := webpage.Begin(out, webpage.Head{
		Title: "monosim sim: " + r.Conf, Styles: []string{webpage.PlotStyle}, Scripts: []string{webpage.PlotScript, pageScript},
	})
	same := *r
	same.WallSec = 0
	columns, rows := series.Rows(seriesColumns, r.Samples)
	for _, line := range []any{pageReport{"report", &same}, pageSamples{"samples", columns, rows}, pageBars{"bars", r.Bars}} {
		if err := page.Line(line); err != nil {
			return err
		}
	}
	return page.End()
}
