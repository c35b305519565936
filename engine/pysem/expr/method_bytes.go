package expr

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// bytesLib makes the methods that bytes shares with str.
var bytesLib = stringlib[[]byte]{
	of: "bytes", length: func(text string) int { return len(text) }, chars: singleBytes, isSpace: isSpaceASCII, lineEnds: "\n\r",
	missing: "subsection not found",
	wrong:   func(v Value, _ string) error { return notBytes(v) },
	part:    bytesPart,
}

// bytesMethods lists the methods of bytes that it does not share with str.
var bytesMethods = []*builtin{
	defineMethod("bytes", "decode", byName(0, "encoding", "errors"), decode),
	defineMethod("bytes", "hex", byName(0, "sep", "bytes_per_sep"), hexText),
	bytesChange("lower", func(c byte, _ bool) byte { return lowerASCII(c) }),
	bytesChange("upper", func(c byte, _ bool) byte { return upperASCII(c) }),
	bytesChange("swapcase", func(c byte, _ bool) byte {
		if c == lowerASCII(c) {
			return upperASCII(c)
		}
		return lowerASCII(c)
	}),
	bytesChange("title", func(c byte, afterLetter bool) byte {
		if afterLetter {
			return lowerASCII(c)
		}
		return upperASCII(c)
	}),
	defineMethod("bytes", "capitalize", signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		changed := lists.Map(b, lowerASCII)
		if len(b) > 0 {
			changed[0] = upperASCII(b[0])
		}
		return changed, m.make(len(b))
	}),
	bytesTest("isalnum", func(c byte) bool { return isLetterASCII(c) || isDigitASCII(c) }),
	bytesTest("isalpha", isLetterASCII),
	bytesTest("isdigit", isDigitASCII),
	bytesTest("isspace", func(c byte) bool { return isSpaceASCII(rune(c)) }),
	defineMethod("bytes", "isascii", signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		return isASCII(string(b)), m.step(len(b) / 64)
	}),
	bytesCase("islower", isLowerASCII),
	bytesCase("isupper", func(c byte) bool { return isLetterASCII(c) && !isLowerASCII(c) }),
	defineMethod("bytes", "istitle", signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		return isTitleASCII(b), m.step(len(b) / 64)
	}),
	defineMethod("bytes", "translate", signature{style: keyworded, min: 1, max: 2, names: []string{"", "delete"}}, translateBytes),
}

// notBytes returns the error for an argument that is no bytes.
func notBytes(v Value) error {
	return typeError("a bytes-like object is required, not '%s'", typeName(v))
}

// bytesPart returns the first argument of find, index and count: bytes, or the number of one byte.
func bytesPart(v Value) (string, error) {
	if b, ok := v.([]byte); ok {
		return string(b), nil
	}
	if !isInt(v) {
		return "", typeError("argument should be integer or bytes-like object, not '%s'", typeName(v))
	}
	n, ok := asInt(v)
	if !ok || n < 0 || n > 255 {
		return "", raise("ValueError", "byte must be in range(0, 256)")
	}
	return string([]byte{byte(n)}), nil
}

// singleBytes returns the bytes of a text, each as a text of its own.
func singleBytes(text string) []string {
	return lists.Map([]byte(text), func(c byte) string { return string([]byte{c}) })
}

func isSpaceASCII(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }

func isDigitASCII(c byte) bool { return c >= '0' && c <= '9' }

func isLowerASCII(c byte) bool { return c >= 'a' && c <= 'z' }

func isLetterASCII(c byte) bool { return isLowerASCII(c | 0x20) }

func lowerASCII(c byte) byte {
	if isLetterASCII(c) {
		return c | 0x20
	}
	return c
}

func upperASCII(c byte) byte {
	if isLetterASCII(c) {
		return c &^ 0x20
	}
	return c
}

// bytesChange makes a method that changes each byte. The function change also gets whether the byte
// before it is a letter.
func bytesChange(name string, change func(c byte, afterLetter bool) byte) *builtin {
	return defineMethod("bytes", name, signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		changed := make([]byte, len(b))
		for i, c := range b {
			changed[i] = change(c, i > 0 && isLetterASCII(b[i-1]))
		}
		return changed, m.make(len(b))
	})
}

// bytesTest makes a method that tests whether there are bytes, and the test is true for all.
func bytesTest(name string, test func(c byte) bool) *builtin {
	return defineMethod("bytes", name, signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		return len(b) > 0 && !slices.ContainsFunc(b, func(c byte) bool { return !test(c) }), m.step(len(b) / 64)
	})
}

// bytesCase makes a method that tests whether there are letters, and the test is true for all of
// them.
func bytesCase(name string, test func(c byte) bool) *builtin {
	return defineMethod("bytes", name, signature{}, func(m *machine, b []byte, _ []Value) (Value, error) {
		letters := lists.Filter(b, isLetterASCII)
		return len(letters) > 0 && !slices.ContainsFunc(letters, func(c byte) bool { return !test(c) }), m.step(len(b) / 64)
	})
}

// isTitleASCII reports whether there are letters, and exactly those after another byte are capital.
func isTitleASCII(b []byte) bool {
	for i, c := range b {
		if isLetterASCII(c) && isLowerASCII(c) != (i > 0 && isLetterASCII(b[i-1])) {
			return false
		}
	}
	return slices.ContainsFunc(b, isLetterASCII)
}

// hexText implements bytes.hex. A separator comes between groups of bytes, which are counted from
// the right, or from the left if the size of a group is negative.
func hexText(m *machine, b []byte, a []Value) (Value, error) {
	size, err := given(a[1], 1, wantInt)
	if err != nil {
		return nil, err
	}
	if !has(a[0]) {
		return hex.EncodeToString(b), m.make(2 * len(b))
	}
	separator, err := hexSeparator(a[0])
	if err != nil || size == 0 {
		return hex.EncodeToString(b), err
	}
	if err := m.make(3 * len(b)); err != nil {
		return nil, err
	}
	var groups []string
	for rest := b; len(rest) > 0; {
		n := min(max(size, -size), len(rest))
		if size > 0 && len(rest)%size > 0 { // groups count from the end, so the first may be shorter
			n = len(rest) % size
		}
		groups = append(groups, hex.EncodeToString(rest[:n]))
		rest = rest[n:]
	}
	return strings.Join(groups, separator), nil
}

// hexSeparator returns the argument sep of bytes.hex.
func hexSeparator(v Value) (string, error) {
	n, err := length(v)
	switch {
	case err != nil:
		return "", err
	case n != 1:
		return "", raise("ValueError", "sep must be length 1.")
	}
	s, isText := v.(string)
	if b, ok := v.([]byte); ok {
		s, isText = string(b), true
	}
	switch {
	case !isText:
		return "", typeError("sep must be str or bytes.")
	case !isASCII(s):
		return "", raise("ValueError", "sep must be ASCII.")
	}
	return s, nil
}

// translateBytes implements bytes.translate, which removes bytes and maps the others by a table of
// 256 bytes.
func translateBytes(m *machine, b []byte, a []Value) (Value, error) {
	table, isTable := a[0].([]byte)
	switch {
	case a[0] != nil && !isTable:
		return nil, notBytes(a[0])
	case isTable && len(table) != 256:
		return nil, raise("ValueError", "translation table must be 256 characters long")
	}
	var drop []byte
	if has(a[1]) {
		var ok bool
		if drop, ok = a[1].([]byte); !ok {
			return nil, notBytes(a[1])
		}
	}
	changed := []byte{}
	for _, c := range b {
		switch {
		case bytes.IndexByte(drop, c) >= 0:
		case isTable:
			changed = append(changed, table[c])
		default:
			changed = append(changed, c)
		}
	}
	return changed, m.make(len(b))
}

// bytesMakeTrans implements bytes.maketrans, which makes the table of a translation.
var bytesMakeTrans = defineOn("bytes", "maketrans", exactly(2), func(m *machine, a []Value) (Value, error) {
	from, ok := a[0].([]byte)
	if !ok {
		return nil, notBytes(a[0])
	}
	to, ok := a[1].([]byte)
	if !ok {
		return nil, notBytes(a[1])
	}
	if len(from) != len(to) {
		return nil, raise("ValueError", "maketrans arguments must have same length")
	}
	table := make([]byte, 256)
	for i := range table {
		table[i] = byte(i)
	}
	for i, c := range from {
		table[c] = to[i]
	}
	return table, m.make(len(table))
})
