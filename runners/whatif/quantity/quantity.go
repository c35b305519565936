// Package quantity reads and formats numbers with units: durations, bytes, rates, costs and
// shares. Each kind has one base unit: nanoseconds, bytes, per second, per hour, fractions
// of one.
//
// Two things to use first:
//
//   - [Parse] reads a text as a quantity of a [Kind], or says what is wrong with it.
//   - [Format] formats a base value for people.
//
// To change:
//
//   - which units there are: units.go
//   - what an error says: quantity.go
//   - how calls like name(a, b=c) are parsed: call.go
//   - which durations of several units, and numbers with commas, there are: simple.go
//
// Unstable: any commit may change it.
package quantity

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what a quantity measures.
type Kind uint8

// The kinds.
const (
	// Number has no unit.
	Number Kind = iota
	// Count is a whole number; k, M and G stand for thousands, millions and billions.
	Count
	// Duration is in nanoseconds.
	Duration
	// Bytes is a whole number of bytes.
	Bytes
	// ByteRate is in bytes a second.
	ByteRate
	// Rate is a number per second.
	Rate
	// Cost is an amount of money per hour. The plan names the currency elsewhere.
	Cost
	// Percent is a percentage, held as a fraction: 5% is 0.05.
	Percent
	// Factor is a multiple, such as 3x.
	Factor
)

var kinds = [...]struct{ name, article, example string }{
	{"number", "a number", "2"}, {"count", "a count", "500M"}, {"duration", "a duration", "200ms"}, {"bytes", "bytes", "256GiB"},
	{"byte rate", "a byte rate", "1.2GiB/s"}, {"rate", "a rate", "50k/s"}, {"cost", "a cost", "0.68/h"}, {"percent", "a percentage", "2%"}, {"factor", "a factor", "3x"},
}

func (k Kind) String() string { return kinds[k].name }

// Example returns a quantity of the kind in the usual notation, for error messages.
func (k Kind) Example() string { return kinds[k].example }

// Fault says why a text cannot be read as a quantity of the wanted kind.
type Fault uint8

// The faults.
const (
	// NoNumber means that the text does not begin with a number.
	NoNumber Fault = iota
	// NoUnit means that the text is a bare number, but the kind needs a unit.
	NoUnit
	// WrongUnit means that the unit is unknown or belongs to another kind.
	WrongUnit
)

// Error reports a text that is not a quantity of the wanted kind.
type Error struct {
	Fault  Fault
	Text   string
	Wanted Kind
	found  string
}

func (e *Error) Error() string {
	switch e.Fault {
	case NoUnit:
		return fmt.Sprintf("%q needs a %s unit, for example %s", e.Text, e.Wanted, e.suggestion())
	case WrongUnit:
		return fmt.Sprintf("%q is %s, %s expected", e.Text, e.found, e.Wanted)
	}
	return fmt.Sprintf("%q is no number, %s expected, for example %s", e.Text, e.Wanted, e.Wanted.Example())
}

// suggestion returns the text with the most common unit of the kind.
func (e *Error) suggestion() string {
	if strings.Trim(e.Text, "0.") == "" {
		return e.Wanted.Example() // a quantity of 0 makes no sense, so another example is given
	}
	return e.Text + map[Kind]string{Duration: "ms", Bytes: "GiB", ByteRate: "MB/s", Rate: "/s", Cost: "/h", Percent: "%", Factor: "x"}[e.Wanted]
}

var shape = regexp.MustCompile(`^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$`)

// Currency is a pattern for what an amount of money may have before "/h": a sign, or the three
// letters of ISO 4217.
const Currency = `(?:[$€£¥₹]|[A-Z]{3})`

var priced = regexp.MustCompile(`^([kMG]?)\s*` + Currency + `/h$`)

// Parse reads a text as a quantity of the given kind and returns it in the base unit of the
// kind. It reads what [Format] and [Text] write, such as 2m45s or 1,234/s, and amounts of money
// as reports print them, such as 4.2 $/h. Its error is an *[Error].
func Parse(kind Kind, text string) (float64, error) {
	m := shape.FindStringSubmatch(Simple(text))
	if m == nil {
		return 0, &Error{Fault: NoNumber, Text: text, Wanted: kind}
	}
	number, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(number, 0) {
		return 0, &Error{Fault: NoNumber, Text: text, Wanted: kind}
	}
	unit, ok := unitsOf[kind][m[2]]
	if amount := priced.FindStringSubmatch(m[2]); kind == Cost && amount != nil {
		unit, ok = unitsOf[kind][amount[1]+"/h"]
	}
	switch {
	case ok && isWhole[kind]:
		return math.Round(number * unit), nil
	case ok:
		return number * unit, nil
	case m[2] == "":
		return 0, &Error{Fault: NoUnit, Text: text, Wanted: kind}
	}
	return 0, &Error{Fault: WrongUnit, Text: text, Wanted: kind, found: describe(m[2])}
}

// Multiple reads a plain number that may have a unit of [Count], such as 1.5 or 2.5k.
// Unlike Parse of a Count it does not round. Its error is an *[Error].
func Multiple(text string) (float64, error) {
	m := shape.FindStringSubmatch(Simple(text))
	if unit, ok := unitsOf[Count][last(m)]; ok && m != nil {
		if number, err := strconv.ParseFloat(m[1], 64); err == nil && !math.IsInf(number, 0) {
			return number * unit, nil
		}
	}
	return Parse(Count, text)
}

func last(m []string) string {
	if m == nil {
		return ""
	}
	return m[len(m)-1]
}

// describe names the kind of quantity that a unit belongs to.
func describe(unit string) string {
	for k := Number; k <= Factor; k++ {
		if _, ok := unitsOf[k][unit]; ok {
			return kinds[k].article
		}
	}
	return fmt.Sprintf("in %q, an unknown unit", unit)
}
