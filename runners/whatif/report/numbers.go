package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners/whatif/result"
)

// number writes a value of a unit of results with three digits.
func number(unit string, v float64) string {
	switch unit {
	case "ns":
		return duration(v)
	case "bytes":
		return bytes(v)
	case "fraction":
		return short(v*100) + " %"
	case "per_second":
		return thousands(v) + "/s"
	case "per_hour":
		return short(v) + "/h"
	}
	return thousands(v)
}

// interval returns the ends of an interval.
func interval(unit string, ci [2]float64) string {
	return fmt.Sprintf("[%s, %s]", number(unit, ci[0]), number(unit, ci[1]))
}

// duration writes nanoseconds: 1.25 ms, 46.8 ms, 3m41s.
func duration(ns float64) string {
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

func bytes(v float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; math.Abs(v) >= 1000 && i < len(units)-1; i++ {
		v /= 1024
	}
	return short(v) + " " + units[i]
}

// short returns a number with three digits.
func short(v float64) string {
	if math.Abs(v) >= 1000 {
		return thousands(v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// thousands writes 1,234, 12.3 k and 1.9 M.
func thousands(v float64) string {
	a := math.Abs(v)
	switch {
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

// estimate writes a value with its interval, or why there is none.
func estimate(e *result.Estimate) string {
	if e == nil {
		return "not asked"
	}
	if e.Value == nil {
		if e.Text != "" {
			return e.Text
		}
		return fmt.Sprintf("not enough data (n = %d)", e.N)
	}
	text := number(e.Unit, *e.Value)
	if e.CI != nil {
		text += fmt.Sprintf(" [%s, %s] @%s", number(e.Unit, e.CI[0]), number(e.Unit, e.CI[1]), percent(e.Confidence))
	}
	return text
}

func percent(fraction float64) string {
	return strconv.FormatFloat(math.Round(fraction*1e6)/1e4, 'f', -1, 64) + " %"
}

// point writes a point of a search: its paths in order.
func point(p map[string]string) string {
	var parts []string
	for _, path := range sortedKeys(p) {
		parts = append(parts, strings.TrimPrefix(path, "fleet.")+" "+p[path])
	}
	return strings.Join(parts, ", ")
}
