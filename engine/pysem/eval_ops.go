package pysem

import (
	"math"
	"math/big"
	"strings"
)

// maxBits bounds the results of ** and <<, where Python would go on until memory
// or patience ends.
const maxBits = 1 << 22

func applyUnary(op string, v any) (any, error) {
	if f, ok := v.(float64); ok && op != "~" {
		if op == "-" {
			return -f, nil
		}
		return f, nil
	}
	n, ok := Big(v)
	if !ok {
		return nil, Raise("TypeError", "bad operand type for unary %s: '%s'", op, TypeName(v))
	}
	switch op {
	case "-":
		return Int(new(big.Int).Neg(n)), nil
	case "~":
		return Int(new(big.Int).Not(n)), nil
	}
	return Int(n), nil
}

func applyBinary(op string, left, right any) (any, error) {
	if _, ok := left.(float64); ok && isNumber(right) || isNumber(left) && TypeName(right) == "float" {
		a, err := ToFloat(left)
		if err != nil {
			return nil, err
		}
		b, err := ToFloat(right)
		if err != nil {
			return nil, err
		}
		return floatOp(op, a, b)
	}
	a, aInt := Big(left)
	b, bInt := Big(right)
	if aInt && bInt {
		if isBool(left) && isBool(right) {
			switch op {
			case "&", "|", "^":
				v, err := intOp(op, a, b)
				return Truth(v), err
			}
		}
		return intOp(op, a, b)
	}
	return sequenceOp(op, left, right)
}

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

func operandError(op string, left, right any) *Error {
	if op == "**" {
		op = "** or pow()"
	}
	return Raise("TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op, TypeName(left), TypeName(right))
}

func intOp(op string, a, b *big.Int) (any, error) {
	switch op {
	case "+":
		return Int(new(big.Int).Add(a, b)), nil
	case "-":
		return Int(new(big.Int).Sub(a, b)), nil
	case "*":
		if a.BitLen()+b.BitLen() > maxBits {
			return nil, tooLarge()
		}
		return Int(new(big.Int).Mul(a, b)), nil
	case "/":
		return trueDivide(a, b)
	case "//", "%":
		if b.Sign() == 0 {
			return nil, &Error{Type: "ZeroDivisionError", Message: "integer division or modulo by zero"}
		}
		// Python rounds the quotient down; Go's DivMod gives a remainder of 0 or more.
		q, m := new(big.Int).DivMod(a, b, new(big.Int))
		if m.Sign() != 0 && b.Sign() < 0 {
			q.Sub(q, big.NewInt(1))
			m.Add(m, b)
		}
		if op == "%" {
			return Int(m), nil
		}
		return Int(q), nil
	case "**":
		return intPower(a, b)
	case "<<", ">>":
		return shift(op, a, b)
	case "&":
		return Int(new(big.Int).And(a, b)), nil
	case "|":
		return Int(new(big.Int).Or(a, b)), nil
	}
	return Int(new(big.Int).Xor(a, b)), nil
}

func tooLarge() *Error { return &Error{Type: "OverflowError", Message: "integer result is too large"} }

func trueDivide(a, b *big.Int) (any, error) {
	if b.Sign() == 0 {
		return nil, &Error{Type: "ZeroDivisionError", Message: "division by zero"}
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return nil, &Error{Type: "OverflowError", Message: "integer division result too large for a float"}
	}
	return f, nil
}

func intPower(a, b *big.Int) (any, error) {
	if b.Sign() < 0 {
		x, err := ToFloat(a)
		if err != nil {
			return nil, err
		}
		y, err := ToFloat(b)
		if err != nil {
			return nil, err
		}
		return floatOp("**", x, y)
	}
	if a.BitLen() > 1 && (!b.IsInt64() || b.Int64() > maxBits/int64(a.BitLen())) {
		return nil, tooLarge()
	}
	if !b.IsInt64() {
		// 0, 1 and -1 to a huge power depend on the last bit only.
		b = big.NewInt(2 + int64(b.Bit(0)))
	}
	return Int(new(big.Int).Exp(a, b, nil)), nil
}

func shift(op string, a, b *big.Int) (any, error) {
	if b.Sign() < 0 {
		return nil, &Error{Type: "ValueError", Message: "negative shift count"}
	}
	if op == ">>" {
		if !b.IsInt64() || b.Int64() > int64(a.BitLen()) {
			b = big.NewInt(int64(a.BitLen()) + 1)
		}
		return Int(new(big.Int).Rsh(a, uint(b.Int64()))), nil
	}
	if a.Sign() == 0 {
		return 0, nil
	}
	if !b.IsInt64() || b.Int64()+int64(a.BitLen()) > maxBits {
		return nil, tooLarge()
	}
	return Int(new(big.Int).Lsh(a, uint(b.Int64()))), nil
}

func floatOp(op string, a, b float64) (any, error) {
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		if b == 0 {
			return nil, &Error{Type: "ZeroDivisionError", Message: "float division by zero"}
		}
		return a / b, nil
	case "//", "%":
		if b == 0 {
			return nil, &Error{Type: "ZeroDivisionError", Message: "float modulo"}
		}
		quotient, modulo := floatDivmod(a, b)
		if op == "%" {
			return modulo, nil
		}
		return quotient, nil
	case "**":
		return floatPower(a, b)
	}
	return nil, operandError(op, a, b)
}

// floatDivmod follows CPython: the remainder has the sign of b, and the quotient
// is the whole number nearest to the exact one.
func floatDivmod(a, b float64) (quotient, modulo float64) {
	modulo = math.Mod(a, b)
	quotient = (a - modulo) / b
	switch {
	case modulo == 0:
		modulo = math.Copysign(0, b)
	case (b < 0) != (modulo < 0):
		modulo += b
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, a/b), modulo
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole, modulo
}

func floatPower(a, b float64) (any, error) {
	if a == 0 && b < 0 {
		return nil, &Error{Type: "ZeroDivisionError", Message: "0.0 cannot be raised to a negative power"}
	}
	finite := !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(a) && !math.IsNaN(b)
	if a < 0 && finite && b != math.Floor(b) {
		return nil, unsupported("a complex number")
	}
	f := math.Pow(a, b)
	if math.IsInf(f, 0) && finite {
		return nil, &Error{Type: "OverflowError", Message: "(34, 'Numerical result out of range')"}
	}
	return f, nil
}

// sequenceOp joins and repeats strings, lists and tuples.
func sequenceOp(op string, left, right any) (any, error) {
	switch op {
	case "+":
		switch a := left.(type) {
		case string:
			if b, ok := right.(string); ok {
				return a + b, nil
			}
		case []any:
			if b, ok := right.([]any); ok {
				return append(append([]any{}, a...), b...), nil
			}
		case Tuple:
			if b, ok := right.(Tuple); ok {
				return append(append(Tuple{}, a...), b...), nil
			}
		}
	case "*", "%":
		if _, ok := left.(string); ok || op == "*" {
			return nil, unsupported("repeating or formatting with " + op)
		}
	}
	return nil, operandError(op, left, right)
}

func compare(op string, left, right any) (bool, error) {
	switch op {
	case "==":
		return Equal(left, right), nil
	case "!=":
		return !Equal(left, right), nil
	case "is", "is not":
		// Small ints, True, False and None are one object each in CPython.
		same := TypeName(left) == TypeName(right) && Equal(left, right)
		return same == (op == "is"), nil
	case "in", "not in":
		found, err := contains(right, left)
		return found == (op == "in"), err
	}
	return order(op, left, right)
}

func contains(container, item any) (bool, error) {
	var items []any
	switch c := container.(type) {
	case []any:
		items = c
	case Tuple:
		items = c
	case string:
		s, ok := item.(string)
		if !ok {
			return false, Raise("TypeError", "'in <string>' requires string as left operand, not %s", TypeName(item))
		}
		return strings.Contains(c, s), nil
	default:
		return false, Raise("TypeError", "argument of type '%s' is not iterable", TypeName(container))
	}
	for _, v := range items {
		if Equal(v, item) {
			return true, nil
		}
	}
	return false, nil
}

func order(op string, left, right any) (bool, error) {
	var c int
	switch {
	case isNumber(left) && isNumber(right):
		var ordered bool
		if c, ordered = compareNumbers(left, right); !ordered {
			return false, nil
		}
	case TypeName(left) == "str" && TypeName(right) == "str":
		c = strings.Compare(left.(string), right.(string))
	case TypeName(left) == TypeName(right) && (TypeName(left) == "tuple" || TypeName(left) == "list"):
		return orderItems(op, left, right)
	default:
		return false, Raise("TypeError", "'%s' not supported between instances of '%s' and '%s'",
			op, TypeName(left), TypeName(right))
	}
	return orderHolds(op, c), nil
}

func orderHolds(op string, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// orderItems compares at the first place where the items differ, then by length.
func orderItems(op string, left, right any) (bool, error) {
	a, b := itemsOf(left), itemsOf(right)
	for i := range min(len(a), len(b)) {
		if !Equal(a[i], b[i]) {
			return order(op, a[i], b[i])
		}
	}
	return orderHolds(op, len(a)-len(b)), nil
}

func itemsOf(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case Tuple:
		return v
	}
	return nil
}
