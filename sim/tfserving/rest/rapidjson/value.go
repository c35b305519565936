package rapidjson

import "math"

// Kind is the type of a value; True and False are two, as in RapidJSON.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	False
	True
	Object
	Array
	String
	Number
)

// String is the kind as the server prints it in messages
// (util/json_tensor.cc:87).
func (k Kind) String() string {
	return [...]string{"Null", "False", "True", "Object", "Array", "String", "Number"}[k]
}

// Value is one JSON value. The zero Value is null.
type Value struct {
	Kind    Kind
	Text    string   // of a String
	List    []Value  // of an Array
	Members []Member // of an Object, in the order of the text, duplicates kept
	real    bool     // the Number has a fraction, an exponent or too many digits
	minus   bool     // the integer is below 0
	bits    uint64   // the integer in two's complement, or the bits of the real
}

// Member is one name and value of an Object.
type Member struct {
	Name  string
	Value Value
}

// Find returns an object's first member of that name; nil if there is none.
func (v *Value) Find(name string) *Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// IsReal reports whether the number was read as a double (IsDouble): 1.0 was, 1 was not.
func (v *Value) IsReal() bool { return v.Kind == Number && v.real }

// Float is the number as a double, rounded to even if it is a large integer.
func (v *Value) Float() float64 {
	switch {
	case v.real:
		return math.Float64frombits(v.bits)
	case v.minus:
		return float64(int64(v.bits))
	}
	return float64(v.bits)
}

// Int64 is the number as an int64; it reports false for one that is none (IsInt64).
func (v *Value) Int64() (int64, bool) {
	return int64(v.bits), v.isInteger() && (v.minus || v.bits <= math.MaxInt64)
}

// Uint64 is the number as a uint64; it reports false for one that is none (IsUint64).
func (v *Value) Uint64() (uint64, bool) { return v.bits, v.isInteger() && !v.minus }

// Int32 is the number as an int32; it reports false for one that is none (IsInt).
func (v *Value) Int32() (int32, bool) {
	i, ok := v.Int64()
	return int32(i), ok && i == int64(int32(i))
}

// Uint32 is the number as a uint32; it reports false for one that is none (IsUint).
func (v *Value) Uint32() (uint32, bool) {
	u, ok := v.Uint64()
	return uint32(u), ok && u <= math.MaxUint32
}

func (v *Value) isInteger() bool { return v.Kind == Number && !v.real }

func realNumber(d float64) Value {
	return Value{Kind: Number, real: true, bits: math.Float64bits(d)}
}

func integer(bits uint64, minus bool) Value {
	return Value{Kind: Number, minus: minus && int64(bits) < 0, bits: bits}
}
