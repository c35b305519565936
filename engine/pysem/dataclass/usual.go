package dataclass

import (
	"fmt"
	"math/big"
	"reflect"
	"unsafe"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
)

// pointerTo returns a function that takes the address of an object and returns a pointer to its
// field of type t at the offset. For the usual types this is a single addition, because every
// change of a znode encodes and decodes objects.
func pointerTo(t reflect.Type, offset uintptr) func(unsafe.Pointer) any {
	switch reflect.New(t).Interface().(type) {
	case *bool:
		return at[bool](offset)
	case *int:
		return at[int](offset)
	case *float64:
		return at[float64](offset)
	case *string:
		return at[string](offset)
	case *pysem.OptString:
		return at[pysem.OptString](offset)
	case *pysem.OptInt:
		return at[pysem.OptInt](offset)
	case *pysem.OptBool:
		return at[pysem.OptBool](offset)
	case *pysem.OptFloat:
		return at[pysem.OptFloat](offset)
	case *[]string:
		return at[[]string](offset)
	case *[]int:
		return at[[]int](offset)
	case *[]byte:
		return at[[]byte](offset)
	case *env.ModelState:
		return at[env.ModelState](offset)
	case Cell:
		return func(object unsafe.Pointer) any {
			return reflect.NewAt(t, unsafe.Add(object, offset)).Interface()
		}
	}
	panic(fmt.Sprintf("dataclass: a %s holds no Python value; let *%s be a Cell", t, t))
}

// at returns a function that returns a pointer to the field of type F, at the given offset in an
// object.
func at[F any](offset uintptr) func(unsafe.Pointer) any {
	return func(object unsafe.Pointer) any { return (*F)(unsafe.Add(object, offset)) }
}

// store assigns a value to the field that ptr points to. If the field's type cannot hold the value,
// it gets the nearest value of its type, and exact is false.
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
	case *pysem.OptString:
		if p.V, p.Set = value.(string); !p.Set && value != nil {
			*p = pysem.Some(nearestText(value))
			return false
		}
		exact = true
	case *pysem.OptInt:
		*p, exact = nearestOptInt(value)
	case *pysem.OptBool:
		if p.V, p.Set = value.(bool); !p.Set && value != nil {
			*p = pysem.Some(pysem.Truth(value))
			return false
		}
		exact = true
	case *pysem.OptFloat:
		*p, exact = nearestOptFloat(value)
	case *[]string:
		*p, exact = typedList[string](value)
	case *[]int:
		*p, exact = typedList[int](value)
	case *[]byte:
		*p, exact = value.([]byte)
	case *string:
		*p, exact = value.(string)
	case *env.ModelState:
		n, ok := value.(int)
		*p, exact = env.ModelState(n), ok && n == int(int32(n))
	case Cell:
		exact = p.StorePython(value)
	}
	return exact
}

// load returns the field that ptr points to as a Python value.
func load(ptr any) any {
	switch p := ptr.(type) {
	case *bool:
		return *p
	case *int:
		return *p
	case *float64:
		return *p
	case *pysem.OptString:
		return p.Any()
	case *pysem.OptInt:
		return p.Any()
	case *pysem.OptBool:
		return p.Any()
	case *pysem.OptFloat:
		return p.Any()
	case *[]string:
		return listOrNone(*p)
	case *[]int:
		return listOrNone(*p)
	case *[]byte:
		return *p
	case *string:
		return *p
	case *env.ModelState:
		return int(*p)
	case Cell:
		return p.LoadPython()
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

// nearestText returns the text of a value, "" for one that counts as false.
func nearestText(value any) string {
	if !pysem.Truth(value) {
		return ""
	}
	return pysem.Str(value)
}

func nearestOptInt(value any) (n pysem.OptInt, exact bool) {
	switch v := value.(type) {
	case nil:
		return n, true
	case int:
		return pysem.Some(v), true
	case *big.Int, float64, bool:
		return pysem.Some(nearestInt(v)), false
	}
	return n, false
}

func nearestOptFloat(value any) (f pysem.OptFloat, exact bool) {
	switch v := value.(type) {
	case nil:
		return f, true
	case float64:
		return pysem.Some(v), true
	case int, *big.Int, bool:
		n, err := pysem.ToFloat(v)
		return pysem.OptFloat{V: n, Set: err == nil}, false
	}
	return f, false
}

// AnyList converts values to a Python list. A nil slice becomes an empty list.
func AnyList[T any](values []T) []any {
	return lists.Map(values, func(v T) any { return v })
}

// listOrNone converts values to a Python list. A nil slice becomes None.
func listOrNone[T any](values []T) any {
	if values == nil {
		return nil
	}
	return AnyList(values)
}

// typedList converts a Python list to a Go slice, and None to nil. exact is false if an item is not
// of type T, or if the value is not a list.
func typedList[T any](value any) (typed []T, exact bool) {
	if value == nil {
		return nil, true
	}
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	typed = make([]T, 0, len(list))
	for _, v := range list {
		t, ok := v.(T)
		if !ok {
			return nil, false
		}
		typed = append(typed, t)
	}
	return typed, true
}
