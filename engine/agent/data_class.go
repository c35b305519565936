package agent

import (
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// dataClass describes a dataclass of the reference whose JSON form
// dataclasses_json makes: its fields in order, and the defaults of a T.
type dataClass[T any] struct {
	defaults func() T
	odd      func(*T) **oddValues
	fields   []classField[T]
}

type classField[T any] struct {
	name string
	ptr  func(*T) any
}

// appendJSON adds the object as json.dumps writes it: fields in order, null for
// None, enums by value, bytes as a list of ints.
func (d *dataClass[T]) appendJSON(b []byte, m *T) []byte {
	odd := *d.odd(m)
	b = append(b, '{')
	for i := range d.fields {
		f := &d.fields[i]
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, '"')
		b = append(b, f.name...)
		b = append(b, `": `...)
		if odd != nil {
			b = pysem.AppendJSON(b, odd.get(f.name, f.ptr(m)))
		} else {
			b = appendField(b, f.ptr(m))
		}
	}
	return append(b, '}')
}

// appendField adds the field behind ptr without a detour over any.
func appendField(b []byte, ptr any) []byte {
	switch p := ptr.(type) {
	case *OptString:
		if !p.Set {
			return append(b, "null"...)
		}
		return pysem.AppendJSONString(b, p.V)
	case *string:
		return pysem.AppendJSONString(b, *p)
	case *OptInt:
		if !p.Set {
			return append(b, "null"...)
		}
		return strconv.AppendInt(b, int64(p.V), 10)
	case *int:
		return strconv.AppendInt(b, int64(*p), 10)
	case *env.ModelState:
		return strconv.AppendInt(b, int64(*p), 10)
	case *float64:
		return pysem.AppendJSONFloat(b, *p)
	}
	return pysem.AppendJSON(b, load(ptr))
}

// decode makes a T from its JSON form: unknown keys are ignored, missing ones
// get their defaults, and most values are kept whatever their type (Q74).
func (d *dataClass[T]) decode(data []byte) (*T, error) {
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return nil, err
	}
	value, err := pysem.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return nil, pysem.AttributeError(value, "items")
	}
	m := d.defaults()
	for i := range d.fields {
		f := &d.fields[i]
		ptr := f.ptr(&m)
		value, present := dict.Get(f.name)
		if !present {
			value = load(ptr)
		}
		if value, err = decodeField(ptr, value); err != nil {
			return nil, err
		}
		if present {
			d.put(&m, f, value)
		}
	}
	return &m, nil
}

// decodeValue is decode for classes that are passed on by value.
func (d *dataClass[T]) decodeValue(data []byte) (T, error) {
	m, err := d.decode(data)
	if err != nil {
		return d.defaults(), err
	}
	return *m, nil
}

// put assigns a Python value to a field.
func (d *dataClass[T]) put(m *T, f *classField[T], value any) {
	odd := d.odd(m)
	if *odd == nil {
		if store(f.ptr(m), value) {
			return
		}
		*odd = new(oddValues)
	}
	(*odd).put(f.name, f.ptr(m), value)
}

// set assigns a Python value to the field of that name, as a keyword argument
// does.
func (d *dataClass[T]) set(m *T, name string, value any) error {
	for i := range d.fields {
		if d.fields[i].name == name {
			d.put(m, &d.fields[i], value)
			return nil
		}
	}
	return pysem.Raise("TypeError", "__init__() got an unexpected keyword argument '%s'", name)
}

// get is the Python value of a field that exists.
func (d *dataClass[T]) get(m *T, name string) any {
	for i := range d.fields {
		if f := &d.fields[i]; f.name == name {
			if odd := *d.odd(m); odd != nil {
				return odd.get(name, f.ptr(m))
			}
			return load(f.ptr(m))
		}
	}
	panic("agent: no field " + name)
}

// list is all fields with their Python values; enum members keep their type.
func (d *dataClass[T]) list(m *T) []Field {
	fields := make([]Field, len(d.fields))
	for i, f := range d.fields {
		value := d.get(m, f.name)
		if n, ok := value.(int); ok {
			switch f.ptr(m).(type) {
			case *PublishType:
				value = PublishType(n)
			case *EventType:
				value = EventType(n)
			}
		}
		fields[i] = Field{Name: f.name, Value: value}
	}
	return fields
}

// equal compares as the dataclass's == does: field by field.
func (d *dataClass[T]) equal(a, b *T) bool {
	for _, f := range d.fields {
		if !pysem.Equal(d.get(a, f.name), d.get(b, f.name)) {
			return false
		}
	}
	return true
}

// decodeField converts value as dataclasses_json does by the field's declared
// type. None is let through everywhere, with a warning at most.
func decodeField(ptr, value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch ptr.(type) {
	case *[]int:
		return decodeList(value)
	case *SubModels:
		if _, ok := value.(*pysem.Dict); !ok {
			return nil, pysem.AttributeError(value, "keys")
		}
	case *[]byte:
		// core.py of dataclasses_json takes bytes for a generic collection (Q73).
		return nil, pysem.Raise("AttributeError", "type object 'bytes' has no attribute '__args__'")
	case *PublishType:
		return decodeEnum(value, "PublishType", int(PublishUnload))
	case *EventType:
		return decodeEnum(value, "EventType", int(EventResource))
	}
	return value, nil
}

// decodeList is list(value): of a string its characters, of an object its keys.
func decodeList(value any) (any, error) {
	switch v := value.(type) {
	case []any:
		return v, nil
	case string:
		list := []any{}
		for _, char := range pysem.Chars(v) {
			list = append(list, char)
		}
		return list, nil
	case *pysem.Dict:
		list := []any{}
		for _, item := range v.Items {
			list = append(list, item.Key)
		}
		return list, nil
	}
	return nil, pysem.Raise("TypeError", "'%s' object is not iterable", pysem.TypeName(value))
}

// decodeEnum finds the member whose value, from 1 to last, equals value: 1.0 and
// True are 1.
func decodeEnum(value any, class string, last int) (any, error) {
	for n := 1; n <= last; n++ {
		if pysem.Equal(value, n) {
			return n, nil
		}
	}
	return nil, pysem.Raise("ValueError", "%s is not a valid %s", pysem.Repr(value), class)
}
