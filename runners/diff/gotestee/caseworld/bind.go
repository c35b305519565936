package caseworld

import (
	"fmt"
	"reflect"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee/catalogue"
)

// Table maps operations, and Do maps steps, to Go functions by name. A parameter of type *Call,
// *env.Env, env.Host, env.Files, quirks.Set, [Step], or a struct that embeds *Call gets the case's
// value. Each other parameter gets the next declared field, read by its type as [Arguments] does. A
// function returns a value that [Encode] accepts, an error, both or neither. Several values make a
// list.
type (
	Table map[string]any
	Do    map[string]any
)

// With makes an operation that calls the function read and passes its result, such as a
// configuration, to the function answer. C is *Call, or a pointer to a struct that embeds one.
func With[C, A any](read func(C) (A, error), answer func(C, A) (any, error)) func(C) (any, error) {
	return func(c C) (any, error) {
		a, err := read(c)
		if err != nil {
			return nil, err
		}
		return answer(c, a)
	}
}

// Answer calls the function that implements the case's operation.
func (c *Call) Answer(function any) (any, error) {
	if c.op == nil {
		panic("gotestee: an operation that catalogue does not declare")
	}
	return c.call(function, c.op.In, Step{Arguments: c.In})
}

// call calls a function. Its arguments come from the given fields of the step's arguments.
func (c *Call) call(function any, fields []catalogue.Field, s Step) (any, error) {
	f := reflect.ValueOf(function)
	in := make([]reflect.Value, f.Type().NumIn())
	for i := range in {
		t := f.Type().In(i)
		if given, ok := c.given(t, s); ok {
			in[i] = given
			continue
		}
		if len(fields) == 0 {
			panic(fmt.Sprintf("gotestee: %s: the function takes more than the declared fields", s.Where))
		}
		in[i] = s.read(fields[0], t)
		fields = fields[1:]
	}
	return returned(f.Call(in))
}

// given returns the value for a parameter that is not a field of the case: the call, the step, or a
// part of the environment.
func (c *Call) given(t reflect.Type, s Step) (reflect.Value, bool) {
	for _, v := range []any{c, c.Env, c.Quirks, s} {
		if reflect.TypeOf(v) == t {
			return reflect.ValueOf(v), true
		}
	}
	switch t {
	case reflect.TypeFor[env.Host]():
		return reflect.ValueOf(c.Env.Host), true
	case reflect.TypeFor[env.Files]():
		return reflect.ValueOf(c.Env.Files), true
	}
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem().NumField() == 1 && t.Elem().Field(0).Type == reflect.TypeOf(c) {
		wrapped := reflect.New(t.Elem())
		wrapped.Elem().Field(0).Set(reflect.ValueOf(c))
		return wrapped, true
	}
	return reflect.Value{}, false
}

// read returns a field as a value of a Go type. If an optional field is missing or null, it returns
// the type's zero value.
func (a Arguments) read(f catalogue.Field, t reflect.Type) reflect.Value {
	name, zero := f.Name, reflect.Zero(t)
	if t.Kind() == reflect.Interface {
		if v := a.Value(name); v != nil {
			return reflect.ValueOf(v)
		}
		return zero
	}
	missing := f.Optional && a.Value(name) == nil
	var v any
	switch zero.Interface().(type) {
	case pysem.OptString:
		v = a.OptStr(name)
	case pysem.OptInt:
		v = a.OptInteger(name)
	case pysem.Opt[int64]:
		n := a.OptInteger(name)
		v = pysem.Opt[int64]{V: int64(n.V), Set: n.Set}
	case pysem.OptBool:
		v = pysem.OptBool{V: a.Flag(name), Set: a.Value(name) != nil}
	case bool:
		v = a.Flag(name)
	case Arguments:
		if v = a.ObjectOr(name); missing {
			return reflect.ValueOf(v)
		}
	default:
		if missing {
			return zero
		}
		v = a.readRequired(name, t)
	}
	return reflect.ValueOf(v).Convert(t)
}

// readRequired returns a field as a value of a Go type. It ends the case if the field is missing.
func (a Arguments) readRequired(name string, t reflect.Type) any {
	switch reflect.Zero(t).Interface().(type) {
	case []byte:
		return a.Bytes(name)
	case []any:
		return a.List(name)
	case []string:
		return a.Strings(name)
	case []int:
		return a.Ints(name)
	case *pysem.Dict:
		return a.Object(name).Dict
	case []Arguments:
		return a.Objects(name)
	}
	switch t.Kind() {
	case reflect.String:
		return a.Str(name)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return a.Integer(name)
	}
	panic(fmt.Sprintf("gotestee: %s: a parameter of type %v, which no field is read as", a.At(name), t))
}

// returned converts the results of a function into one value and an error.
func returned(out []reflect.Value) (any, error) {
	var values []any
	for _, v := range out {
		if v.Type() == reflect.TypeFor[error]() {
			if !v.IsNil() {
				return nil, v.Interface().(error)
			}
			continue
		}
		if v.Kind() == reflect.Pointer && v.IsNil() {
			values = append(values, nil)
			continue
		}
		values = append(values, v.Interface())
	}
	switch len(values) {
	case 0:
		return nil, nil
	case 1:
		return values[0], nil
	}
	return values, nil
}
