package dataclass

import (
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// AppendJSON appends an object to b as Python's json.dumps writes it: fields in order, None as
// null, enums as their values, bytes as a list of ints.
//
// Speed: if all fields hold values of their Go types, nothing is allocated except to grow b.
func (d *Class[T]) AppendJSON(b []byte, m *T) []byte {
	odd := *d.odd(m)
	b = append(b, '{')
	for i := range d.fields {
		f := &d.fields[i]
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, '"')
		b = append(b, f.Name...)
		b = append(b, `": `...)
		if odd != nil {
			b = pysem.AppendJSON(b, odd.get(f.Name, d.pointer(m, f)))
		} else {
			b = appendField(b, d.pointer(m, f))
		}
	}
	return append(b, '}')
}

// appendField appends the field that ptr points to. For speed it does not convert the value to any
// first.
func appendField(b []byte, ptr any) []byte {
	switch p := ptr.(type) {
	case *pysem.OptString:
		if !p.Set {
			return append(b, "null"...)
		}
		return pysem.AppendJSONString(b, p.V)
	case *string:
		return pysem.AppendJSONString(b, *p)
	case *pysem.OptInt:
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

// Decode makes an object from its JSON form in UTF-8. It ignores unknown keys, and missing keys get
// their defaults. Most values are kept whatever their type is (Q74). Errors are *pysem.Error.
func (d *Class[T]) Decode(data []byte) (*T, error) {
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
	m := d.New()
	for i := range d.fields {
		f := &d.fields[i]
		value, present := dict.Get(f.Name)
		if !present {
			value = f.Default
		}
		if value, err = decodeField(d.pointer(&m, f), value); err != nil {
			return nil, err
		}
		if present {
			d.put(&m, f, value)
		}
	}
	return &m, nil
}

// DecodeValue works as [Class.Decode], but returns the object and not a pointer to it. After an
// error the object has its defaults.
func (d *Class[T]) DecodeValue(data []byte) (T, error) {
	m, err := d.Decode(data)
	if err != nil {
		return d.New(), err
	}
	return *m, nil
}

// decodeField converts a JSON value to the declared type of a field, as dataclasses_json does. None
// is accepted for every field; Python only prints a warning.
func decodeField(ptr, value any) (any, error) {
	if value == nil {
		return nil, nil
	}
	switch p := ptr.(type) {
	case *[]int:
		return pysem.Items(value)
	case Decoder:
		return p.DecodePython(value)
	case *[]byte:
		// core.py of dataclasses_json handles bytes as if it were a generic collection type (Q73).
		return nil, pysem.Raise("AttributeError", "type object 'bytes' has no attribute '__args__'")
	}
	return value, nil
}

// DecodeEnum returns the number of the enum member that has the given value. The members have the
// values 1 to last. 1.0 and True count as 1. If no member has the value, it returns a ValueError
// that names the class.
func DecodeEnum(value any, class string, last int) (any, error) {
	for n := 1; n <= last; n++ {
		if pysem.Equal(value, n) {
			return n, nil
		}
	}
	return nil, pysem.Raise("ValueError", "%s is not a valid %s", pysem.Repr(value), class)
}
