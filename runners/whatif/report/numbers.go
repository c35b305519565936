package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	units "github.com/monosim/monosim/runners/whatif/quantity"
	"github.com/monosim/monosim/runners/whatif/result"
)

// quantity is the type set of the numbers that results hold: integers and floats.
type quantity interface{ ~int | ~int64 | ~float64 }

// number formats a value to three significant digits. unit is a unit of results, such as
// "ns" or "bytes".
func number(unit string, v float64) string { return units.Text(kindOf(unit), v, digits) }

func kindOf(unit string) units.Kind {
	switch unit {
	case "ns":
		return units.Duration
	case "bytes":
		return units.Bytes
	case "fraction":
		return units.Percent
	case "per_second":
		return units.Rate
	case "per_hour":
		return units.Cost
	}
	return units.Number
}

// share formats a fraction of one as a percentage.
func share(v float64) string { return units.Text(units.Percent, v, digits) }

// rate formats a rate per second.
func rate(v float64) string { return thousands(v) + "/s" }

// hourly formats a cost per hour in the currency of the plan.
func hourly(r *result.Result, v float64) string { return short(v) + currency(r) + "/h" }

func currency(r *result.Result) string { return " " + cmp.Or(r.Currency, "$") }

// either returns its second parameter if the first is true, otherwise its third.
func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// joined joins the words that are not empty, with between as separator.
func joined(between string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), between)
}

// interval formats a confidence interval as "[low, high]" in the given unit.
func interval(unit string, ci [2]float64) string {
	_, text := within(unit, 0, ci)
	return text
}

// within formats a value and its confidence interval. It uses more digits if the ends of the
// interval would otherwise look the same, because the value would then seem to be exact.
func within(unit string, v float64, ci [2]float64) (value, text string) {
	kind, n := kindOf(unit), digits
	for ; n < mostDigits && ci[0] != ci[1] && units.Text(kind, ci[0], n) == units.Text(kind, ci[1], n); n++ {
	}
	return units.Text(kind, v, n), fmt.Sprintf("[%s, %s]", units.Text(kind, ci[0], n), units.Text(kind, ci[1], n))
}

// digits is how many significant digits of a number reports show. mostDigits is how many they show
// at most if the ends of a narrow interval would look alike with fewer.
const (
	digits     = 3
	mostDigits = 8
)

// duration formats nanoseconds, such as 1.25 ms, 46.8 ms or 3m41s.
func duration[N quantity](n N) string { return units.Text(units.Duration, float64(n), digits) }

// bytes formats a number of bytes, such as 1.2 GiB.
func bytes[N quantity](n N) string { return units.Text(units.Bytes, float64(n), digits) }

// short formats a number to three significant digits.
func short(v float64) string { return units.Text(units.Number, v, digits) }

// thousands formats a large number, such as 1,234, 12.3 k or 1.9 M.
func thousands[N quantity](n N) string { return units.Text(units.Number, float64(n), digits) }

// estimate formats a value with its confidence interval. For an estimate without a value it
// returns the reason.
func estimate(e *result.Estimate) string {
	if e.Value == nil {
		return cmp.Or(e.Text, fmt.Sprintf("not enough data (n = %d)", e.N))
	}
	if e.CI == nil {
		return number(e.Unit, *e.Value)
	}
	value, ci := within(e.Unit, *e.Value, *e.CI)
	return fmt.Sprintf("%s %s @%s", value, ci, percent(e.Confidence))
}

func percent(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// point formats the values of a configuration as "path = value", sorted by path.
func point(p map[string]string) string {
	parts := lists.MapOrNil(sortedKeys(p), func(path string) string { return strings.TrimPrefix(path, "fleet.") + " " + p[path] })
	return strings.Join(parts, ", ")
}
