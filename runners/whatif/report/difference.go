package report

import (
	"strings"

	"github.com/monosim/monosim/runners/whatif/result"
)

// Difference returns one row of the table that compares two results. Its cells are separated
// by tabs: metric, scope, both values, and the difference with its confidence interval.
func Difference(d result.Difference) string {
	scope := joined(", ", d.Scope.Condition, d.Scope.Window, d.Scope.Model, d.Scope.Tier, d.Scope.Event)
	text := number(d.Unit, d.B-d.A)
	if d.CI != nil {
		text += " " + interval(d.Unit, *d.CI) + either(d.Differs, "", ", cannot be told from 0")
	}
	text += either(d.Paired, ", paired", "")
	return strings.Join([]string{d.Metric, scope, number(d.Unit, d.A), number(d.Unit, d.B), text, ""}, "\t")
}
