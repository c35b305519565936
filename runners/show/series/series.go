// Package series writes samples of a run, taken one after the other, as a table: CSV for
// spreadsheets, rows of numbers for pages.
//
// Two things to use first: [Write] for CSV, and [Rows] for a page. [Column] describes a column of
// the table.
//
// Unstable: any commit may change it.
package series

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/monosim/monosim/engine/lists"
)

// Column is a column in a table of samples. Value computes its number from a sample.
type Column[S any] struct {
	Name  string
	Value func(*S) float64
}

// Write writes samples as CSV. The first row has the names of the columns.
func Write[S any](out io.Writer, columns []Column[S], samples []S) error {
	names, rows := Rows(columns, samples)
	w := csv.NewWriter(out)
	_ = w.Write(names) // the error is not looked at here: w.Error returns it
	for _, row := range rows {
		_ = w.Write(lists.Map(row, Decimal))
	}
	w.Flush()
	return w.Error()
}

// Rows returns the names of the columns, and the numbers of each sample as a row.
func Rows[S any](columns []Column[S], samples []S) (names []string, rows [][]float64) {
	rows = make([][]float64, len(samples))
	for i := range samples {
		rows[i] = lists.Map(columns, func(c Column[S]) float64 { return c.Value(&samples[i]) })
	}
	return lists.Map(columns, func(c Column[S]) string { return c.Name }), rows
}

// Decimal formats a number with at most three decimals, without zeros at the end.
func Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}
