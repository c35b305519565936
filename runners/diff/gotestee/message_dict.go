package gotestee

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// messageDict returns a message as Python's MessageToDict does, with the field names of the proto
// file.
func messageDict(m protoreflect.Message) *pysem.Dict {
	d := caseworld.Object()
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		v := m.Get(f)
		switch {
		case f.IsMap():
			d.Set(string(f.Name()), mapDict(f, v.Map()))
		case f.IsList():
			list := []any{}
			for j := range v.List().Len() {
				list = append(list, fieldValue(f, v.List().Get(j)))
			}
			d.Set(string(f.Name()), list)
		default:
			d.Set(string(f.Name()), fieldValue(f, v))
		}
	}
	return d
}

func mapDict(f protoreflect.FieldDescriptor, m protoreflect.Map) *pysem.Dict {
	var keys []protoreflect.MapKey
	m.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int { return strings.Compare(a.String(), b.String()) })
	d := caseworld.Object()
	for _, k := range keys {
		d.Set(k.String(), fieldValue(f.MapValue(), m.Get(k)))
	}
	return d
}

func fieldValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch x := v.Interface().(type) {
	case protoreflect.Message:
		return messageDict(x)
	case protoreflect.EnumNumber:
		if known := f.Enum().Values().ByNumber(x); known != nil {
			return string(known.Name())
		}
		return int(x)
	case int64, uint64:
		return fmt.Sprint(x)
	case uint32:
		return int(x)
	case float32:
		return shortFloat(x)
	default:
		return x
	}
}

// shortFloat returns the float64 that has the same shortest decimal form as f. Python's json_format
// writes this form.
func shortFloat(f float32) float64 {
	short, err := pysem.ParseFloat(fmt.Sprint(f))
	if err != nil {
		return float64(f)
	}
	return short
}
