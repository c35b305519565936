package pysem

import (
	"math"
	"math/big"
	"strconv"
)

const hexDigits = "0123456789abcdef"

// AppendJSONString appends a text as json.dumps writes it. Everything but printable ASCII is
// escaped, and characters beyond the BMP become a surrogate pair.
func AppendJSONString(b []byte, text string) []byte {
	b = append(b, '"')
	plain := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, text[plain:i]...)
		r, size := DecodeRune(text[i:])
		b = appendEscaped(b, r)
		i += size
		plain = i
	}
	b = append(b, text[plain:]...)
	return append(b, '"')
}

func appendEscaped(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	case '\f':
		return append(b, `\f`...)
	case '\b':
		return append(b, `\b`...)
	}
	if r >= 0x10000 {
		r -= 0x10000
		b = appendUnit(b, 0xd800|r>>10)
		return appendUnit(b, 0xdc00|r&0x3ff)
	}
	return appendUnit(b, r)
}

func appendUnit(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// AppendJSON appends v as json.dumps writes it by default. Bytes become a list of ints, as in
// dataclasses_json.
func AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case *big.Int:
		return v.Append(b, 10)
	case float64:
		return AppendJSONFloat(b, v)
	case string:
		return AppendJSONString(b, v)
	case []byte:
		return AppendJSONBytes(b, v)
	case []any:
		return appendJSONList(b, v)
	case Tuple:
		return appendJSONList(b, v)
	case *Dict:
		b = append(b, '{')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = AppendJSONString(b, item.Key)
			b = append(b, ": "...)
			b = AppendJSON(b, item.Value)
		}
		return append(b, '}')
	}
	panic("pysem: " + TypeName(v) + " is no JSON value")
}

func appendJSONList(b []byte, values []any) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = AppendJSON(b, v)
	}
	return append(b, ']')
}

// AppendJSONBytes adds data as a list of ints.
func AppendJSONBytes(b, data []byte) []byte {
	b = append(b, '[')
	for i, c := range data {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendUint(b, uint64(c), 10)
	}
	return append(b, ']')
}

// AppendJSONFloat adds f as json.dumps writes it.
func AppendJSONFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	return append(b, FloatRepr(f)...)
}
