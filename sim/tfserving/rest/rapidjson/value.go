package rapidjson

import "math"

// Kind is the type of a JSON value. True and False are two kinds, as in RapidJSON.
type Kind uint8

// These are the kinds of a value.
const (
	Null Kind = iota
	False
	True
	Object
	Array
	String
	Number
)

// String returns the kind's name in the server's messages (util/json_tensor.cc:87).
func (k Kind) String() string {
	return [...]string{"Null", "False", "True", "Object", "Array", "String", "Number"}[k]
}

// Value is one JSON value. The zero Value is null.
type Value struct {
	Kind    Kind
	Text    string   // Text is the text of a String
	List    []Value  // List holds the elements of an Array
	Members []Member // Members holds the members of an Object, in order, with duplicates
	real    bool     // real is true for a Number with a fraction, an exponent or too many digits
	minus   bool     // minus is true for a negative integer
	bits    uint64   // bits is the integer in two's complement, or the bits of the double
}

// Member is one name and value of an Object.
type Member struct {
	Name  string
	Value Value
}

// Find returns the value of an object's first member with a name; nil if there is none.
func (v *Value) Find(name string) *Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// IsReal reports whether the number was parsed as a double (IsDouble). That is so for 1.0, but not
// for 1.
func (v *Value) IsReal() bool { return v.Kind == Number && v.real }

// Float returns the number as a double. A large integer is rounded to nearest, ties to even.
func (v *Value) Float() float64 {
	switch {
	case v.real:
		return math.Float64frombits(v.bits)
	case v.minus:
		return float64(int64(v.bits))
	}
	return float64(v.bits)
}

// Int64 returns the number as an int64. It returns false if the number is no int64 (IsInt64).
func (v *Value) Int64() (int64, bool) {
	return int64(v.bits), v.isInteger() && (v.minus || v.bits <= math.MaxInt64)
}

// Uint64 returns the number as a uint64. It returns false if the number is no uint64 (IsUint64).
func (v *Value) Uint64() (uint64, bool) { return v.bits, v.isInteger() && !v.minus }

// Int32 returns the number as an int32. It returns false if the number is no int32 (IsInt).
func (v *Value) Int32() (int32, bool) {
	i, ok := v.Int64()
	return int32(i), ok && i == int64(int32(i))
}

// Uint32 returns the number as a uint32. It returns false if the number is no uint32 (IsUint).
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
