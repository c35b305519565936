package expr

import (
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// formatFloat returns Python's format(f, spec). of is the name of the type in error texts.
func (m *machine) formatFloat(f float64, s spec, of string) (string, error) {
	if s.typ != 0 && !strings.ContainsRune("eEfFgGn%", s.typ) {
		return "", unknownCode(s.typ, of)
	}
	if s.precision > math.MaxInt32 {
		return "", raise("ValueError", "precision too big")
	}
	if err := m.make(max(s.precision, 0)); err != nil {
		return "", err
	}
	text := floatDigits(f, s)
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")
	if s.zero && isZeroText(text) {
		negative = false
	}
	if s.typ == '%' {
		text += "%"
	}
	whole := 0
	for whole < len(text) && isDigit(text[whole]) {
		whole++
	}
	if whole == 0 {
		s.grouping = 0 // inf and nan have no digits to group
		return m.pad(s.signOf(negative), text, s)
	}
	return m.padNumber(s.signOf(negative), text[:whole], text[whole:], s, 3)
}

// isZeroText reports whether the digits before an exponent are all zero.
func isZeroText(text string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return strings.Trim(mantissa, "0.") == ""
}

// floatDigits returns the text of a float before padding and grouping.
func floatDigits(f float64, s spec) string {
	typ, precision := byte(s.typ), s.precision
	switch {
	case typ == 0 && precision < 0:
		text := pysem.FloatRepr(f)
		if s.alternate && !strings.ContainsAny(text, ".n") {
			text = strings.Replace(text, "e", ".e", 1)
		}
		return text
	case typ == 0:
		return generalFloat(f, max(precision, 1), s.alternate, true)
	case typ == 'n':
		typ = 'g'
	}
	if precision < 0 {
		precision = 6
	}
	upper := typ == 'E' || typ == 'F' || typ == 'G'
	text := ""
	switch typ | 0x20 {
	case 'e':
		text = exponentFloat(f, precision, s.alternate)
	case 'f':
		text = fixedFloat(f, precision, s.alternate)
	case 'g':
		text = generalFloat(f, max(precision, 1), s.alternate, false)
	default: // %
		text = fixedFloat(f*100, precision, s.alternate)
	}
	if upper {
		return strings.ToUpper(text)
	}
	return text
}

// special returns the text of an infinite or NaN float. ok is false for finite floats.
func special(f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "nan", true
	case math.IsInf(f, 0):
		return pick(f < 0, "-inf", "inf"), true
	}
	return "", false
}

func fixedFloat(f float64, precision int, point bool) string {
	if text, ok := special(f); ok {
		return text
	}
	text := strconv.FormatFloat(f, 'f', precision, 64)
	if point && precision == 0 {
		text += "."
	}
	return text
}

func exponentFloat(f float64, precision int, point bool) string {
	if text, ok := special(f); ok {
		return text
	}
	text := strconv.FormatFloat(f, 'e', precision, 64)
	if point && precision == 0 {
		text = strings.Replace(text, "e", ".e", 1)
	}
	return text
}

// generalFloat returns the shorter of the fixed and the exponent form, with the given number of
// significant digits. It removes trailing zeros unless point is set. plain means the form without a
// type letter, which keeps one digit after its point.
func generalFloat(f float64, precision int, point, plain bool) string {
	if text, ok := special(f); ok {
		return text
	}
	scientific := strconv.FormatFloat(f, 'e', precision-1, 64)
	at := strings.IndexByte(scientific, 'e')
	exponent, _ := strconv.Atoi(scientific[at+1:])
	limit := precision
	if plain {
		limit--
	}
	if exponent < -4 || exponent >= limit {
		mantissa := scientific[:at]
		if !point {
			mantissa = trimZeros(mantissa)
		} else if !strings.Contains(mantissa, ".") {
			mantissa += "."
		}
		return mantissa + scientific[at:]
	}
	text := strconv.FormatFloat(f, 'f', max(precision-1-exponent, 0), 64)
	switch {
	case point:
		if !strings.Contains(text, ".") {
			text += "."
		}
		return text
	case plain:
		if text = trimZeros(text); !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	return trimZeros(text)
}

// trimZeros removes trailing zeros after a point, and then a point at the end.
func trimZeros(text string) string {
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
