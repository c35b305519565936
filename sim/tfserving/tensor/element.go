package tensor

import (
	"encoding/binary"
	"math"
)

// Float returns element i as a float64. The result is exact for every real dtype, except for 64-bit
// integers beyond 2^53. For a complex number it is the real part, for a boolean 0 or 1, and for a
// string 0.
func (t Tensor) Float(i int) float64 {
	switch infoOf(t.dtype).kind {
	case floatKind:
		return t.float(i)
	case halfKind:
		return halfToFloat(t.uint16(i))
	case bfloatKind:
		return float64(math.Float32frombits(uint32(t.uint16(i)) << 16))
	case complexKind:
		return real(t.Complex(i))
	case intKind:
		return float64(t.Int(i))
	}
	return float64(t.Uint(i))
}

// Int returns element i as an int64. Floats lose their fraction. A value out of range gives the
// result of Go's conversion.
func (t Tensor) Int(i int) int64 {
	switch infoOf(t.dtype).kind {
	case intKind:
		return t.signed(i)
	case uintKind, boolKind:
		return int64(t.unsigned(i))
	case stringKind, noKind:
		return 0
	}
	return int64(t.Float(i))
}

// Uint returns element i as a uint64. Floats lose their fraction. A value out of range gives the
// result of Go's conversion.
func (t Tensor) Uint(i int) uint64 {
	if k := infoOf(t.dtype).kind; k == uintKind || k == boolKind {
		return t.unsigned(i)
	}
	return uint64(t.Int(i))
}

// Bool reports whether element i is not zero.
func (t Tensor) Bool(i int) bool { return t.Complex(i) != 0 }

// Complex returns element i as a complex number.
func (t Tensor) Complex(i int) complex128 {
	if infoOf(t.dtype).kind != complexKind {
		return complex(t.Float(i), 0)
	}
	parts := Tensor{dtype: partOf(t.dtype), raw: t.raw}
	return complex(parts.float(2*i), parts.float(2*i+1))
}

// Bytes returns element i of a DT_STRING; nil for other dtypes. The caller must not change it.
func (t Tensor) Bytes(i int) []byte {
	if t.strings == nil {
		return nil
	}
	return t.strings[i]
}

func (t Tensor) at(i int) []byte {
	size := Size(t.dtype)
	return t.raw[i*size : (i+1)*size]
}

func (t Tensor) uint16(i int) uint16 { return binary.LittleEndian.Uint16(t.at(i)) }

func (t Tensor) float(i int) float64 {
	if b := t.at(i); len(b) == 8 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.at(i))))
}

// unsigned returns the bits of element i, zero-extended.
func (t Tensor) unsigned(i int) uint64 {
	var wide [8]byte
	copy(wide[:], t.at(i))
	return binary.LittleEndian.Uint64(wide[:])
}

// signed returns the bits of element i, sign-extended.
func (t Tensor) signed(i int) int64 {
	spare := 64 - 8*Size(t.dtype)
	return int64(t.unsigned(i)) << spare >> spare
}

// appendBits appends one element to raw, little-endian. The element consists of the lowest bytes of
// bits; size is their number.
func appendBits(raw []byte, bits uint64, size int) []byte {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], bits)
	return append(raw, wide[:size]...)
}

// floatBits returns the bits of a value in the floating-point dtype that info describes.
func floatBits(value float64, info dtypeInfo) uint64 {
	switch {
	case info.kind == halfKind:
		return uint64(floatToHalf(value))
	case info.kind == bfloatKind:
		return uint64(floatToBfloat(float32(value)))
	case info.bytes == 4:
		return uint64(math.Float32bits(float32(value)))
	}
	return math.Float64bits(value)
}
