package catalogue

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// ShrinkCase makes a case smaller, as long as differs reports that it still differs. It removes
// entries and items, shortens texts and lowers numbers. It is for cases that were not drawn, and so
// have no tape. The given case is not changed.
func ShrinkCase(c *testee.Case, differs func(*testee.Case) bool) *testee.Case {
	s := &caseShrinker{attempts[*testee.Case]{best: c, differs: differs}}
	for _, part := range []func(*testee.Case) **pysem.Dict{
		func(c *testee.Case) **pysem.Dict { return &c.Files }, func(c *testee.Case) **pysem.Dict { return &c.Host },
		func(c *testee.Case) **pysem.Dict { return &c.In }, func(c *testee.Case) **pysem.Dict { return &c.Env },
	} {
		if d := *part(s.best); d != nil {
			s.walk(d, func(v any) *testee.Case {
				with := *s.best
				*part(&with), _ = v.(*pysem.Dict)
				return &with
			})
		}
	}
	return s.best
}

type caseShrinker struct{ attempts[*testee.Case] }

// walk makes a value smaller, and then the values inside it, and returns the result. The function
// with returns the case with another value in this place.
func (s *caseShrinker) walk(v any, with func(v any) *testee.Case) any {
	for smaller := true; smaller; {
		smaller = false
		for _, other := range smallerThan(v) {
			if s.try(with(other)) {
				v, smaller = other, true
				break
			}
		}
	}
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = s.walk(list[i], func(item any) *testee.Case {
				other := slices.Clone(list)
				other[i] = item
				return with(other)
			})
		}
		return list
	case *pysem.Dict:
		if isSpecial(v) {
			return v
		}
		d := &pysem.Dict{Items: slices.Clone(v.Items)}
		for i := range d.Items {
			d.Items[i].Value = s.walk(d.Items[i].Value, func(value any) *testee.Case {
				other := &pysem.Dict{Items: slices.Clone(d.Items)}
				other.Items[i].Value = value
				return with(other)
			})
		}
		return d
	}
	return v
}

// isSpecial reports whether an object stands for a value of another type, such as {"$hex": "00"}.
func isSpecial(d *pysem.Dict) bool { return len(d.Items) > 0 && strings.HasPrefix(d.Items[0].Key, "$") }

// smallerThan returns variants of v that are smaller, the smallest first.
func smallerThan(v any) (list []any) {
	switch v := v.(type) {
	case string:
		for _, n := range []int{0, 1, len(v) / 2, len(v) - 1} {
			if n >= 0 && n < len(v) && utf8.ValidString(v[:n]) {
				list = append(list, v[:n])
			}
		}
	case int:
		for _, n := range []int{0, 1, v / 2} {
			if n < v {
				list = append(list, n)
			}
		}
	case []any:
		for size := len(v); size > 0; size /= 2 {
			for at := 0; at+size <= len(v); at += size {
				list = append(list, slices.Delete(slices.Clone(v), at, at+size))
			}
		}
	case *pysem.Dict:
		if isSpecial(v) {
			return nil
		}
		for i := range v.Items {
			list = append(list, &pysem.Dict{Items: slices.Delete(slices.Clone(v.Items), i, i+1)})
		}
	}
	return list
}
