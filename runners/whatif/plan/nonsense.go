package plan

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Number returns the value in base units. It returns false for a value that is not a single
// number.
func (v Value) Number() (float64, bool) {
	t, ok := typeAt(reflect.TypeFor[Plan](), strings.Split(RootPath(v.Path), "."))
	if !ok {
		return 0, false
	}
	kind, ok := kindOf(t)
	switch t {
	case reflect.TypeFor[RateLaw]():
		kind, ok = quantity.Rate, true
	case reflect.TypeFor[TimeLaw](), reflect.TypeFor[HedgeAfter]():
		kind, ok = quantity.Duration, true
	}
	if !ok {
		kind = quantity.Number
	}
	number, err := quantity.Parse(kind, v.Text)
	return number, err == nil
}

// Tried is a combination of values that a search has tried. Err says why it gives no valid plan,
// and is nil if it does.
type Tried struct {
	Values []Value
	Err    error
}

// Nonsense returns the mistakes among the values of axes. path holds the keys under which the plan
// file has the axes, such as "solve", "over". A value is a mistake if it is refused on its own and
// in every combination. A configuration that is valid but unsuitable is no mistake: containers too
// small for their models, too few requests for a verdict, or an overloaded plan that must not be
// thinned.
func (s *Source) Nonsense(axes []Axis, tried []Tried, path ...string) Problems {
	var list Problems
	for _, a := range axes {
		for i, text := range a.Values {
			v := Value{Path: a.Path, Text: text}
			if slices.ContainsFunc(tried, func(t Tried) bool { return mistake(t.Err) == nil && slices.Contains(t.Values, v) }) {
				continue
			}
			_, _, err := s.With([]Value{v})
			if one := mistake(err); one != nil {
				at := s.valueNode(i, append(slices.Clone(path), a.Path)...)
				list = append(list, Problem{Code: one.Code, File: s.file, Line: at.Line, Column: at.Column, Message: fmt.Sprintf("%s %s: %s", a.Path, text, one.Message)})
			}
		}
	}
	list.sort()
	return list
}

// mistake returns the first problem in err that makes the plan invalid, or nil. It skips problems
// of configurations that are valid but unsuitable.
func mistake(err error) *Problem {
	var problems Problems
	if !errors.As(err, &problems) {
		return nil
	}
	for i := range problems {
		if code := problems[i].Code; code != doesNotFit && code != tooPrecise && code != thinRefused {
			return &problems[i]
		}
	}
	return nil
}

// valueNode returns the item with index i of the list at a path of keys. If there is a single value
// instead of a list, it returns that value.
func (s *Source) valueNode(i int, path ...string) *yaml.Node {
	n := s.root.Content[0]
	for _, key := range path {
		for k := 0; n.Kind == yaml.MappingNode && k+1 < len(n.Content); k += 2 {
			if n.Content[k].Value == key {
				n = n.Content[k+1]
				break
			}
		}
	}
	if n.Kind == yaml.SequenceNode && i < len(n.Content) {
		return n.Content[i]
	}
	return n
}
