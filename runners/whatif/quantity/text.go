package quantity

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Text formats a value that was measured or computed, in the base unit of its kind. Reports, and
// the reasons that they give, show such a value with a limited number of significant digits: 1.25
// ms, 3m41s, 12.3 k/s. A value that a plan states is formatted by [Format], which loses nothing.
func Text(kind Kind, value float64, digits int) string {
	switch kind {
	case Duration:
		return durationText(value, digits)
	case Bytes:
		return bytesText(value, digits)
	case ByteRate:
		return bytesText(value, digits) + "/s"
	case Rate:
		return countText(value, digits) + "/s"
	case Cost:
		return countText(value, digits) + "/h"
	case Percent:
		return grouped(value*100, digits) + " %"
	case Factor:
		return grouped(value, digits) + "x"
	}
	return countText(value, digits)
}

// rounded rounds to significant digits. Callers choose the unit only after rounding, so that 999.7
// becomes 1,000 and not 1e+03.
func rounded(v float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil {
		panic(err) // cannot happen: the text was formatted from a number
	}
	return r
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// durationText formats nanoseconds. A duration of a minute or more is rounded to whole seconds, or
// to tenths of a second if digits is 4.
func durationText(ns float64, digits int) string {
	v := rounded(ns, digits)
	switch a := math.Abs(v); {
	case a < 1e3:
		return plain(v) + " ns"
	case a < 1e6:
		return plain(rounded(v/1e3, digits)) + " us"
	case a < 1e9:
		return plain(rounded(v/1e6, digits)) + " ms"
	case a < 60e9:
		return plain(rounded(v/1e9, digits)) + " s"
	}
	unit := time.Second
	for range digits - 3 {
		unit /= 10
	}
	return time.Duration(ns).Round(unit).String()
}

func bytesText(v float64, digits int) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; math.Abs(rounded(v, digits)) >= 1000 && i < len(units)-1; i++ {
		v /= 1024
	}
	return countText(v, digits) + " " + units[i]
}

// grouped formats numbers such as 1,234 or 12,300. It avoids 12.3 k, because nobody writes 12.3 k
// %.
func grouped(v float64, digits int) string {
	r := rounded(v, digits)
	if math.Abs(r) < 1e4 {
		return countText(v, digits)
	}
	s := strconv.FormatFloat(math.Round(r), 'f', 0, 64)
	least := len(s) - len(strings.TrimLeft(s, "-"))
	for at := len(s) - 3; at > least; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// countText formats numbers such as 1,234, 12.3 k or 1.9 M.
func countText(v float64, digits int) string {
	r := rounded(v, digits)
	switch a := math.Abs(r); {
	case a >= 1e9:
		return plain(rounded(r/1e9, digits)) + " G"
	case a >= 1e6:
		return plain(rounded(r/1e6, digits)) + " M"
	case a >= 1e4:
		return plain(rounded(r/1e3, digits)) + " k"
	case a >= 1e3 && math.Abs(math.Round(v)) < 1e4:
		s := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
		return s[:len(s)-3] + "," + s[len(s)-3:]
	case a >= 1e3:
		return plain(rounded(v/1e3, digits)) + " k"
	}
	return plain(r)
}
