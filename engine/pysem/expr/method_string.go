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
	padder("ljust", func(n int) int { return 0 }),
	padder("rjust", func(n int) int { return n }),
	padder("center", nil),
	defineMethod("str", "zfill", signature{style: oneArg}, zfill),
	defineMethod("str", "expandtabs", byName(0, "tabsize"), expandTabs),
	stripper("strip", true, true),
	stripper("lstrip", true, false),
	stripper("rstrip", false, true),
	defineMethod("str", "removeprefix", signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		affix, err := wantText(a[0], "removeprefix() argument")
		return strings.TrimPrefix(s, affix), err
	}),
	defineMethod("str", "removesuffix", signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		affix, err := wantText(a[0], "removesuffix() argument")
		return strings.TrimSuffix(s, affix), err
	}),
	defineMethod("str", "replace", between(2, 3), replace),
	defineMethod("str", "translate", signature{style: oneArg}, translate),
	defineMethod("str", "encode", byName(0, "encoding", "errors"), encode),
	{name: "format", of: "str", call: formatMethod},
	defineMethod("str", "format_map", signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		return m.formatFields(s, nil, func(key string) (Value, error) { return m.subscript(a[0], key) })
	}),
}

// wantText returns v if it is a string. Otherwise it returns a TypeError whose text begins with the
// words in what.
func wantText(v Value, what string) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", typeError("%s must be str, not %s", what, argumentName(v))
	}
	return s, nil
}

// argumentName returns the name of v's type in errors about arguments, where None itself is called
// None.
func argumentName(v Value) string { return pick(v == nil, "None", typeName(v)) }

// upper converts a string to upper case by the full Unicode mapping, in which ß becomes SS.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return perRune(s, func(r rune) string { return cases.Upper(language.Und).String(string(r)) })
}

// perRune calls change for each character of s. Lone surrogates stay unchanged.
func perRune(s string, change func(r rune) string) string {
	var b strings.Builder
	for _, r := range pysem.Runes(s) {
		if r >= 0xd800 && r <= 0xdfff {
			b.Write(pysem.AppendRune(nil, r))
			continue
		}
		b.WriteString(change(r))
	}
	return b.String()
}

// titleRune maps a character to title case, which may be several characters.
func titleRune(r rune) string {
	if r < 0x80 {
		return string(unicode.ToUpper(r))
	}
	return cases.Title(language.Und).String(string(r))
}

func capitalize(s string) string {
	if s == "" {
		return s
	}
	runes := pysem.Runes(s)
	first := textOf(runes[:1])
	return perRune(first, titleRune) + lowerFrom(s, len(first))
}

// lowerFrom returns s[n:] in lower case. The first n bytes are only context, which decides whether
// a sigma is final.
func lowerFrom(s string, n int) string {
	rest := pysem.Lower(s[n:])
	if strings.HasPrefix(s[n:], "\u03a3") && isCased(pysem.Runes(s)[0]) && rest != "" {
		// A sigma right after the first letter is final unless another letter follows.
		return strings.TrimPrefix(pysem.Lower("a"+s[n:]), "a")
	}
	return rest
}

func isCased(r rune) bool { return isUpper(r) || isLower(r) || unicode.IsTitle(r) }

func title(s string) string {
	var b strings.Builder
	runes := pysem.Runes(s)
	lower := pysem.Lower(s)
	exact := len(pysem.Runes(lower)) == len(runes) // if the lengths are equal, lower has final sigmas in the right places
	lowered := pysem.Runes(lower)
	afterCased := false
	for i, r := range runes {
		switch {
		case !afterCased:
			b.WriteString(perRune(textOf(runes[i:i+1]), titleRune))
		case exact:
			b.WriteString(textOf(lowered[i : i+1]))
		default:
			b.WriteString(pysem.Lower(textOf(runes[i : i+1])))
		}
		afterCased = isCased(r)
	}
	return b.String()
}

func swapcase(s string) string {
	lower := pysem.Runes(pysem.Lower(s))
	exact := len(lower) == len(pysem.Runes(s))
	i := -1
	return perRune(s, func(r rune) string {
		i++
		switch {
		case isUpper(r):
			if exact {
				return string(lower[i])
			}
			return pysem.Lower(string(r))
		case isLower(r):
			return upper(string(r))
		}
		return string(r)
	})
}

// padder makes the method ljust, rjust or center. The function before returns how much of the
// padding goes to the left; nil means center.
func padder(name string, before func(n int) int) *builtin {
	return defineMethod("str", name, between(1, 2), func(m *machine, s string, a []Value) (Value, error) {
		width, err := wantIndex(a[0])
		if err != nil {
			return nil, err
		}
		fill := " "
		if has(a[1]) {
			var ok bool
			if fill, ok = a[1].(string); !ok {
				return nil, typeError("The fill character must be a unicode character, not %s", typeName(a[1]))
			}
			if lengthOf(fill) != 1 {
				return nil, typeError("The fill character must be exactly one character long")
			}
		}
		length := lengthOf(s)
		padding := max(0, width-length)
		if err := m.make(len(s) + padding); err != nil {
			return nil, err
		}
		left := padding/2 + padding&width&1
		if before != nil {
			left = before(padding)
		}
		return strings.Repeat(fill, left) + s + strings.Repeat(fill, padding-left), nil
	})
}

func zfill(m *machine, s string, a []Value) (Value, error) {
	width, err := wantIndex(a[0])
	if err != nil {
		return nil, err
	}
	padding := max(0, width-lengthOf(s))
	if err := m.make(len(s) + padding); err != nil || padding == 0 {
		return s, err
	}
	sign := ""
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		sign, s = s[:1], s[1:]
	}
	return sign + strings.Repeat("0", padding) + s, nil
}

func expandTabs(m *machine, s string, a []Value) (Value, error) {
	size := 8
	if has(a[0]) {
		var err error
		if size, err = wantIndex(a[0]); err != nil {
			return nil, err
		}
	}
	var b strings.Builder
	column := 0
	for _, c := range pysem.Chars(s) {
		switch {
		case c == "\t" && size > 0:
			n := size - column%size
			if err := m.make(n); err != nil {
				return nil, err
			}
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case c == "\t":
		default:
			b.WriteString(c)
			column++
			if c == "\n" || c == "\r" {
				column = 0
			}
		}
	}
	return b.String(), nil
}

func stripper(name string, left, right bool) *builtin {
	return defineMethod("str", name, between(0, 1), func(m *machine, s string, a []Value) (Value, error) {
		drop := pysem.IsSpace
		if has(a[0]) && a[0] != nil {
			chars, ok := a[0].(string)
			if !ok {
				return nil, typeError("%s arg must be None or str", name)
			}
			set := pysem.Runes(chars)
			drop = func(r rune) bool { return slices.Contains(set, r) }
		}
		runes := pysem.Runes(s)
		for left && len(runes) > 0 && drop(runes[0]) {
			runes = runes[1:]
		}
		for right && len(runes) > 0 && drop(runes[len(runes)-1]) {
			runes = runes[:len(runes)-1]
		}
		return textOf(runes), m.step(len(s) / 16)
	})
}

func replace(m *machine, s string, a []Value) (Value, error) {
	old, err := wantText(a[0], "replace() argument 1")
	if err != nil {
		return nil, err
	}
	with, err := wantText(a[1], "replace() argument 2")
	if err != nil {
		return nil, err
	}
	most := -1
	if has(a[2]) {
		if most, err = wantIndex(a[2]); err != nil {
			return nil, err
		}
	}
	found := lengthOf(s) + 1
	if old != "" {
		found = strings.Count(s, old)
	}
	if most >= 0 {
		found = min(found, most)
	}
	if err := m.make(len(s) + found*len(with)); err != nil {
		return nil, err
	}
	if old == "" {
		return replaceEmpty(s, with, found), nil
	}
	return strings.Replace(s, old, with, found), nil
}

// replaceEmpty inserts a text before each of the first n characters. The end of the string counts
// as a character.
func replaceEmpty(s, with string, n int) string {
	var b strings.Builder
	chars := pysem.Chars(s)
	for i := range len(chars) + 1 {
		if i < n {
			b.WriteString(with)
		}
		if i < len(chars) {
			b.WriteString(chars[i])
		}
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

var strMakeTrans = define("maketrans", between(1, 3), func(m *machine, a []Value) (Value, error) {
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
