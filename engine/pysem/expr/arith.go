package expr

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/monosim/monosim/engine/pysem"
)

// unary evaluates the operator -, + or ~ for v.
func (m *machine) unary(op string, v Value) (Value, error) {
	switch v := v.(type) {
	case float64:
		switch op {
		case "-":
			return -v, nil
		case "+":
			return v, nil
		}
	case int:
		switch {
		case op == "+":
			return v, nil
		case op == "~":
			return ^v, nil
		case v != math.MinInt:
			return -v, nil
		}
	}
	n, ok := pysem.Big(v)
	if !ok {
		return nil, typeError("bad operand type for unary %s: '%s'", op, typeName(v))
	}
	switch op {
	case "-":
		return pysem.Int(new(big.Int).Neg(n)), nil
	case "~":
		return pysem.Int(new(big.Int).Not(n)), nil
	}
	return pysem.Int(n), nil
}

// binary returns a op b for the arithmetic and bit operators.
func (m *machine) binary(op string, a, b Value) (Value, error) {
	if x, ok := a.(int); ok {
		if y, ok := b.(int); ok {
			if v, ok := smallInts(op, x, y); ok {
				return v, nil
			}
		}
	}
	_, aFloat := a.(float64)
	_, bFloat := b.(float64)
	switch {
	case (aFloat || isInt(a)) && bFloat, aFloat && isInt(b):
		return floats(op, a, b)
	case isInt(a) && isInt(b):
		return m.ints(op, a, b)
	}
	return m.others(op, a, b)
}

// smallInts evaluates a op b if the result certainly fits into an int. ok is false if it may not
// fit, and for operators that can raise an error.
func smallInts(op string, a, b int) (v Value, ok bool) {
	switch op {
	case "+":
		if sum := a + b; (sum > a) == (b > 0) {
			return sum, true
		}
	case "-":
		if difference := a - b; (difference < a) == (b > 0) {
			return difference, true
		}
	case "*":
		if high, low := bits.Mul64(magnitude(a), magnitude(b)); high == 0 && low < 1<<63 {
			return a * b, true
		}
	case "%":
		if b > 0 {
			return ((a % b) + b) % b, b < 1<<62
		}
	case "//":
		if b > 0 {
			q := a / b
			if a%b < 0 {
				q--
			}
			return q, true
		}
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	}
	return nil, false
}

func magnitude(n int) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

func operandError(op string, a, b Value) error {
	if op == "**" {
		op = "** or pow()"
	}
	return typeError("unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
}

func (m *machine) ints(op string, left, right Value) (Value, error) {
	a, _ := pysem.Big(left)
	b, _ := pysem.Big(right)
	n := new(big.Int)
	switch op {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		if err := m.wants(a.BitLen() + b.BitLen()); err != nil {
			return nil, err
		}
		n.Mul(a, b)
	case "/":
		return divide(a, b)
	case "//", "%":
		q, r, err := floorDivide(a, b)
		if err != nil {
			return nil, raise("ZeroDivisionError", "integer %s by zero", pick(op == "%", "modulo", "division or modulo"))
		}
		if n = q; op == "%" {
			n = r
		}
	case "**":
		return m.power(a, b)
	case "<<", ">>":
		return m.shift(op, a, b)
	case "&", "|", "^":
		return bitwise(op, left, right), nil
	default:
		return nil, operandError(op, left, right)
	}
	return pysem.Int(n), nil
}

// bitwise evaluates a & b, a | b or a ^ b. The result is a bool if both are bools, and otherwise an
// int.
func bitwise(op string, left, right Value) Value {
	a, _ := pysem.Big(left)
	b, _ := pysem.Big(right)
	n := new(big.Int)
	switch op {
	case "&":
		n.And(a, b)
	case "|":
		n.Or(a, b)
	default:
		n.Xor(a, b)
	}
	_, aBool := left.(bool)
	_, bBool := right.(bool)
	if aBool && bBool {
		return n.Sign() != 0
	}
	return pysem.Int(n)
}

// wants refuses to make an int of bitLen bits if that is more than Limits allows. Otherwise it
// counts the steps that making such an int takes.
func (m *machine) wants(bitLen int) error {
	if bitLen > Limits.Bits {
		return refuse(tooLarge, "an int of so many digits")
	}
	return m.step(bitLen * (bitLen / 1024) / 65536)
}

// floorDivide returns quotient and remainder. The quotient is rounded down, so the remainder has
// the sign of b.
func floorDivide(a, b *big.Int) (q, r *big.Int, err error) {
	if b.Sign() == 0 {
		return nil, nil, raise("ZeroDivisionError", "integer division or modulo by zero")
	}
	q, r = new(big.Int).DivMod(a, b, new(big.Int))
	if r.Sign() != 0 && b.Sign() < 0 {
		q.Sub(q, big.NewInt(1))
		r.Add(r, b)
	}
	return q, r, nil
}

func divide(a, b *big.Int) (Value, error) {
	if b.Sign() == 0 {
		return nil, raise("ZeroDivisionError", "division by zero")
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "integer division result too large for a float")
	}
	if a.Sign() == 0 && b.Sign() < 0 {
		return math.Copysign(0, -1), nil
	}
	return f, nil
}

func (m *machine) power(a, b *big.Int) (Value, error) {
	if b.Sign() < 0 {
		return floats("**", a, b)
	}
	if a.BitLen() > 1 {
		if !b.IsInt64() || b.Int64() > int64(Limits.Bits) {
			return nil, m.wants(math.MaxInt)
		}
		if err := m.wants(a.BitLen() * int(b.Int64())); err != nil {
			return nil, err
		}
	} else if !b.IsInt64() {
		// For the bases 0, 1 and -1 a huge exponent matters only by its last bit.
		b = big.NewInt(2 + int64(b.Bit(0)))
	}
	return pysem.Int(new(big.Int).Exp(a, b, nil)), nil
}

func (m *machine) shift(op string, a, b *big.Int) (Value, error) {
	if b.Sign() < 0 {
		return nil, raise("ValueError", "negative shift count")
	}
	if op == ">>" {
		if !b.IsInt64() || b.Int64() > int64(a.BitLen()) {
			b = big.NewInt(int64(a.BitLen()) + 1)
		}
		return pysem.Int(new(big.Int).Rsh(a, uint(b.Int64()))), nil
	}
	if a.Sign() == 0 {
		return 0, nil
	}
	if !b.IsInt64() || b.Int64() > int64(Limits.Bits) {
		return nil, m.wants(math.MaxInt)
	}
	if err := m.wants(a.BitLen() + int(b.Int64())); err != nil {
		return nil, err
	}
	return pysem.Int(new(big.Int).Lsh(a, uint(b.Int64()))), nil
}

// others evaluates operators on values that are not numbers: it joins, repeats and formats
// sequences, and combines sets and dicts.
func (m *machine) others(op string, a, b Value) (Value, error) {
	switch op {
	case "+":
		return m.join(a, b)
	case "*":
		if isSequence(a) {
			return m.repeat(a, b)
		}
		if isSequence(b) {
			return m.repeat(b, a)
		}
	case "%":
		switch a := a.(type) {
		case string:
			return m.percent(a, b)
		case []byte:
			return m.percentBytes(a, b)
		}
	case "|", "&", "^", "-":
		if op == "|" && isTypes(a) && isTypes(b) {
			return nil, refuse(outside, "a union of types")
		}
		if v, ok, err := m.combine(op, a, b); ok || err != nil {
			return v, err
		}
	}
	return nil, operandError(op, a, b)
}

// isTypes reports whether v can be an operand of | in a union of types: a class or None.
func isTypes(v Value) bool {
	_, isClass := v.(*class)
	return isClass || v == nil
}

func isSequence(v Value) bool {
	switch v.(type) {
	case string, []byte, *List, Tuple:
		return true
	}
	return false
}

// join returns a + b of two sequences of one type.
func (m *machine) join(a, b Value) (Value, error) {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return a + b, m.make(len(a) + len(b))
		}
		return nil, typeError("can only concatenate str (not \"%s\") to str", typeName(b))
	case []byte:
		if b, ok := b.([]byte); ok {
			return slices.Concat(a, b), m.make(len(a) + len(b))
		}
		return nil, typeError("can't concat %s to bytes", typeName(b))
	case *List:
		if b, ok := b.(*List); ok {
			return &List{Items: slices.Concat(a.Items, b.Items)}, m.make(len(a.Items) + len(b.Items))
		}
		return nil, typeError("can only concatenate list (not \"%s\") to list", typeName(b))
	case Tuple:
		if b, ok := b.(Tuple); ok {
			return slices.Concat(a, b), m.make(len(a) + len(b))
		}
		return nil, typeError("can only concatenate tuple (not \"%s\") to tuple", typeName(b))
	}
	return nil, operandError("+", a, b)
}

// repeat returns sequence * count.
func (m *machine) repeat(sequence, count Value) (Value, error) {
	if !isInt(count) {
		return nil, typeError("can't multiply sequence by non-int of type '%s'", typeName(count))
	}
	n, err := indexOf(count, "")
	if err != nil {
		return nil, err
	}
	n = max(n, 0)
	size := sizeOfSequence(sequence)
	if size > 0 && n > Limits.Items/size {
		return nil, refuse(tooLarge, "a sequence so long")
	}
	if size == 0 {
		n = 0
	}
	if err := m.make(size * n); err != nil {
		return nil, err
	}
	switch s := sequence.(type) {
	case string:
		return string(slices.Repeat([]byte(s), n)), nil
	case []byte:
		return slices.Repeat(s, n), nil
	case *List:
		return &List{Items: slices.Repeat(s.Items, n)}, nil
	}
	return slices.Repeat(sequence.(Tuple), n), nil
}

func sizeOfSequence(v Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case *List:
		return len(v.Items)
	}
	return len(v.(Tuple))
}

// combine returns a op b for two sets, two dicts, or a view of a dict and any iterable. ok is false
// for other operands.
func (m *machine) combine(op string, a, b Value) (v Value, ok bool, err error) {
	d, isDict := a.(*Dict)
	if other, isDict2 := b.(*Dict); isDict && isDict2 && op == "|" {
		merged := d.copy()
		for _, e := range other.live() {
			_ = merged.set(e.key, e.value) // cannot fail: the key was hashable in its first dict
		}
		return merged, true, m.make(merged.Len())
	}
	x, isSet := a.(*Set)
	y, isSet2 := b.(*Set)
	if isSet && isSet2 {
		return combineSets(op, x, y), true, m.make(x.len() + y.len())
	}
	_, aView := a.(*view)
	_, bView := b.(*view)
	if !aView && !bView {
		return nil, false, nil
	}
	return m.combineViews(op, a, b)
}

// combineSets evaluates a op b. The result has the type of a, set or frozenset.
func combineSets(op string, a, b *Set) *Set {
	switch op {
	case "|":
		result := a.copy(a.frozen)
		result.merge(b)
		return result
	case "&":
		return intersection(a, b)
	case "-":
		return difference(a, b)
	}
	return symmetricDifference(a, b)
}

// floats evaluates a op b as floats.
func floats(op string, left, right Value) (Value, error) {
	a, err := pysem.ToFloat(left)
	if err != nil {
		return nil, err
	}
	b, err := pysem.ToFloat(right)
	if err != nil {
		return nil, err
	}
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float division by zero")
		}
		return a / b, nil
	case "//":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float floor division by zero")
		}
		quotient, _ := floatDivmod(a, b)
		return quotient, nil
	case "%":
		if b == 0 {
			return nil, raise("ZeroDivisionError", "float modulo")
		}
		_, modulo := floatDivmod(a, b)
		return modulo, nil
	case "**":
		return floatPower(a, b)
	}
	return nil, operandError(op, left, right)
}

// floatDivmod computes divmod(a, b) as CPython does. The remainder has the sign of b, and the
// quotient is the whole number nearest to the exact quotient.
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

func floatPower(a, b float64) (Value, error) {
	finite := !math.IsInf(a, 0) && !math.IsInf(b, 0) && !math.IsNaN(a) && !math.IsNaN(b)
	switch {
	case a == 0 && b < 0 && finite:
		return nil, raise("ZeroDivisionError", "0.0 cannot be raised to a negative power")
	case a < 0 && finite && b != math.Floor(b):
		return nil, refuse(outside, "a complex number")
	case !finite || a == 0 || b == 0:
		return math.Pow(a, b), nil
	}
	f := exactPower(a, b)
	if math.IsInf(f, 0) {
		return nil, raise("OverflowError", "(34, 'Numerical result out of range')")
	}
	return f, nil
}

// powerBits is the precision of powers in bits, before they are rounded to a float. The C library
// rounds nearly every power correctly, but Go's math.Pow is more often wrong in the last digit.
const powerBits = 200

// exactPower returns a**b, rounded to the nearest float. Both must be finite and not 0. If a is
// negative, b must be a whole number.
func exactPower(a, b float64) float64 {
	rough := math.Pow(a, b)
	if rough == 0 && b*math.Log2(math.Abs(a)) < -1100 || math.IsInf(rough, 0) && b*math.Log2(math.Abs(a)) > 1025 {
		return rough
	}
	exponent := new(big.Float).SetPrec(powerBits).SetFloat64(b)
	power := bigExp2(new(big.Float).SetPrec(powerBits).Mul(exponent, bigLog2(math.Abs(a))))
	f, _ := power.Float64()
	if a < 0 && math.Mod(b, 2) != 0 {
		return -f
	}
	return f
}

// ln2 is the natural logarithm of 2.
var ln2 = atanhSeries(new(big.Float).Quo(number(1), number(3)))

func number(f float64) *big.Float { return new(big.Float).SetPrec(powerBits).SetFloat64(f) }

// atanhSeries returns 2*atanh(x) for small x: the logarithm of (1+x)/(1-x).
func atanhSeries(x *big.Float) *big.Float {
	square := number(0).Mul(x, x)
	sum, term := number(0), number(0).Set(x)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -powerBits-8; k += 2 {
		sum.Add(sum, number(0).Quo(term, number(float64(k))))
		term.Mul(term, square)
	}
	return sum.Mul(sum, number(2))
}

// bigLog2 returns the binary logarithm of a positive float.
func bigLog2(f float64) *big.Float {
	fraction, exponent := math.Frexp(f)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = fraction*2, exponent-1
	}
	m := number(fraction)
	x := number(0).Quo(number(0).Sub(m, number(1)), number(0).Add(m, number(1)))
	log := number(0).Quo(atanhSeries(x), ln2)
	return log.Add(log, number(float64(exponent)))
}

// bigExp2 returns 2**x.
func bigExp2(x *big.Float) *big.Float {
	whole, _ := x.Float64()
	whole = math.Round(whole)
	rest := number(0).Sub(x, number(whole))
	rest.Mul(rest, ln2)
	sum, term := number(1), number(1)
	for k := 1; term.Sign() != 0 && term.MantExp(nil) > -powerBits-8; k++ {
		term.Mul(term, rest)
		term.Quo(term, number(float64(k)))
		sum.Add(sum, term)
	}
	return number(0).SetMantExp(sum, int(whole))
}
