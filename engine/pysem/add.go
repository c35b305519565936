package pysem

import (
	"math/big"
	"slices"
)

// Add returns Python's a + b for JSON values. If Python cannot add them, it returns a TypeError.
func Add(a, b any) (any, error) {
	x, aInt := Big(a)
	y, bInt := Big(b)
	switch {
	case aInt && bInt:
		return Int(new(big.Int).Add(x, y)), nil
	case isNumber(a) && isNumber(b):
		x, y, err := floats(a, b)
		return x + y, err
	}
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return a + b, nil
		}
		return nil, Raise("TypeError", "can only concatenate str (not \"%s\") to str", TypeName(b))
	case []any:
		if b, ok := b.([]any); ok {
			return slices.Concat(a, b), nil
		}
		return nil, Raise("TypeError", "can only concatenate list (not \"%s\") to list", TypeName(b))
	case []byte:
		if b, ok := b.([]byte); ok {
			return slices.Concat(a, b), nil
		}
		return nil, Raise("TypeError", "can't concat %s to bytes", TypeName(b))
	}
	return nil, Raise("TypeError", "unsupported operand type(s) for +: '%s' and '%s'", TypeName(a), TypeName(b))
}

// floats returns two numbers as floats.
func floats(a, b any) (x, y float64, err error) {
	if x, err = ToFloat(a); err != nil {
		return 0, 0, err
	}
	y, err = ToFloat(b)
	return x, y, err
}
