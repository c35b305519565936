package expr

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// finds is the signature of what looks for a part between two places.
var finds = signature{style: tupled, min: 1, max: 3}

// stringFindMethods look for a part of a string.
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

// window is a part of a string: its text, and where it begins in characters. ok is false
// when it begins behind the end.
type window struct {
	text  string
	start int
	ok    bool
}

// windowOf reads (part, start, end).
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
	return window{text: textOf(runesOf(s)[start:stop]), start: start, ok: true}, nil
}

// finder makes find and its like; strict ones raise where there is nothing.
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

// stringSplitMethods take a string apart and put strings together.
var stringSplitMethods = []*builtin{
	splitter("split", splitLeft, splitSpacesLeft),
	splitter("rsplit", splitRight, splitSpacesRight),
	defineMethod("str", "splitlines", byName(0, "keepends"), func(m *machine, s string, a []Value) (Value, error) {
		return &List{Items: texts(splitLines(s, has(a[0]) && Truth(a[0])))}, m.make(len(s))
	}),
	defineMethod("str", "join", signature{style: oneArg}, joinTexts),
}

func texts(parts []string) []Value {
	items := make([]Value, len(parts))
	for i, s := range parts {
		items[i] = s
	}
	return items
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

// lineEnds holds the characters that end lines for splitlines.
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
