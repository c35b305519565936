package expr

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// padder makes the method ljust, rjust or center. The function before returns how much of the
// padding goes to the left; nil means center.
func (l stringlib[T]) padder(name string, before func(n int) int) *builtin {
	return l.method(name, between(1, 2), func(m *machine, s string, a []Value) (Value, error) {
		width, err := wantIndex(a[0])
		if err != nil {
			return nil, err
		}
		fill := " "
		if has(a[1]) {
			if fill, err = l.fill(name, a[1]); err != nil {
				return nil, err
			}
		}
		padding := max(0, width-l.length(s))
		if err := m.make(len(s) + padding); err != nil {
			return nil, err
		}
		left := padding/2 + padding&width&1
		if before != nil {
			left = before(padding)
		}
		return T(strings.Repeat(fill, left) + s + strings.Repeat(fill, padding-left)), nil
	})
}

// fill returns the character with which a method pads.
func (l stringlib[T]) fill(name string, v Value) (string, error) {
	fill, ok := l.text(v)
	one := ok && l.length(fill) == 1
	switch {
	case l.of == "bytes" && !one:
		return "", typeError("%s() argument 2 must be a byte string of length 1, not %s", name, argumentName(v))
	case !ok:
		return "", typeError("The fill character must be a unicode character, not %s", typeName(v))
	case !one:
		return "", typeError("The fill character must be exactly one character long")
	}
	return fill, nil
}

func (l stringlib[T]) zfill(m *machine, s string, a []Value) (Value, error) {
	width, err := wantIndex(a[0])
	if err != nil {
		return nil, err
	}
	padding := max(0, width-l.length(s))
	if err := m.make(len(s) + padding); err != nil || padding == 0 {
		return T(s), err
	}
	sign := ""
	if strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") {
		sign, s = s[:1], s[1:]
	}
	return T(sign + strings.Repeat("0", padding) + s), nil
}

func (l stringlib[T]) expandTabs(m *machine, s string, a []Value) (Value, error) {
	size, err := given(a[0], 8, wantInt)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	column := 0
	for _, c := range l.chars(s) {
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
	return T(b.String()), nil
}

func (l stringlib[T]) stripper(name string, left, right bool) *builtin {
	return l.method(name, between(0, 1), func(m *machine, s string, a []Value) (Value, error) {
		set := []string(nil)
		if has(a[0]) && a[0] != nil {
			listed, ok := l.text(a[0])
			if !ok {
				return nil, l.wrong(a[0], name+" arg must be None or str")
			}
			set = append([]string{}, l.chars(listed)...)
		}
		drop := func(c string) bool {
			if set == nil {
				return l.isSpace(pysem.Runes(c)[0])
			}
			return slices.Contains(set, c)
		}
		chars := l.chars(s)
		for left && len(chars) > 0 && drop(chars[0]) {
			chars = chars[1:]
		}
		for right && len(chars) > 0 && drop(chars[len(chars)-1]) {
			chars = chars[:len(chars)-1]
		}
		return T(strings.Join(chars, "")), m.step(len(s) / 16)
	})
}

func (l stringlib[T]) affixCutter(name string, cut func(s, affix string) string) *builtin {
	return l.method(name, signature{style: oneArg}, func(_ *machine, s string, a []Value) (Value, error) {
		affix, ok := l.text(a[0])
		if !ok {
			return nil, l.wrong(a[0], name+"() argument must be str, not "+argumentName(a[0]))
		}
		return T(cut(s, affix)), nil
	})
}

func (l stringlib[T]) replace(m *machine, s string, a []Value) (Value, error) {
	old, ok := l.text(a[0])
	if !ok {
		return nil, l.wrong(a[0], "replace() argument 1 must be str, not "+argumentName(a[0]))
	}
	with, ok := l.text(a[1])
	if !ok {
		return nil, l.wrong(a[1], "replace() argument 2 must be str, not "+argumentName(a[1]))
	}
	most, err := given(a[2], -1, wantIndex)
	if err != nil {
		return nil, err
	}
	found := l.length(s) + 1
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
		return T(insertBefore(l.chars(s), with, found)), nil
	}
	return T(strings.Replace(s, old, with, found)), nil
}

// insertBefore inserts a text before each of the first n characters. The end of the text counts as
// a character.
func insertBefore(chars []string, with string, n int) string {
	var b strings.Builder
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
