package expr

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
)

// ofInt makes a method of int without arguments.
func ofInt(name string, f func(n *big.Int) Value) *builtin {
	return defineMethod("int", name, signature{}, func(m *machine, v Value, _ []Value) (Value, error) {
		n, _ := pysem.Big(v)
		return f(n), nil
	})
}

var intMethods = []*builtin{
	ofInt("bit_length", func(n *big.Int) Value { return n.BitLen() }),
	ofInt("bit_count", func(n *big.Int) Value {
		count := 0
		for _, w := range n.Bits() {
			count += bits.OnesCount(uint(w))
		}
		return count
	}),
	ofInt("conjugate", func(n *big.Int) Value { return pysem.Int(n) }),
	ofInt("as_integer_ratio", func(n *big.Int) Value { return Tuple{pysem.Int(n), 1} }),
	defineMethod("int", "to_bytes", byName(0, "length", "byteorder", "signed").nameOnly(1), toBytes),
}

// byteOrder parses a byteorder argument, which is "big" by default.
func byteOrder(method string, v Value) (little bool, err error) {
	if !has(v) {
		return false, nil
	}
	switch s, ok := v.(string); {
	case !ok:
		return false, typeError("%s() argument 'byteorder' must be str, not %s", method, argumentName(v))
	case s == "little":
		return true, nil
	case s == "big":
		return false, nil
	}
	return false, raise("ValueError", "byteorder must be either 'little' or 'big'")
}

func toBytes(m *machine, v Value, a []Value) (Value, error) {
	n, _ := pysem.Big(v)
	length, err := given(a[0], 1, wantIndex)
	if err != nil {
		return nil, err
	}
	little, err := byteOrder("to_bytes", a[1])
	if err != nil {
		return nil, err
	}
	signed := has(a[2]) && Truth(a[2])
	if length < 0 {
		return nil, raise("ValueError", "length argument must be non-negative")
	}
	if err := m.make(length); err != nil {
		return nil, err
	}
	if n.Sign() < 0 && !signed {
		return nil, raise("OverflowError", "can't convert negative int to unsigned")
	}
	limit := new(big.Int).Lsh(big.NewInt(1), uint(length)*8)
	half := new(big.Int).Rsh(limit, 1)
	if signed && (n.Cmp(half) >= 0 || n.Cmp(new(big.Int).Neg(half)) < 0) && (length > 0 || n.Sign() != 0) || n.Cmp(limit) >= 0 {
		return nil, raise("OverflowError", "int too big to convert")
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, limit)
	}
	data := n.FillBytes(make([]byte, length))
	if little {
		slices.Reverse(data)
	}
	return data, nil
}

var fromBytesArguments = byName(1, "bytes", "byteorder", "signed").nameOnly(1)

var intFromBytes = defineOn("int", "from_bytes", fromBytesArguments, fromBytes)

// boolFromBytes makes a bool of the int, as a class method of the subclass does.
var boolFromBytes = defineOn("bool", "from_bytes", fromBytesArguments, func(m *machine, a []Value) (Value, error) {
	n, err := fromBytes(m, a)
	if err != nil {
		return nil, err
	}
	return Truth(n), nil
})

func fromBytes(m *machine, a []Value) (Value, error) {
	data, ok := a[0].([]byte)
	if !ok {
		items, err := m.collect(a[0])
		if err != nil || isText(a[0]) {
			return nil, typeError("cannot convert '%s' object to bytes", typeName(a[0]))
		}
		if data, err = byteList(items); err != nil {
			return nil, err
		}
	}
	little, err := byteOrder("from_bytes", a[1])
	if err != nil {
		return nil, err
	}
	data = append([]byte{}, data...)
	if little {
		slices.Reverse(data)
	}
	n := new(big.Int).SetBytes(data)
	if has(a[2]) && Truth(a[2]) && len(data) > 0 && data[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(len(data))*8))
	}
	return pysem.Int(n), m.wants(n.BitLen())
}

func isText(v Value) bool {
	_, ok := v.(string)
	return ok
}

// byteList makes bytes from ints.
func byteList(items []Value) ([]byte, error) {
	data := make([]byte, 0, len(items))
	for _, item := range items {
		n, err := wantIndex(item)
		if pysem.TypeOf(err) == "OverflowError" || err == nil && (n < 0 || n > 255) {
			return nil, raise("ValueError", "bytes must be in range(0, 256)")
		}
		if err != nil {
			return nil, err
		}
		data = append(data, byte(n))
	}
	return data, nil
}

// parseInt returns int(text, base).
func parseInt(text string, base int) (Value, error) {
	if base == 10 {
		n, err := pysem.ParseInt(text)
		if err != nil {
			return nil, err
		}
		return pysem.Int(n), nil
	}
	if n, ok := parseBase(pysem.FoldDigits(pysem.StripNumber(text)), base); ok {
		return pysem.Int(n), nil
	}
	return nil, raise("ValueError", "invalid literal for int() with base %d: %s", base, pysem.Repr(text))
}

// parseBase parses an int in a base other than 10, with or without the prefix of that base. Base 0
// accepts any prefix.
func parseBase(text string, base int) (*big.Int, bool) {
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	if len(text) > 1 && text[0] == '0' {
		if b, ok := numberBases[text[1]|0x20]; ok && (base == 0 || base == b.base) {
			base = b.base
			text = strings.TrimPrefix(text[2:], "_")
		}
	}
	if base == 0 {
		base = 10
		if len(text) > 1 && text[0] == '0' && strings.Trim(text, "0_") != "" {
			return nil, false
		}
	}
	if text == "" || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") || strings.Contains(text, "__") || text[0] == '-' || text[0] == '+' {
		return nil, false
	}
	n, ok := new(big.Int).SetString(strings.ToLower(strings.ReplaceAll(text, "_", "")), base)
	if ok && negative {
		n.Neg(n)
	}
	return n, ok
}

// ofFloat makes a method of float without arguments.
func ofFloat(name string, f func(x float64) (Value, error)) *builtin {
	return defineMethod("float", name, signature{}, func(m *machine, x float64, _ []Value) (Value, error) { return f(x) })
}

var floatMethods = []*builtin{
	ofFloat("is_integer", func(x float64) (Value, error) {
		return !math.IsInf(x, 0) && !math.IsNaN(x) && x == math.Floor(x), nil
	}),
	ofFloat("conjugate", func(x float64) (Value, error) { return x, nil }),
	ofFloat("as_integer_ratio", func(x float64) (Value, error) {
		switch {
		case math.IsNaN(x):
			return nil, raise("ValueError", "cannot convert NaN to integer ratio")
		case math.IsInf(x, 0):
			return nil, raise("OverflowError", "cannot convert Infinity to integer ratio")
		}
		r := new(big.Rat).SetFloat64(x)
		return Tuple{pysem.Int(r.Num()), pysem.Int(r.Denom())}, nil
	}),
	ofFloat("hex", func(x float64) (Value, error) { return floatHex(x), nil }),
}

// floatHex implements float.hex: 13 hexadecimal digits, and an exponent without leading zeros.
func floatHex(x float64) string {
	sign := pick(math.Signbit(x), "-", "")
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return sign + "inf"
	case x == 0:
		return sign + "0x0.0p+0"
	}
	whole := uint64(1)
	b := math.Float64bits(x)
	exponent := int(b>>52&0x7ff) - 1023
	if exponent == -1023 {
		whole, exponent = 0, -1022
	}
	digits := strconv.FormatUint(b&(1<<52-1), 16)
	plus := pick(exponent >= 0, "+", "")
	return sign + "0x" + strconv.FormatUint(whole, 10) + "." + strings.Repeat("0", 13-len(digits)) + digits + "p" + plus + strconv.Itoa(exponent)
}

var floatFromHex = defineOn("float", "fromhex", signature{style: oneArg}, func(m *machine, a []Value) (Value, error) {
	return nil, refuse(outside, "float.fromhex")
})
