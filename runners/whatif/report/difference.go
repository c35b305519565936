package report

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/runners/whatif/result"
)

// Difference returns a row of a table of what differs between two results: metric, scope, both
// values, and the difference with its interval, between tabs.
func Difference(d result.Difference) string {
	var scope []string
	for _, word := range []string{d.Scope.Condition, d.Scope.Window, d.Scope.Model, d.Scope.Tier, d.Scope.Event} {
		if word != "" {
			scope = append(scope, word)
		}
	}
	text := number(d.Unit, d.B-d.A)
	switch {
	case d.CI != nil && d.Differs:
		text += fmt.Sprintf(" [%s, %s]", number(d.Unit, d.CI[0]), number(d.Unit, d.CI[1]))
	case d.CI != nil:
		text += fmt.Sprintf(" [%s, %s], cannot be told from 0", number(d.Unit, d.CI[0]), number(d.Unit, d.CI[1]))
	}
	if d.Paired {
		text += ", paired"
	}
	return strings.Join([]string{d.Metric, strings.Join(scope, ", "), number(d.Unit, d.A), number(d.Unit, d.B), text, ""}, "\t")
}
