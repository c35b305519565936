package expr

import (
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// stringlib makes the methods that str and bytes have alike. CPython makes them from templates,
// too (Objects/stringlib). A text is a Go string for both: of UTF-8 for str, of any bytes for bytes.
type stringlib[T string | []byte] struct {
	of       string
	length   func(text string) int
	chars    func(text string) []string
	isSpace  func(r rune) bool
	lineEnds string // characters at which splitlines splits
	missing  string // what index and rindex say of a part that is not there
	// wrong returns the error for an argument that is no text. The parameter says is what str says.
	wrong func(v Value, says string) error
	// part returns the first argument of find, index and count.
	part func(v Value) (string, error)
}

var textLib = stringlib[string]{
	of: "str", length: lengthOf, chars: pysem.Chars, isSpace: pysem.IsSpace, lineEnds: "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029",
	missing: "substring not found",
	wrong:   func(_ Value, says string) error { return typeError("%s", says) },
	part: func(v Value) (string, error) {
		if s, ok := v.(string); ok {
			return s, nil
		}
		return "", typeError("must be str, not %s", typeName(v))
	},
}

// text returns a value as a text. It returns false for a value of another class.
func (l stringlib[T]) text(v Value) (string, bool) {
	t, ok := v.(T)
	return string(t), ok
}

func (l stringlib[T]) list(parts []string) *List {
	return &List{Items: lists.Map(parts, func(s string) Value { return T(s) })}
}

// method makes a method whose self is a text.
func (l stringlib[T]) method(name string, sig signature, f func(m *machine, s string, a []Value) (Value, error)) *builtin {
	return defineMethod(l.of, name, sig, func(m *machine, self T, a []Value) (Value, error) { return f(m, string(self), a) })
}

// methods returns all methods that str and bytes share.
func (l stringlib[T]) methods() []*builtin {
	return []*builtin{
		l.finder("find", strings.Index, false),
		l.finder("rfind", strings.LastIndex, false),
		l.finder("index", strings.Index, true),
		l.finder("rindex", strings.LastIndex, true),
		l.method("count", finds, l.count),
		l.affixTest("startswith", strings.HasPrefix),
		l.affixTest("endswith", strings.HasSuffix),
		l.parter("partition", strings.Index, func(s string) Tuple { return Tuple{T(s), T(""), T("")} }),
		l.parter("rpartition", strings.LastIndex, func(s string) Tuple { return Tuple{T(""), T(""), T(s)} }),
		l.splitter("split", splitLeft, splitSpacesLeft),
		l.splitter("rsplit", splitRight, splitSpacesRight),
		l.method("splitlines", byName(0, "keepends"), l.splitLines),
		l.method("join", signature{style: oneArg}, l.join),
		l.padder("ljust", func(_ int) int { return 0 }),
		l.padder("rjust", func(n int) int { return n }),
		l.padder("center", nil),
		l.method("zfill", signature{style: oneArg}, l.zfill),
		l.method("expandtabs", byName(0, "tabsize"), l.expandTabs),
		l.stripper("strip", true, true),
		l.stripper("lstrip", true, false),
		l.stripper("rstrip", false, true),
		l.affixCutter("removeprefix", strings.TrimPrefix),
		l.affixCutter("removesuffix", strings.TrimSuffix),
		l.method("replace", between(2, 3), l.replace),
	}
}

// finds is the signature of methods that search a text for a part, with optional start and end.
var finds = signature{style: tupled, min: 1, max: 3}

// window is the part of a text that a method searches, and the number of its first character. ok is
// false if the part begins beyond the end of the text.
type window struct {
	text  string
	start int
	ok    bool
}

// between returns the window from one number of a character to another.
func (l stringlib[T]) between(s string, from, to Value) (window, error) {
	bounds := &Slice{}
	if has(from) {
		bounds.Start = from
	}
	if has(to) {
		bounds.Stop = to
	}
	n := l.length(s)
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
	if n == len(s) {
		return window{text: s[start:stop], start: start, ok: true}, nil
	}
	return window{text: strings.Join(l.chars(s)[start:stop], ""), start: start, ok: true}, nil
}

// window parses the arguments (part, start, end) of a method that searches a text. CPython looks at
// the bounds first, and then at the part.
func (l stringlib[T]) window(s string, a []Value) (part string, w window, err error) {
	if w, err = l.between(s, a[1], a[2]); err != nil {
		return "", w, err
	}
	part, err = l.part(a[0])
	return part, w, err
}

// finder makes the method find, rfind, index or rindex. If strict is set, the method raises an
// error when the part is missing.
func (l stringlib[T]) finder(name string, index func(s, part string) int, strict bool) *builtin {
	return l.method(name, finds, func(m *machine, s string, a []Value) (Value, error) {
		part, w, err := l.window(s, a)
		if err != nil {
			return nil, err
		}
		at := -1
		if w.ok {
			at = index(w.text, part)
		}
		if at < 0 {
			if strict {
				return nil, raise("ValueError", "%s", l.missing)
			}
			return -1, nil
		}
		return w.start + l.length(w.text[:at]), m.step(len(s) / 64)
	})
}

func (l stringlib[T]) count(m *machine, s string, a []Value) (Value, error) {
	part, w, err := l.window(s, a)
	if err != nil || !w.ok {
		return 0, err
	}
	if part == "" {
		return l.length(w.text) + 1, nil
	}
	return strings.Count(w.text, part), m.step(len(s) / 64)
}

func (l stringlib[T]) affixTest(name string, test func(s, affix string) bool) *builtin {
	return l.method(name, finds, func(_ *machine, s string, a []Value) (Value, error) {
		w, err := l.between(s, a[1], a[2])
		if err != nil {
			return nil, err
		}
		affixes, several := a[0].(Tuple)
		if !several {
			if _, ok := l.text(a[0]); !ok {
				return nil, typeError("%s first arg must be %s or a tuple of %s, not %s", name, l.of, l.of, typeName(a[0]))
			}
			affixes = Tuple{a[0]}
		}
		for _, v := range affixes {
			affix, ok := l.text(v)
			if !ok {
				return nil, l.wrong(v, "tuple for "+name+" must only contain str, not "+typeName(v))
			}
			if w.ok && test(w.text, affix) {
				return true, nil
			}
		}
		return false, nil
	})
}

func (l stringlib[T]) parter(name string, index func(s, part string) int, without func(s string) Tuple) *builtin {
	return l.method(name, signature{style: oneArg}, func(m *machine, s string, a []Value) (Value, error) {
		separator, ok := l.text(a[0])
		if !ok {
			return nil, l.wrong(a[0], "must be str, not "+typeName(a[0]))
		}
		if separator == "" {
			return nil, raise("ValueError", "empty separator")
		}
		at := index(s, separator)
		if at < 0 {
			return without(s), nil
		}
		return Tuple{T(s[:at]), T(separator), T(s[at+len(separator):])}, m.make(len(s))
	})
}
