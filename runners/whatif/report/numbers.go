package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners/whatif/result"
)

// quantity is the type set of the numbers that results hold: integers and floats.
type quantity interface{ ~int | ~int64 | ~float64 }

// number formats a value to three significant digits. unit is a unit of results, such as
// "ns" or "bytes".
func number(unit string, v float64) string {
	switch unit {
	case "ns":
		return duration(v)
	case "bytes":
		return bytes(v)
	case "fraction":
		return share(v)
	case "per_second":
		return rate(v)
	case "per_hour":
		return short(v) + "/h"
	}
	return thousands(v)
}

// share formats a fraction of one as a percentage.
func share(v float64) string { return short(v*100) + " %" }

// rate formats a rate per second.
func rate(v float64) string { return thousands(v) + "/s" }

// hourly formats a cost per hour in the currency of the plan.
func hourly(r *result.Result, v float64) string { return short(v) + currency(r) + "/h" }

func currency(r *result.Result) string { return " " + cmp.Or(r.Currency, "$") }

// either returns yes if is is true, else no.
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
	return fmt.Sprintf("[%s, %s]", number(unit, ci[0]), number(unit, ci[1]))
}

// duration formats nanoseconds, such as 1.25 ms, 46.8 ms or 3m41s.
func duration[N quantity](n N) string {
	ns := float64(n)
	switch a := math.Abs(ns); {
	case a < 1e3:
		return short(ns) + " ns"
	case a < 1e6:
		return short(ns/1e3) + " us"
	case a < 1e9:
		return short(ns/1e6) + " ms"
	case a < 60e9:
		return short(ns/1e9) + " s"
	}
	return time.Duration(ns).Round(time.Second).String()
}

// bytes formats a number of bytes, such as 1.2 GiB.
func bytes[N quantity](n N) string {
	v, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; math.Abs(v) >= 1000 && i < len(units)-1; i++ {
		v /= 1024
	}
	return short(v) + " " + units[i]
}

// short formats a number to three significant digits.
func short(v float64) string {
	if math.Abs(v) >= 1000 {
		return thousands(v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// thousands formats a large number, such as 1,234, 12.3 k or 1.9 M.
func thousands[N quantity](n N) string {
	v := float64(n)
	switch a := math.Abs(v); {
	case a >= 1e9:
		return strconv.FormatFloat(v/1e9, 'g', 3, 64) + " G"
	case a >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + " M"
	case a >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 3, 64) + " k"
	case a >= 1e3:
		s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
		return s[:len(s)-3] + "," + s[len(s)-3:]
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// estimate formats a value with its confidence interval. For an estimate without a value it
// returns the reason.
func estimate(e *result.Estimate) string {
	if e.Value == nil {
		return cmp.Or(e.Text, fmt.Sprintf("not enough data (n = %d)", e.N))
	}
	text := number(e.Unit, *e.Value)
	if e.CI != nil {
		text += fmt.Sprintf(" %s @%s", interval(e.Unit, *e.CI), percent(e.Confidence))
	}
	return text
}

func percent(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// point formats the values of a configuration as "path = value", sorted by path.
func point(p map[string]string) string {
	parts := lists.MapOrNil(sortedKeys(p), func(path string) string { return strings.TrimPrefix(path, "fleet.") + " " + p[path] })
	return strings.Join(parts, ", ")
}
