package pysem

import (
	"bytes"
	"math/big"
	"slices"
	"strings"
)

// mostItems is the length from which on Multiply has no memory for a sequence.
const mostItems = 1 << 28

// Multiply returns Python's a * b for JSON values and bytes. What Python cannot multiply is a
// TypeError, and a sequence longer than any memory is a MemoryError.
func Multiply(a, b any) (any, error) {
	x, aInt := Big(a)
	y, bInt := Big(b)
	switch {
	case aInt && bInt:
		return Int(new(big.Int).Mul(x, y)), nil
	case isNumber(a) && isNumber(b):
		x, y, err := floats(a, b)
		return x * y, err
	case length(a) >= 0:
		return repeat(a, b)
	case length(b) >= 0:
		return repeat(b, a)
	}
	return nil, Raise("TypeError", "unsupported operand type(s) for *: '%s' and '%s'", TypeName(a), TypeName(b))
}

// length returns the length of a sequence that can be repeated, and -1 for other values.
func length(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case []any:
		return len(v)
	}
	return -1
}

func repeat(sequence, times any) (any, error) {
	n, isInt := Big(times)
	switch {
	case !isInt:
		return nil, Raise("TypeError", "can't multiply sequence by non-int of type '%s'", TypeName(times))
	case !n.IsInt64():
		return nil, Raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	case n.Sign() > 0 && length(sequence) > 0 && n.Int64() > mostItems/int64(length(sequence)):
		return nil, Raise("MemoryError", "")
	}
	count := max(0, int(n.Int64()))
	switch s := sequence.(type) {
	case string:
		return strings.Repeat(s, count), nil
	case []byte:
		return bytes.Repeat(s, count), nil
	}
	return slices.Repeat(sequence.([]any), count), nil
}
