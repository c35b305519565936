package jsonexport

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode"
)

// encoder writes JSON as serde_json does. It sorts maps by key, because Rust's maps have no order.
type encoder struct {
	out []byte
	// pretty indents by two blanks for each level and puts each value on its own line.
	pretty bool
	depth  int
	// fresh is true while the innermost list or object has no value yet, and so needs no comma.
	fresh bool
}

func (e *encoder) open(delim byte) {
	e.out = append(e.out, delim)
	e.depth++
	e.fresh = true
}

func (e *encoder) close(delim byte) {
	e.depth--
	if !e.fresh {
		e.line()
	}
	e.out = append(e.out, delim)
	e.fresh = false
}

func (e *encoder) line() {
	if !e.pretty {
		return
	}
	e.out = append(e.out, '\n')
	for range e.depth {
		e.out = append(e.out, "  "...)
	}
}

// item writes the comma before a list's value or an object's name, except before the first.
func (e *encoder) item() {
	if !e.fresh {
		e.out = append(e.out, ',')
	}
	e.fresh = false
	e.line()
}

func (e *encoder) name(name string) {
	e.item()
	e.string(name)
	e.out = append(e.out, ':')
	if e.pretty {
		e.out = append(e.out, ' ')
	}
}

func (e *encoder) textField(name, value string) { e.name(name); e.string(value) }

func (e *encoder) uintField(name string, value uint64) {
	e.name(name)
	e.out = strconv.AppendUint(e.out, value, 10)
}

func (e *encoder) boolField(name string, value bool) {
	e.name(name)
	e.out = strconv.AppendBool(e.out, value)
}

// string writes a string and escapes only what JSON requires.
func (e *encoder) string(s string) {
	e.out = append(e.out, '"')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			e.out = append(e.out, '\\', c)
		case c >= ' ':
			e.out = append(e.out, c)
		default:
			e.out = append(e.out, escaped(c)...)
		}
	}
	e.out = append(e.out, '"')
}

func escaped(c byte) string {
	switch c {
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	}
	return fmt.Sprintf(`\u%04x`, c)
}

func (e *encoder) strings(list []string) {
	e.open('[')
	for _, s := range list {
		e.item()
		e.string(s)
	}
	e.close(']')
}

func (e *encoder) uints(list []uint64) {
	e.open('[')
	for _, n := range list {
		e.item()
		e.out = strconv.AppendUint(e.out, n, 10)
	}
	e.close(']')
}

func (e *encoder) texts(m map[string]string) {
	e.open('{')
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e.textField(key, m[key])
	}
	e.close('}')
}

func (e *encoder) tensor(values []float32) {
	e.open('[')
	for _, v := range values {
		e.item()
		e.out = appendFloat(e.out, float64(v), 32)
	}
	e.close(']')
}

func (e *encoder) tensors(m map[string][]float32) {
	e.open('{')
	for _, key := range slices.Sorted(maps.Keys(m)) {
		e.name(key)
		e.tensor(m[key])
	}
	e.close('}')
}

// These exponents limit which numbers are written without an exponent, for floats of 32 and 64
// bits.
const (
	leastPoint  = -5
	mostPoint32 = 13
	mostPoint64 = 16
)

// appendFloat writes v with the fewest digits from which a float of this many bits is read back
// unchanged. It always writes a decimal point or an exponent. NaN and infinities become null.
func appendFloat(out []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(out, "null"...)
	}
	most := mostPoint64
	if bits == 32 {
		most = mostPoint32
	}
	if v == 0 {
		return strconv.AppendFloat(out, v, 'f', 1, bits)
	}
	short := strconv.AppendFloat(nil, v, 'e', -1, bits)
	i := slices.Index(short, 'e')
	exponent, err := strconv.Atoi(string(short[i+1:]))
	if err != nil {
		panic(err) // cannot happen: strconv wrote the text
	}
	if point := exponent + 1; point >= leastPoint && point <= most {
		begin := len(out)
		out = strconv.AppendFloat(out, v, 'f', -1, bits)
		if !slices.Contains(out[begin:], '.') {
			out = append(out, ".0"...)
		}
		return out
	}
	out = append(append(out, short[:i]...), 'e')
	if exponent > 0 {
		out = append(out, '+')
	}
	return strconv.AppendInt(out, int64(exponent), 10)
}

// quoted formats a string as Rust's Debug does.
func quoted(s string) string {
	out := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n', r == '\r', r == '\t':
			out = append(out, escaped(byte(r))...)
		case r == 0:
			out = append(out, `\0`...)
		case unicode.IsPrint(r):
			out = append(out, string(r)...)
		default:
			out = fmt.Appendf(out, `\u{%x}`, r)
		}
	}
	return string(append(out, '"'))
}
