package expr

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// bytesMethods lists the methods of bytes that configurations may use. Others are refused.
var bytesMethods = []*builtin{
	defineMethod("bytes", "decode", byName(0, "encoding", "errors"), decode),
	defineMethod("bytes", "hex", byName(0, "sep", "bytes_per_sep"), func(m *machine, b []byte, a []Value) (Value, error) {
		if has(a[0]) {
			return nil, refuse(outside, "bytes.hex with a separator")
		}
		return hex.EncodeToString(b), m.make(2 * len(b))
	}),
	defineMethod("bytes", "lower", signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		return asciiCase(b, 'A', 'Z'), m.make(len(b))
	}),
	defineMethod("bytes", "upper", signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		return asciiCase(b, 'a', 'z'), m.make(len(b))
	}),
	bytesAffix("startswith", bytes.HasPrefix),
	bytesAffix("endswith", bytes.HasSuffix),
}

// asciiCase changes the case of the ASCII letters from low to high.
func asciiCase(data []byte, low, high byte) []byte {
	changed := bytes.Clone(data)
	for i, c := range changed {
		if c >= low && c <= high {
			changed[i] ^= 0x20
		}
	}
	return changed
}

func bytesAffix(name string, test func(b, affix []byte) bool) *builtin {
	return defineMethod("bytes", name, finds, func(m *machine, b []byte, a []Value) (Value, error) {
		if has(a[1]) {
			return nil, refuse(outside, "bytes."+name+" between places")
		}
		affixes, several := a[0].(Tuple)
		if !several {
			if _, ok := a[0].([]byte); !ok {
				return nil, typeError("%s first arg must be bytes or a tuple of bytes, not %s", name, typeName(a[0]))
			}
			affixes = Tuple{a[0]}
		}
		for _, v := range affixes {
			affix, ok := v.([]byte)
			if !ok {
				return nil, typeError("a bytes-like object is required, not '%s'", typeName(v))
			}
			if test(b, affix) {
				return true, nil
			}
		}
		return false, nil
	})
}

// codec returns the encoding that the arguments encoding and errors select. It refuses encodings
// other than UTF-8, ASCII and Latin-1, and error handlers other than "strict".
func codec(name string, a []Value) (string, error) {
	chosen := "utf-8"
	for i, v := range a {
		if !has(v) {
			continue
		}
		s, ok := v.(string)
		if !ok {
			return "", typeError("%s() argument '%s' must be str, not %s", name, []string{"encoding", "errors"}[i], argumentName(v))
		}
		if strings.ContainsRune(s, 0) {
			return "", raise("ValueError", "embedded null character")
		}
		if i == 0 {
			chosen = s
		} else if s != "strict" {
			return "", refuse(outside, "an encoding with errors="+pysem.Repr(s))
		}
	}
	switch strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(chosen)) {
	case "utf-8", "utf8":
		return "utf-8", nil
	case "ascii", "us-ascii":
		return "ascii", nil
	case "latin-1", "latin1", "iso-8859-1":
		return "latin-1", nil
	}
	return "", refuse(outside, "the encoding "+pysem.Repr(chosen))
}

func encode(m *machine, s string, a []Value) (Value, error) {
	name, err := codec("encode", a)
	if err != nil {
		return nil, err
	}
	limit, ordinal := rune(0x7f), "128"
	switch name {
	case "utf-8":
		if !utf8.ValidString(s) {
			return nil, encodeError(s, name, func(r rune) bool { return r >= 0xd800 && r <= 0xdfff }, "surrogates not allowed")
		}
		return []byte(s), m.make(len(s))
	case "latin-1":
		limit, ordinal = 0xff, "256"
	}
	data := []byte{}
	for _, r := range pysem.Runes(s) {
		if r > limit {
			return nil, encodeError(s, name, func(r rune) bool { return r > limit }, "ordinal not in range("+ordinal+")")
		}
		data = append(data, byte(r))
	}
	return data, m.make(len(data))
}

// encodeError returns the UnicodeEncodeError for the first run of characters that the encoding does
// not have.
func encodeError(s, name string, bad func(r rune) bool, why string) error {
	runes := pysem.Runes(s)
	start := 0
	for !bad(runes[start]) {
		start++
	}
	end := start + 1
	for end < len(runes) && bad(runes[end]) {
		end++
	}
	if end > start+1 {
		return raise("UnicodeEncodeError", "'%s' codec can't encode characters in position %d-%d: %s", name, start, end-1, why)
	}
	escaped := escapeRune(runes[start])
	return raise("UnicodeEncodeError", "'%s' codec can't encode character '%s' in position %d: %s", name, escaped, start, why)
}

func decode(m *machine, b []byte, a []Value) (Value, error) {
	name, err := codec("decode", a)
	if err != nil {
		return nil, err
	}
	if err := m.make(len(b)); err != nil {
		return nil, err
	}
	switch name {
	case "utf-8":
		return pysem.DecodeUTF8(b)
	case "ascii":
		for i, c := range b {
			if c >= 0x80 {
				return nil, raise("UnicodeDecodeError", "'ascii' codec can't decode byte 0x%02x in position %d: ordinal not in range(128)", c, i)
			}
		}
	}
	return textOf(lists.Map(b, func(c byte) rune { return rune(c) })), nil
}

var bytesFromHex = define("fromhex", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) {
	s, ok := a[0].(string)
	if !ok {
		return nil, typeError("fromhex() argument must be str, not %s", argumentName(a[0]))
	}
	data := []byte{}
	for i := 0; i < len(s); {
		if strings.IndexByte(" \t\n\v\f\r", s[i]) >= 0 {
			i++
			continue
		}
		n, err := strconv.ParseUint(s[i:min(i+2, len(s))], 16, 8)
		if err != nil || i+2 > len(s) || s[i] == '+' {
			at := i
			if isHexDigit(s[i]) {
				at++
			}
			return nil, raise("ValueError", "non-hexadecimal number found in fromhex() arg at position %d", lengthOf(s[:at]))
		}
		data = append(data, byte(n))
		i += 2
	}
	return data, m.make(len(data))
})
