package expr

import (
	"slices"
	"strings"
	"unicode"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// finds is the signature of methods that search a string for a part, with optional start and end.
var finds = signature{style: tupled, min: 1, max: 3}

// stringFindMethods lists the methods of str that search for a part.
var stringFindMethods = []*builtin{
	finder("find", strings.Index, false),
	finder("rfind", strings.LastIndex, false),
	finder("index", strings.Index, true),
	finder("rindex", strings.LastIndex, true),
	defineMethod("str", "count", finds, func(m *machine, s string, a []Value) (Value, error) {
		part, w, err := windowOf(s, a)
		if err != nil || !w.ok {
			return 0, err
		}
		if part == "" {
			return lengthOf(w.text) + 1, nil
		}
		return strings.Count(w.text, part), m.step(len(s) / 64)
	}),
	affixTest("startswith", strings.HasPrefix),
	affixTest("endswith", strings.HasSuffix),
	parter("partition", strings.Index, func(s string) Tuple { return Tuple{s, "", ""} }),
	parter("rpartition", strings.LastIndex, func(s string) Tuple { return Tuple{"", "", s} }),
}

// window is the part of a string that a method searches: its text, and the number of its first
// character. ok is false if the part begins beyond the end of the string.
type window struct {
	text  string
	start int
	ok    bool
}

// windowOf parses the arguments (part, start, end) of a method that searches a string.
func windowOf(s string, a []Value) (part string, w window, err error) {
	part, ok := a[0].(string)
	if !ok {
		return "", window{}, typeError("must be str, not %s", typeName(a[0]))
	}
	w, err = windowBetween(s, a[1], a[2])
	return part, w, err
}

func windowBetween(s string, from, to Value) (window, error) {
	bounds := &Slice{}
	if has(from) {
		bounds.Start = from
	}
	if has(to) {
		bounds.Stop = to
	}
	n := lengthOf(s)
	if bounds.Start == nil && bounds.Stop == nil {
		return window{text: s, ok: true}, nil
	}
	if bounds.Start != nil {
		start, err := sliceIndex(bounds.Start)
		if err != nil {
			return window{}, err
		}
		if start > n {
			_, _, _, _, err := bounds.bounds(n)
			return window{}, err
		}
	}
	start, stop, _, _, err := bounds.bounds(n)
	if err != nil || stop < start {
		return window{}, err
	}
	if isASCII(s) {
		return window{text: s[start:stop], start: start, ok: true}, nil
	}
	return window{text: textOf(pysem.Runes(s)[start:stop]), start: start, ok: true}, nil
}

// finder makes the method find, rfind, index or rindex. If strict is set, the method raises an
// error when the part is missing.
func finder(name string, index func(s, part string) int, strict bool) *builtin {
	return defineMethod("str", name, finds, func(m *machine, s string, a []Value) (Value, error) {
		part, w, err := windowOf(s, a)
		if err != nil {
			return nil, err
		}
		at := -1
		if w.ok {
			at = index(w.text, part)
		}
		if at < 0 {
			if strict {
				return nil, raise("ValueError", "substring not found")
			}
			return -1, nil
		}
		return w.start + lengthOf(w.text[:at]), m.step(len(s) / 64)
	})
}

func affixTest(name string, test func(s, affix string) bool) *builtin {
	return defineMethod("str", name, finds, func(m *machine, s string, a []Value) (Value, error) {
		w, err := windowBetween(s, a[1], a[2])
		if err != nil {
			return nil, err
		}
		affixes, several := a[0].(Tuple)
		if !several {
			if _, ok := a[0].(string); !ok {
				return nil, typeError("%s first arg must be str or a tuple of str, not %s", name, typeName(a[0]))
			}
			affixes = Tuple{a[0]}
		}
		for _, v := range affixes {
			affix, ok := v.(string)
			if !ok {
				return nil, typeError("tuple for %s must only contain str, not %s", name, typeName(v))
			}
			if w.ok && test(w.text, affix) {
				return true, nil
			}
		}
		return false, nil
	})
}

func parter(name string, index func(s, part string) int, without func(s string) Tuple) *builtin {
	return defineMethod("str", name, signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		separator, ok := a[0].(string)
		if !ok {
			return nil, typeError("must be str, not %s", typeName(a[0]))
		}
		if separator == "" {
			return nil, raise("ValueError", "empty separator")
		}
		at := index(s, separator)
		if at < 0 {
			return without(s), nil
		}
		return Tuple{s[:at], separator, s[at+len(separator):]}, m.make(len(s))
	})
}

// stringSplitMethods holds the methods that split and join strings.
var stringSplitMethods = []*builtin{
	splitter("split", splitLeft, splitSpacesLeft),
	splitter("rsplit", splitRight, splitSpacesRight),
	defineMethod("str", "splitlines", byName(0, "keepends"), func(m *machine, s string, a []Value) (Value, error) {
		return &List{Items: texts(splitLines(s, has(a[0]) && Truth(a[0])))}, m.make(len(s))
	}),
	defineMethod("str", "join", signature{style: oneArg}, joinTexts),
}

func texts(parts []string) []Value {
	return lists.Map(parts, func(s string) Value { return s })
}

func splitter(name string, by func(s, separator string, most int) []string, spaces func(s string, most int) []string) *builtin {
	return defineMethod("str", name, byName(0, "sep", "maxsplit"), func(m *machine, s string, a []Value) (Value, error) {
		most := -1
		if has(a[1]) {
			var err error
			if most, err = wantIndex(a[1]); err != nil {
				return nil, err
			}
		}
		if most < 0 {
			most = len(s) + 1
		}
		if err := m.make(len(s)); err != nil {
			return nil, err
		}
		if !has(a[0]) || a[0] == nil {
			return &List{Items: texts(spaces(s, most))}, nil
		}
		separator, ok := a[0].(string)
		if !ok {
			return nil, typeError("must be str or None, not %s", typeName(a[0]))
		}
		if separator == "" {
			return nil, raise("ValueError", "empty separator")
		}
		return &List{Items: texts(by(s, separator, most))}, nil
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

func splitSpacesLeft(s string, most int) []string {
	var parts []string
	for rest := strings.TrimLeftFunc(s, pysem.IsSpace); rest != ""; rest = strings.TrimLeftFunc(rest, pysem.IsSpace) {
		end := strings.IndexFunc(rest, pysem.IsSpace)
		if len(parts) == most {
			return append(parts, pysem.RStrip(rest))
		}
		if end < 0 {
			return append(parts, rest)
		}
		parts = append(parts, rest[:end])
		rest = rest[end:]
	}
	return parts
}

func splitSpacesRight(s string, most int) []string {
	var parts []string
	for rest := pysem.RStrip(s); rest != ""; rest = pysem.RStrip(rest) {
		if len(parts) == most {
			return append([]string{strings.TrimLeftFunc(rest, pysem.IsSpace)}, parts...)
		}
		start := strings.LastIndexFunc(rest, pysem.IsSpace)
		if start < 0 {
			return append([]string{rest}, parts...)
		}
		word := strings.TrimLeftFunc(rest[start:], pysem.IsSpace)
		parts = append([]string{word}, parts...)
		rest = rest[:start]
	}
	return parts
}

// lineEnds lists the characters at which splitlines splits a string.
const lineEnds = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

func splitLines(s string, keep bool) []string {
	var lines []string
	for s != "" {
		end := strings.IndexAny(s, lineEnds)
		if end < 0 {
			return append(lines, s)
		}
		next := end + len(pysem.Chars(s[end:])[0])
		if strings.HasPrefix(s[end:], "\r\n") {
			next = end + 2
		}
		if keep {
			end = next
		}
		lines = append(lines, s[:end])
		s = s[next:]
	}
	return lines
}

func joinTexts(m *machine, s string, a []Value) (Value, error) {
	if !isIterable(a[0]) {
		return nil, typeError("can only join an iterable")
	}
	items, err := m.collect(a[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, item := range items {
		part, ok := item.(string)
		if !ok {
			return nil, typeError("sequence item %d: expected str instance, %s found", i, typeName(item))
		}
		if i > 0 {
			b.WriteString(s)
		}
		if err := m.make(len(part) + len(s)); err != nil {
			return nil, err
		}
		b.WriteString(part)
	}
	return b.String(), nil
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
