package caseworld

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
)

// Arguments holds the fields of an object in a case. If a field does not have the type that the
// protocol requires, the methods end the case with an error that names the field.
type Arguments struct {
	*pysem.Dict
	Where string
}

// At returns where in the case a field is, for errors.
func (a Arguments) At(name string) string { return a.Where + "." + name }

// Wrong ends the case with an error, which says that a field is not what the operation wants.
func (a Arguments) Wrong(name, want string) {
	v, present := a.Get(name)
	if !present {
		BadCasef("%s: found nothing, want %s", a.At(name), want)
	}
	BadCasef("%s: found %s, want %s", a.At(name), pysem.Repr(v), want)
}

// Has reports whether the field is present, even if it is null.
func (a Arguments) Has(name string) bool {
	_, ok := a.Get(name)
	return ok
}

// Value returns a field of any type. It returns nil if the field is missing.
func (a Arguments) Value(name string) any {
	v, _ := a.Get(name)
	return v
}

// field returns a field as a Go type. want describes that type in error messages.
func field[T any](a Arguments, name, want string) T {
	v, ok := a.Value(name).(T)
	if !ok {
		a.Wrong(name, want)
	}
	return v
}

// items returns the members of a list, which must all have one Go type. want describes the list in
// error messages.
func items[T any](a Arguments, name, want string) []T {
	list := []T{}
	for _, v := range a.List(name) {
		item, ok := v.(T)
		if !ok {
			a.Wrong(name, want)
		}
		list = append(list, item)
	}
	return list
}

// Str returns a string.
func (a Arguments) Str(name string) string { return field[string](a, name, "a string") }

// OptStr returns a string, or None if the field is null or missing.
func (a Arguments) OptStr(name string) pysem.OptString {
	if a.Value(name) == nil {
		return pysem.OptString{}
	}
	return pysem.Some(field[string](a, name, "a string or null"))
}

// StrOr returns a string, or the value of otherwise if the field is missing.
func (a Arguments) StrOr(name, otherwise string) string {
	if !a.Has(name) {
		return otherwise
	}
	return a.Str(name)
}

// Integer returns an int.
func (a Arguments) Integer(name string) int { return field[int](a, name, "an int") }

// IntegerOr returns an int, or the value of otherwise if the field is missing or null.
func (a Arguments) IntegerOr(name string, otherwise int) int {
	if a.Value(name) == nil {
		return otherwise
	}
	return a.Integer(name)
}

// Count returns an int that says how many of something the answer makes. Above [MostCounted] the
// case is skipped, because no memory would hold the answer, and a program that runs out of memory
// ends.
func (a Arguments) Count(name string) int {
	a.Few(name)
	return a.Integer(name)
}

// Few skips the case if one of these fields, or an item of a list among them, is a number above
// [MostCounted].
func (a Arguments) Few(names ...string) {
	for _, name := range names {
		values, isList := a.Value(name).([]any)
		if !isList {
			values = []any{a.Value(name)}
		}
		for _, v := range values {
			if n, isInt := pysem.Big(v); isInt && n.Cmp(big.NewInt(MostCounted)) > 0 {
				panic(Skipped(fmt.Sprintf("%s: found %s, want %d at most", a.At(name), n, MostCounted)))
			}
		}
	}
}

// MostCounted is the highest number that [Arguments.Count] and [Arguments.Few] let pass.
const MostCounted = 1 << 16

// CountOr returns an int as Count does, or the value of otherwise if the field is missing or null.
func (a Arguments) CountOr(name string, otherwise int) int {
	if a.Value(name) == nil {
		return otherwise
	}
	return a.Count(name)
}

// OptInteger returns an int, or None if the field is null or missing.
func (a Arguments) OptInteger(name string) pysem.OptInt {
	if a.Value(name) == nil {
		return pysem.OptInt{}
	}
	return pysem.Some(a.Integer(name))
}

// Flag returns a boolean, which is false if the field is null or missing.
func (a Arguments) Flag(name string) bool {
	return a.Value(name) != nil && field[bool](a, name, "true or false")
}

// Bytes returns bytes, which cases write as {"$hex"}.
func (a Arguments) Bytes(name string) []byte { return field[[]byte](a, name, `bytes, {"$hex"}`) }

// List returns a list.
func (a Arguments) List(name string) []any { return field[[]any](a, name, "a list") }

// OptList returns a list, or nil if the field is null or missing.
func (a Arguments) OptList(name string) []any {
	if a.Value(name) == nil {
		return nil
	}
	return a.List(name)
}

// OptStrings returns a list of strings, or nil if the field is null or missing.
func (a Arguments) OptStrings(name string) []string {
	if a.Value(name) == nil {
		return nil
	}
	return a.Strings(name)
}

// Strings returns a list of strings.
func (a Arguments) Strings(name string) []string {
	return items[string](a, name, "a list of strings")
}

// Object returns an object.
func (a Arguments) Object(name string) Arguments {
	return Arguments{Dict: field[*pysem.Dict](a, name, "an object"), Where: a.At(name)}
}

// ObjectOr returns an object, which is empty if the field is missing.
func (a Arguments) ObjectOr(name string) Arguments {
	if !a.Has(name) {
		return Arguments{Dict: &pysem.Dict{}, Where: a.At(name)}
	}
	return a.Object(name)
}

// Pair returns a list of two strings.
func (a Arguments) Pair(name string) (string, string) {
	l := a.Strings(name)
	if len(l) != 2 {
		a.Wrong(name, "two strings")
	}
	return l[0], l[1]
}

// Objects returns a list of objects.
func (a Arguments) Objects(name string) (list []Arguments) {
	for _, d := range items[*pysem.Dict](a, name, "a list of objects") {
		list = append(list, Arguments{Dict: d, Where: a.At(name)})
	}
	return list
}

// Rows returns a list of lists as objects. The members of each inner list become the columns, in
// order.
func (a Arguments) Rows(name string, columns ...string) []Arguments {
	var rows []Arguments
	for _, v := range a.List(name) {
		values, ok := v.([]any)
		if !ok || len(values) != len(columns) {
			a.Wrong(name, "a list of ["+strings.Join(columns, ", ")+"]")
		}
		row := &pysem.Dict{}
		for i, column := range columns {
			row.Set(column, values[i])
		}
		rows = append(rows, Arguments{Dict: row, Where: a.At(name)})
	}
	return rows
}

// Fields returns the arguments in the form of keyword arguments for a data class.
func (a Arguments) Fields() []dataclass.Field {
	for _, item := range a.Items {
		a.wantNoSet(item.Key, item.Value)
	}
	fields := lists.Map(a.Items, func(item pysem.Item) dataclass.Field { return dataclass.Field{Name: item.Key, Value: item.Value} })
	return fields
}

// wantNoSet ends the case if a value contains a set, because a data class would show the set's
// order, which is random.
func (a Arguments) wantNoSet(name string, v any) {
	switch v := v.(type) {
	case Set:
		BadCasef("%s: found a set, want a value that has an order", a.At(name))
	case []any:
		for _, x := range v {
			a.wantNoSet(name, x)
		}
	case *pysem.Dict:
		for _, item := range v.Items {
			a.wantNoSet(name, item.Value)
		}
	}
}

// Step is one step of a sequence, which a case writes as [name, arguments].
type Step struct {
	Name string
	Arguments
}

// Steps returns a list of steps. Each is written as [name, arguments], or as [name] without
// arguments.
func (a Arguments) Steps(name string) []Step {
	var list []Step
	for _, v := range a.List(name) {
		s, ok := AsStep(shortStep(v), a.At(name))
		if !ok {
			a.Wrong(name, "a list of [name, arguments]")
		}
		list = append(list, s)
	}
	return list
}

// AsStep parses a step of the form [name, arguments]. where is its place in the case, for errors.
func AsStep(v any, where string) (Step, bool) {
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return Step{}, false
	}
	name, okName := pair[0].(string)
	d, okArguments := pair[1].(*pysem.Dict)
	return Step{Name: name, Arguments: Arguments{Dict: d, Where: where + "." + name}}, okName && okArguments
}

// UnknownStep ends the case with an error, which says that the operation has no such step.
func UnknownStep(s Step) {
	BadCasef("%s: found the step %q, which this operation does not have", s.Where, s.Name)
}

// Ints returns a list of ints, or nil if the field is missing or null.
func (a Arguments) Ints(name string) []int {
	if a.Value(name) == nil {
		return nil
	}
	return items[int](a, name, "a list of ints")
}
