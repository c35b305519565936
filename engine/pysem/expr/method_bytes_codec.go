package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
)

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
	return textOf(latin1(b)), nil
}

var bytesFromHex = defineOn("bytes", "fromhex", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) {
	s, ok := a[0].(string)
	if !ok {
		return nil, typeError("fromhex() argument must be str, not %s", argumentName(a[0]))
	}
	if at := strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }); at >= 0 {
		return nil, notHex(lengthOf(s[:at]))
	}
	data := []byte{}
	for i := 0; i < len(s); {
		if isSpaceASCII(rune(s[i])) {
			i++
			continue
		}
		n, err := strconv.ParseUint(s[i:min(i+2, len(s))], 16, 8)
		if err != nil || i+2 > len(s) || s[i] == '+' {
			at := i
			if isHexDigit(s[i]) {
				at++
			}
			return nil, notHex(at)
		}
		data = append(data, byte(n))
		i += 2
	}
	return data, m.make(len(data))
})

func notHex(at int) error {
	return raise("ValueError", "non-hexadecimal number found in fromhex() arg at position %d", at)
}
