package expr

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

func (l stringlib[T]) splitter(name string, by func(s, separator string, most int) []string,
	spaces func(s string, most int, isSpace func(r rune) bool) []string) *builtin {
	return l.method(name, byName(0, "sep", "maxsplit"), func(m *machine, s string, a []Value) (Value, error) {
		most, err := given(a[1], -1, wantIndex)
		if err != nil {
			return nil, err
		}
		if most < 0 || most > len(s) {
			most = len(s) + 1
		}
		if err := m.make(len(s)); err != nil {
			return nil, err
		}
		if !has(a[0]) || a[0] == nil {
			return l.list(spaces(s, most, l.isSpace)), nil
		}
		separator, ok := l.text(a[0])
		if !ok {
			return nil, l.wrong(a[0], "must be str or None, not "+typeName(a[0]))
		}
		if separator == "" {
			return nil, raise("ValueError", "empty separator")
		}
		return l.list(by(s, separator, most)), nil
	})
}

func splitLeft(s, separator string, most int) []string { return strings.SplitN(s, separator, most+1) }

func splitRight(s, separator string, most int) []string {
	var parts []string
	for ; most > 0; most-- {
		at := strings.LastIndex(s, separator)
		if at < 0 {
			break
		}
		parts = append([]string{s[at+len(separator):]}, parts...)
		s = s[:at]
	}
	return append([]string{s}, parts...)
}

// splitSpacesLeft splits a text at white space. What is left after the last split keeps the white
// space at its end.
func splitSpacesLeft(s string, most int, isSpace func(r rune) bool) []string {
	var parts []string
	for rest := strings.TrimLeftFunc(s, isSpace); rest != ""; rest = strings.TrimLeftFunc(rest, isSpace) {
		end := strings.IndexFunc(rest, isSpace)
		if end < 0 || len(parts) == most {
			return append(parts, rest)
		}
		parts = append(parts, rest[:end])
		rest = rest[end:]
	}
	return parts
}

// splitSpacesRight splits as splitSpacesLeft does, from the right: what is left keeps the white
// space at its beginning.
func splitSpacesRight(s string, most int, isSpace func(r rune) bool) []string {
	var parts []string
	for rest := strings.TrimRightFunc(s, isSpace); rest != ""; rest = strings.TrimRightFunc(rest, isSpace) {
		start := strings.LastIndexFunc(rest, isSpace)
		if start < 0 || len(parts) == most {
			return append([]string{rest}, parts...)
		}
		word := strings.TrimLeftFunc(rest[start:], isSpace)
		parts = append([]string{word}, parts...)
		rest = rest[:start]
	}
	return parts
}

func (l stringlib[T]) splitLines(m *machine, s string, a []Value) (Value, error) {
	keep, err := given(a[0], 0, wantInt)
	if err != nil {
		return nil, err
	}
	var lines []string
	for rest := s; rest != ""; {
		end := strings.IndexAny(rest, l.lineEnds)
		if end < 0 {
			lines = append(lines, rest)
			break
		}
		next := end + len(pysem.Chars(rest[end:])[0])
		if strings.HasPrefix(rest[end:], "\r\n") {
			next = end + 2
		}
		if keep != 0 {
			end = next
		}
		lines = append(lines, rest[:end])
		rest = rest[next:]
	}
	return l.list(lines), m.make(len(s))
}

func (l stringlib[T]) join(m *machine, s string, a []Value) (Value, error) {
	if !isIterable(a[0]) {
		return nil, typeError("can only join an iterable")
	}
	items, err := m.collect(a[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, item := range items {
		part, ok := l.text(item)
		if !ok {
			what := map[string]string{"str": "str instance", "bytes": "a bytes-like object"}[l.of]
			return nil, typeError("sequence item %d: expected %s, %s found", i, what, typeName(item))
		}
		if i > 0 {
			b.WriteString(s)
		}
		if err := m.make(len(part) + len(s)); err != nil {
			return nil, err
		}
		b.WriteString(part)
	}
	return T(b.String()), nil
}
