package agent

import (
	"math"
	"math/big"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// oddValues keeps the values of fields whose Go type cannot hold what the
// reference holds, for its fields are untyped at run time: a string in an int
// field, an int outside the range of int. A typed field that was changed since
// makes its odd value void.
type oddValues []oddValue

type oddValue struct {
	name  string
	value any
	// typed is what the Go field held when the odd value was noted.
	typed any
}

// put stores value in the field behind ptr and notes it when it does not fit.
func (o *oddValues) put(name string, ptr, value any) {
	for i, v := range *o {
		if v.name == name {
			*o = append((*o)[:i:i], (*o)[i+1:]...)
			break
		}
	}
	if !store(ptr, value) {
		*o = append(*o, oddValue{name: name, value: value, typed: load(ptr)})
	}
}

// get is the Python value of the field behind ptr.
func (o oddValues) get(name string, ptr any) any {
	value := load(ptr)
	for _, v := range o {
		if v.name == name && unchanged(v.typed, value) {
			return v.value
		}
	}
	return value
}

// unchanged says whether a typed field still holds what it did; a nan does.
func unchanged(was, is any) bool {
	a, okA := was.(float64)
	b, okB := is.(float64)
	return pysem.Equal(was, is) || okA && okB && math.IsNaN(a) && math.IsNaN(b)
}

// store assigns value and reports whether the field's type holds it exactly; if
// not, the field gets the nearest value of its type.
func store(ptr, value any) (exact bool) {
	switch p := ptr.(type) {
	case *bool:
		*p, exact = value.(bool)
		if !exact {
			*p = pysem.Truth(value)
		}
	case *int:
		*p, exact = value.(int)
		if !exact {
			*p = nearestInt(value)
		}
	case *float64:
		*p, exact = value.(float64)
		if !exact {
			*p, _ = pysem.ToFloat(value)
		}
	case *OptString:
		p.V, p.Set = value.(string)
		exact = p.Set || value == nil
	case *OptInt:
		p.V, p.Set = value.(int)
		exact = p.Set || value == nil
		if n, ok := value.(*big.Int); ok {
			*p = pysem.Some(pysem.Saturate(n))
		}
	case *DeployType:
		s, ok := value.(string)
		*p, exact = DeployType(s), ok || value == nil
	case *[]string:
		*p, exact = typedList[string](value)
	case *[]int:
		*p, exact = typedList[int](value)
	case *[]byte:
		*p, exact = value.([]byte)
	case *string:
		*p, exact = value.(string)
	case *SubModels:
		*p, exact = newSubModels(value)
	case *env.ModelState:
		n, ok := value.(int)
		*p, exact = env.ModelState(n), ok && n == int(int32(n))
	case *PublishType:
		n, ok := value.(int)
		*p, exact = PublishType(n), ok
	case *EventType:
		n, ok := value.(int)
		*p, exact = EventType(n), ok
	}
	return exact
}

// load is the field behind ptr as a Python value.
func load(ptr any) any {
	switch p := ptr.(type) {
	case *bool:
		return *p
	case *int:
		return *p
	case *float64:
		return *p
	case *OptString:
		return p.Any()
	case *OptInt:
		return p.Any()
	case *DeployType:
		if *p == "" {
			return nil
		}
		return string(*p)
	case *[]string:
		if *p == nil {
			return nil
		}
		return anyList(*p)
	case *[]int:
		if *p == nil {
			return nil
		}
		return anyList(*p)
	case *[]byte:
		return *p
	case *string:
		return *p
	case *SubModels:
		return p.dict()
	case *env.ModelState:
		return int(*p)
	case *PublishType:
		return int(*p)
	case *EventType:
		return int(*p)
	}
	return nil
}

func nearestInt(value any) int {
	n, err := pysem.ToInt(value)
	if err != nil {
		return 0
	}
	return pysem.Saturate(n)
}

func anyList[T any](values []T) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func typedList[T any](value any) ([]T, bool) {
	if value == nil {
		return nil, true
	}
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	typed := make([]T, 0, len(list))
	for _, v := range list {
		t, ok := v.(T)
		if !ok {
			return nil, false
		}
		typed = append(typed, t)
	}
	return typed, true
}
