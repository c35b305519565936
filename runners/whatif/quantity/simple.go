package quantity

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	composite = regexp.MustCompile(`(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h|d)){2,}`)
	part      = regexp.MustCompile(`([\d.]+)([a-zµ]+)`)
	thousands = regexp.MustCompile(`^[+-]?\d{1,3}(?:,\d{3})+(?:\D|$)`)
)

// Simple returns a text in which durations of several units are replaced by durations in seconds:
// 2m45s becomes 165s, also within a law. The largest unit has to come first, as Go and reports
// write it. A number that begins the text loses the commas between its thousands: 1,234/s becomes
// 1234/s.
func Simple(text string) string {
	if m := thousands.FindString(text); m != "" {
		return strings.ReplaceAll(m, ",", "") + text[len(m):]
	}
	var b strings.Builder
	last := 0
	for _, at := range composite.FindAllStringIndex(text, -1) {
		b.WriteString(text[last:at[0]])
		last = at[1]
		one := text[at[0]:at[1]]
		if at[0] > 0 && inWord(text[at[0]-1]) || at[1] < len(text) && inWord(text[at[1]]) {
			b.WriteString(one)
			continue
		}
		b.WriteString(inSeconds(one))
	}
	return b.String() + text[last:]
}

// inWord reports whether a byte next to a number makes both one word, such as a name.
func inWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// inSeconds returns a duration of several units in seconds. If the units are not in descending
// order, it returns the text as it is.
func inSeconds(text string) string {
	sum, before := 0.0, 0.0
	for i, m := range part.FindAllStringSubmatch(text, -1) {
		number, err := strconv.ParseFloat(m[1], 64)
		unit := unitsOf[Duration][m[2]]
		if err != nil || unit == 0 || i > 0 && unit >= before {
			return text
		}
		sum, before = sum+float64(number*unit), unit
	}
	return strconv.FormatFloat(sum/1e9, 'f', -1, 64) + "s"
}
