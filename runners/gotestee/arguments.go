package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/pysem"
)

// arguments are the fields of an object of a case. A field of a type that the
// protocol does not have there ends the case with an error that names it.
type arguments struct {
	*pysem.Dict
	where string
}

func (a arguments) at(name string) string { return a.where + "." + name }

func (a arguments) wrong(name, want string) {
	v, present := a.Get(name)
	if !present {
		badCasef("%s: found nothing, want %s", a.at(name), want)
	}
	badCasef("%s: found %s, want %s", a.at(name), pysem.Repr(v), want)
}

// has says whether the field is there, null or not.
func (a arguments) has(name string) bool {
	_, ok := a.Get(name)
	return ok
}

// value is any field; nil when it is missing.
func (a arguments) value(name string) any {
	v, _ := a.Get(name)
	return v
}

func (a arguments) str(name string) string {
	s, ok := a.value(name).(string)
	if !ok {
		a.wrong(name, "a string")
	}
	return s
}

// optStr is a string; null and missing are None.
func (a arguments) optStr(name string) agent.OptString {
	switch v := a.value(name).(type) {
	case nil:
		return agent.OptString{}
	case string:
		return pysem.Some(v)
	}
	a.wrong(name, "a string or null")
	return agent.OptString{}
}

// strOr is a string with a default for a missing field.
func (a arguments) strOr(name, otherwise string) string {
	if !a.has(name) {
		return otherwise
	}
	return a.str(name)
}

func (a arguments) integer(name string) int {
	n, ok := a.value(name).(int)
	if !ok {
		a.wrong(name, "an int")
	}
	return n
}

// integerOr is an int with a default for a missing field or null.
func (a arguments) integerOr(name string, otherwise int) int {
	if a.value(name) == nil {
		return otherwise
	}
	return a.integer(name)
}

// flag is a boolean; missing and null are false.
func (a arguments) flag(name string) bool {
	switch v := a.value(name).(type) {
	case nil:
		return false
	case bool:
		return v
	}
	a.wrong(name, "true or false")
	return false
}

func (a arguments) bytes(name string) []byte {
	b, ok := a.value(name).([]byte)
	if !ok {
		a.wrong(name, `bytes, {"$hex"}`)
	}
	return b
}

func (a arguments) list(name string) []any {
	l, ok := a.value(name).([]any)
	if !ok {
		a.wrong(name, "a list")
	}
	return l
}

func (a arguments) strings(name string) []string {
	var texts []string
	for _, v := range a.list(name) {
		s, ok := v.(string)
		if !ok {
			a.wrong(name, "a list of strings")
		}
		texts = append(texts, s)
	}
	return texts
}

func (a arguments) object(name string) arguments {
	d, ok := a.value(name).(*pysem.Dict)
	if !ok {
		a.wrong(name, "an object")
	}
	return arguments{Dict: d, where: a.at(name)}
}

// objectOr is an object, empty for a missing field.
func (a arguments) objectOr(name string) arguments {
	if !a.has(name) {
		return arguments{Dict: &pysem.Dict{}, where: a.at(name)}
	}
	return a.object(name)
}

// pair is a list of two strings.
func (a arguments) pair(name string) (string, string) {
	l := a.strings(name)
	if len(l) != 2 {
		a.wrong(name, "two strings")
	}
	return l[0], l[1]
}

// objects is a list of objects.
func (a arguments) objects(name string) []arguments {
	var list []arguments
	for _, v := range a.list(name) {
		d, ok := v.(*pysem.Dict)
		if !ok {
			a.wrong(name, "a list of objects")
		}
		list = append(list, arguments{Dict: d, where: a.at(name)})
	}
	return list
}

// fields are the arguments as the port's keyword arguments.
func (a arguments) fields() []agent.Field {
	fields := make([]agent.Field, len(a.Items))
	for i, item := range a.Items {
		fields[i] = agent.Field{Name: item.Key, Value: item.Value}
	}
	return fields
}

// step is one [name, arguments] of a sequence.
type step struct {
	name string
	arguments
}

// steps reads a list of [name, arguments].
func (a arguments) steps(name string) []step {
	var list []step
	for _, v := range a.list(name) {
		s, ok := asStep(v, a.at(name))
		if !ok {
			a.wrong(name, "a list of [name, arguments]")
		}
		list = append(list, s)
	}
	return list
}

func asStep(v any, where string) (step, bool) {
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		return step{}, false
	}
	name, okName := pair[0].(string)
	d, okArguments := pair[1].(*pysem.Dict)
	return step{name: name, arguments: arguments{Dict: d, where: where + "." + name}}, okName && okArguments
}

// unknownStep is a step that the operation does not have.
func unknownStep(s step) {
	badCasef("%s: found the step %q, which this operation does not have", s.where, s.name)
}
