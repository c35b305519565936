package expr

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

const maxDigits = pysem.MaxDigits

// repr returns Python's repr(v). It refuses a value whose repr contains a memory address.
func (m *machine) repr(v Value) (string, error) {
	if err := m.enter(); err != nil {
		return "", err
	}
	defer m.leave()
	switch v := v.(type) {
	case *big.Int:
		return intText(v)
	case string:
		return pysem.Repr(v), m.make(len(v))
	case *List:
		return m.reprItems("[", v.Items, "]")
	case Tuple:
		if len(v) == 1 {
			return m.reprItems("(", v, ",)")
		}
		return m.reprItems("(", v, ")")
	case *Dict:
		return m.reprDict(v)
	case *Set:
		return m.reprSet(v)
	case *Range:
		text := "range(" + strconv.Itoa(v.Start) + ", " + strconv.Itoa(v.Stop)
		if v.Step != 1 {
			text += ", " + strconv.Itoa(v.Step)
		}
		return text + ")", nil
	case *Slice:
		return m.reprItems("slice(", []Value{v.Start, v.Stop, v.Step}, ")")
	case *view:
		live := v.of.live()
		return m.reprAll("dict_"+v.what+"([", len(live), func(i int) (string, error) { return m.repr(v.item(live[i])) }, "])")
	case *class:
		return "<class '" + v.name + "'>", nil
	case *builtin:
		switch {
		case v.on != "":
			return "", refuse(unstable, "the address in the text of a "+typeName(v))
		case v.of != "":
			return "<method '" + v.name + "' of '" + v.of + "' objects>", nil
		}
		return "<built-in function " + v.name + ">", nil
	case ellipsis:
		return "Ellipsis", nil
	case notImplemented:
		return "NotImplemented", nil
	case *function, *iterator, *method:
		return "", refuse(unstable, "the address in the text of a "+typeName(v))
	}
	return pysem.Repr(v), nil
}

// str returns str(v).
func (m *machine) str(v Value) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return m.repr(v)
}

func (m *machine) reprItems(open string, items []Value, closing string) (string, error) {
	return m.reprAll(open, len(items), func(i int) (string, error) { return m.repr(items[i]) }, closing)
}

// reprAll joins the texts of n items between brackets.
func (m *machine) reprAll(open string, n int, text func(i int) (string, error), closing string) (string, error) {
	var b strings.Builder
	b.WriteString(open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		text, err := text(i)
		if err == nil {
			err = m.make(len(text))
		}
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	b.WriteString(closing)
	return b.String(), nil
}

func (m *machine) reprDict(d *Dict) (string, error) {
	live := d.live()
	return m.reprAll("{", len(live), func(i int) (string, error) {
		key, err := m.repr(live[i].key)
		if err != nil {
			return "", err
		}
		value, err := m.repr(live[i].value)
		return key + ": " + value, err
	}, "}")
}

func (m *machine) reprSet(s *Set) (string, error) {
	if s.len() == 0 {
		return typeName(s) + "()", nil
	}
	items, err := s.ordered()
	if err != nil {
		return "", err
	}
	if s.frozen {
		return m.reprItems("frozenset({", items, "})")
	}
	return m.reprItems("{", items, "}")
}

// ascii returns Python's ascii(v), which is repr(v) with all characters beyond ASCII escaped.
func (m *machine) ascii(v Value) (string, error) {
	text, err := m.repr(v)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range pysem.Runes(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(escapeRune(r))
		}
	}
	return b.String(), nil
}

// escapeRune returns the escape of a character beyond ASCII, such as \xe9.
func escapeRune(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// intText returns Python's str(n), or the ValueError for too many digits.
func intText(n *big.Int) (string, error) {
	text := n.String()
	if digits := len(strings.TrimPrefix(text, "-")); digits > maxDigits {
		return "", raise("ValueError", "Exceeds the limit (%d digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit", maxDigits)
	}
	return text, nil
}

// textOf converts characters to a string. Unlike Go's conversion it keeps lone surrogates.
func textOf(runes []rune) string {
	b := make([]byte, 0, len(runes))
	for _, r := range runes {
		b = pysem.AppendRune(b, r)
	}
	return string(b)
}

// isASCII reports whether all bytes are ASCII, so that every byte is a character.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// lengthOf returns the number of characters, as Python's len does.
func lengthOf(text string) int {
	if isASCII(text) {
		return len(text)
	}
	return len(pysem.Runes(text))
}
