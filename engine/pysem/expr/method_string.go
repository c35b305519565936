package expr

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/monosim/monosim/engine/pysem"
)

// text0 makes a method of str that takes no arguments.
func text0(name string, f func(s string) Value) *builtin {
	return defineMethod("str", name, signature{}, func(m *machine, s string, _ []Value) (Value, error) {
		return f(s), m.make(len(s))
	})
}

// stringMethods lists the methods of str that change the letters or the length of a string.
var stringMethods = []*builtin{
	text0("lower", func(s string) Value { return pysem.Lower(s) }),
	text0("upper", func(s string) Value { return upper(s) }),
	text0("casefold", func(s string) Value { return cases.Fold().String(s) }),
	text0("capitalize", func(s string) Value { return capitalize(s) }),
	text0("title", func(s string) Value { return title(s) }),
	text0("swapcase", func(s string) Value { return swapcase(s) }),
	defineMethod("str", "translate", signature{style: oneArg}, translate),
	defineMethod("str", "encode", byName(0, "encoding", "errors"), encode),
	{name: "format", of: "str", call: formatMethod},
	defineMethod("str", "format_map", signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		return m.formatFields(s, nil, func(key string) (Value, error) { return m.subscript(a[0], key) })
	}),
}

// argumentName returns the name of v's type in errors about arguments, where None itself is called
// None.
func argumentName(v Value) string { return pick(v == nil, "None", typeName(v)) }

// upper converts a string to upper case by the full Unicode mapping, in which ß becomes SS.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return mapCase(s, func(runes []rune, i int, _ bool) string { return cases.Upper(language.Und).String(string(runes[i])) })
}

// titleRune maps a character to title case, which may be several characters.
func titleRune(r rune) string {
	if r < 0x80 {
		return string(unicode.ToUpper(r))
	}
	return cases.Title(language.Und).String(string(r))
}

func capitalize(s string) string {
	return mapCase(s, func(runes []rune, i int, _ bool) string {
		if i == 0 {
			return titleRune(runes[0])
		}
		return pysem.LowerRune(runes, i)
	})
}

func isCased(r rune) bool { return isUpper(r) || isLower(r) || unicode.IsTitle(r) }

func title(s string) string {
	return mapCase(s, func(runes []rune, i int, afterCased bool) string {
		if !afterCased {
			return titleRune(runes[i])
		}
		return pysem.LowerRune(runes, i)
	})
}

func swapcase(s string) string {
	return mapCase(s, func(runes []rune, i int, _ bool) string {
		switch {
		case isUpper(runes[i]):
			return pysem.LowerRune(runes, i)
		case isLower(runes[i]):
			return upper(textOf(runes[i : i+1]))
		}
		return textOf(runes[i : i+1])
	})
}

// mapCase calls change with the index of each character, and with whether the character before it
// has a case. Lone surrogates stay unchanged.
func mapCase(s string, change func(runes []rune, i int, afterCased bool) string) string {
	var b strings.Builder
	runes := pysem.Runes(s)
	for i, r := range runes {
		if r >= 0xd800 && r <= 0xdfff {
			b.WriteString(textOf(runes[i : i+1]))
			continue
		}
		b.WriteString(change(runes, i, i > 0 && isCased(runes[i-1])))
	}
	return b.String()
}

// translate implements str.translate, which maps each character by a table of code points.
func translate(m *machine, s string, a []Value) (Value, error) {
	var b []byte
	for _, r := range pysem.Runes(s) {
		to, err := m.subscript(a[0], int(r))
		if t := pysem.TypeOf(err); t == "KeyError" || t == "IndexError" {
			b = pysem.AppendRune(b, r)
			continue
		}
		if err != nil {
			return nil, err
		}
		switch to := to.(type) {
		case nil:
		case string:
			b = append(b, to...)
		default:
			n, ok := asInt(to)
			if !ok {
				return nil, typeError("character mapping must return integer, None or str")
			}
			if n < 0 || n > unicode.MaxRune {
				return nil, raise("ValueError", "character mapping must be in range(0x110000)")
			}
			b = pysem.AppendRune(b, rune(n))
		}
		if err := m.make(1); err != nil {
			return nil, err
		}
	}
	return string(b), nil
}

var strMakeTrans = defineOn("str", "maketrans", between(1, 3), func(m *machine, a []Value) (Value, error) {
	if has(a[1]) {
		return makeTransTexts(a)
	}
	d, ok := a[0].(*Dict)
	if !ok {
		return nil, typeError("if you give only one argument to maketrans it must be a dict")
	}
	table := &Dict{}
	for _, e := range d.live() {
		key := e.key
		switch k := key.(type) {
		case string:
			if lengthOf(k) != 1 {
				return nil, raise("ValueError", "string keys in translate table must be of length 1")
			}
			key = int(pysem.Runes(k)[0])
		default:
			if !isInt(key) {
				return nil, typeError("keys in translate table must be strings or integers")
			}
		}
		_ = table.set(key, e.value) // cannot fail: an int is hashable
	}
	return table, nil
})

// wantText returns v if it is a string. Otherwise it returns a TypeError whose text begins with the
// words in what.
func wantText(v Value, what string) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", typeError("%s must be str, not %s", what, argumentName(v))
	}
	return s, nil
}

func makeTransTexts(a []Value) (Value, error) {
	from, ok := a[0].(string)
	if !ok {
		return nil, typeError("first maketrans argument must be a string if there is a second argument")
	}
	to, err := wantText(a[1], "maketrans() argument 2")
	if err != nil {
		return nil, err
	}
	drop := ""
	if has(a[2]) {
		if drop, err = wantText(a[2], "maketrans() argument 3"); err != nil {
			return nil, err
		}
	}
	x, y := pysem.Runes(from), pysem.Runes(to)
	if len(x) != len(y) {
		return nil, raise("ValueError", "the first two maketrans arguments must have equal length")
	}
	table := &Dict{}
	for i := range x {
		_ = table.set(int(x[i]), int(y[i])) // cannot fail: an int is hashable
	}
	for _, r := range pysem.Runes(drop) {
		_ = table.set(int(r), nil) // cannot fail: an int is hashable
	}
	return table, nil
}

// stringTestMethods lists the methods of str that test the kind of its characters.
var stringTestMethods = []*builtin{
	text0("isalnum", func(s string) Value { return every1(s, isAlnum) }),
	text0("isalpha", func(s string) Value { return every1(s, unicode.IsLetter) }),
	text0("isascii", func(s string) Value { return isASCII(s) }),
	text0("isdecimal", func(s string) Value { return every1(s, func(r rune) bool { return unicode.Is(unicode.Nd, r) }) }),
	text0("isdigit", func(s string) Value { return every1(s, pysem.IsDigit) }),
	text0("isidentifier", func(s string) Value { return pysem.IsIdentifier(s) }),
	text0("isnumeric", func(s string) Value { return pysem.IsNumeric(s) }),
	text0("isprintable", func(s string) Value { return s == "" || every1(s, unicode.IsPrint) }),
	text0("isspace", func(s string) Value { return every1(s, pysem.IsSpace) }),
	text0("islower", func(s string) Value { return hasCase(s, isLower) }),
	text0("isupper", func(s string) Value { return hasCase(s, isUpper) }),
	text0("istitle", func(s string) Value { return isTitle(s) }),
}

// every1 reports whether s is not empty and the test is true for every character.
func every1(s string, test func(r rune) bool) bool {
	return s != "" && !slices.ContainsFunc(pysem.Runes(s), func(r rune) bool { return !test(r) })
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || pysem.IsNumeric(string(r)) }

func isLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// hasCase reports whether s has letters with a case, and the test is true for all of these letters.
func hasCase(s string, test func(r rune) bool) bool {
	found := false
	for _, r := range pysem.Runes(s) {
		if isCased(r) {
			if !test(r) {
				return false
			}
			found = true
		}
	}
	return found
}

func isTitle(s string) bool {
	found, afterCased := false, false
	for _, r := range pysem.Runes(s) {
		switch {
		case isUpper(r) || unicode.IsTitle(r):
			if afterCased {
				return false
			}
			found, afterCased = true, true
		case isLower(r):
			if !afterCased {
				return false
			}
			found = true
		default:
			afterCased = false
		}
	}
	return found
}
