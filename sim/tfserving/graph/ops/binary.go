package ops

import (
	"maps"
	"math"
	"math/cmplx"
	"slices"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/graph/ops/special"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// These tables hold the operations on two numbers of one dtype, one table for each kind of number.
// An operation that a table lacks does not support that kind. uintBinary holds the operations whose
// result for uint64 differs from intBinary's.
var floatBinary = map[string]func(a, b float64) float64{
	"Add": addFloats, "AddV2": addFloats,
	"Sub":         func(a, b float64) float64 { return a - b },
	"Mul":         func(a, b float64) float64 { return a * b },
	"MulNoNan":    mulNoNan,
	"Div":         divFloats,
	"RealDiv":     divFloats,
	"DivNoNan":    divNoNan,
	"FloorDiv":    func(a, b float64) float64 { return math.Floor(a / b) },
	"FloorMod":    floorMod,
	"Mod":         math.Mod,
	"TruncateMod": math.Mod,
	"TruncateDiv": func(a, b float64) float64 { return math.Trunc(a / b) },
	"Pow":         math.Pow,
	"Maximum":     largest, "Minimum": smallest,
	"SquaredDifference": func(a, b float64) float64 { return (a - b) * (a - b) },
	"Atan2":             math.Atan2,
	"NextAfter":         math.Nextafter,
	"Xdivy":             xdivy, "Xlogy": xlogy,
}

var intBinary = map[string]func(a, b int64) int64{
	"Add": addInts, "AddV2": addInts,
	"Sub":               func(a, b int64) int64 { return a - b },
	"Mul":               func(a, b int64) int64 { return a * b },
	"Div":               divInts,
	"TruncateDiv":       divInts,
	"FloorDiv":          floorDivInts,
	"FloorMod":          floorModInts,
	"Mod":               modInts,
	"TruncateMod":       modInts,
	"Pow":               powInts,
	"Maximum":           func(a, b int64) int64 { return max(a, b) },
	"Minimum":           func(a, b int64) int64 { return min(a, b) },
	"SquaredDifference": func(a, b int64) int64 { return (a - b) * (a - b) },
	"BitwiseAnd":        func(a, b int64) int64 { return a & b },
	"BitwiseOr":         func(a, b int64) int64 { return a | b },
	"BitwiseXor":        func(a, b int64) int64 { return a ^ b },
	"LeftShift":         func(a, b int64) int64 { return a << b },
	"RightShift":        func(a, b int64) int64 { return a >> b },
}

var uintBinary = map[string]func(a, b int64) int64{
	"Div":      func(a, b int64) int64 { return int64(uint64(a) / uint64(b)) },
	"FloorDiv": func(a, b int64) int64 { return int64(uint64(a) / uint64(b)) },
	"FloorMod": func(a, b int64) int64 { return int64(uint64(a) % uint64(b)) },
	"Mod":      func(a, b int64) int64 { return int64(uint64(a) % uint64(b)) },
	"Maximum":  func(a, b int64) int64 { return int64(max(uint64(a), uint64(b))) },
	"Minimum":  func(a, b int64) int64 { return int64(min(uint64(a), uint64(b))) },
	"RightShift": func(a, b int64) int64 {
		return int64(uint64(a) >> uint64(b))
	},
}

var complexBinary = map[string]func(a, b complex128) complex128{
	"Add":     func(a, b complex128) complex128 { return a + b },
	"AddV2":   func(a, b complex128) complex128 { return a + b },
	"Sub":     func(a, b complex128) complex128 { return a - b },
	"Mul":     func(a, b complex128) complex128 { return a * b },
	"Div":     func(a, b complex128) complex128 { return a / b },
	"RealDiv": func(a, b complex128) complex128 { return a / b },
	"Pow":     cmplx.Pow,
}

func binaryOps() map[string]Kernel {
	ops := map[string]Kernel{"AddN": addN}
	maps.Copy(floatBinary, special.OfTwo)
	for name := range floatBinary { //lint:ordered each name has an entry of its own
		ops[name] = binary
	}
	for name := range intBinary { //lint:ordered each name has an entry of its own
		ops[name] = binary
	}
	return ops
}

func binary(c *Call) ([]Value, error) {
	a, b := c.In[0], c.In[1]
	shape, err := c.broadcast(a.DType())
	if err != nil {
		return nil, err
	}
	switch dtype := a.DType(); {
	case c.Op == "NextAfter" && dtype == value.Float32:
		next := func(a, b float64) float64 { return float64(math.Nextafter32(float32(a), float32(b))) }
		return One(value.Floats(dtype, shape, zip(a.F(), b.F(), c.In, shape, next)))
	case a.F() != nil && floatBinary[c.Op] != nil:
		return One(value.Floats(dtype, shape, zip(a.F(), b.F(), c.In, shape, floatBinary[c.Op])))
	case a.I() != nil && intBinary[c.Op] != nil:
		return c.binaryInts(shape)
	case a.C() != nil && complexBinary[c.Op] != nil:
		return One(value.Complexes(dtype, shape, zip(a.C(), b.C(), c.In, shape, complexBinary[c.Op])))
	case a.S() != nil && (c.Op == "Add" || c.Op == "AddV2"):
		list := zip(a.S(), b.S(), c.In, shape, func(a, b string) string { return a + b })
		return c.strings(shape, list)
	}
	return nil, c.Unsupported("%s", tensor.DTypeName(a.DType()))
}

func (c *Call) binaryInts(shape []int) ([]Value, error) {
	a, b := c.In[0], c.In[1]
	right := b.I()
	f := intBinary[c.Op]
	if a.DType() == value.UInt64 && uintBinary[c.Op] != nil {
		f = uintBinary[c.Op]
	}
	switch c.Op {
	case "Div", "FloorDiv", "FloorMod", "Mod":
		if slices.Contains(right, 0) && a.Len() > 0 {
			return nil, Invalidf("Integer division by zero")
		}
	case "TruncateDiv", "TruncateMod":
		if slices.Contains(right, 0) && a.Len() > 0 {
			return nil, Statusf(rpcerrors.Internal, "Unexpected error in binary operator (only integer div and mod should have errors)")
		}
	case "LeftShift", "RightShift": // TensorFlow limits the shift to the range from 0 to the dtype's number of bits minus 1
		most := int64(8*tensor.Size(a.DType()) - 1)
		right = lists.Map(right, func(x int64) int64 { return max(min(x, most), 0) })
	case "Pow":
		for _, x := range right {
			if x < 0 && a.Len() > 0 {
				return nil, Invalidf("Integers to negative integer powers are not allowed")
			}
		}
	}
	return One(value.Ints(a.DType(), shape, zip(a.I(), right, c.In, shape, f)))
}

// broadcast returns the shape to which the first two inputs broadcast, and accounts for the memory
// of a result of that shape.
func (c *Call) broadcast(dtype DType) ([]int, error) {
	a, b := c.In[0].Shape(), c.In[1].Shape()
	shape, ok := value.Broadcast(a, b)
	if !ok {
		return nil, Invalidf("Incompatible shapes: %s vs. %s", value.ShapeText(a), value.ShapeText(b))
	}
	if pieces(a, b) > 4 {
		return nil, Statusf(rpcerrors.Unimplemented, "Broadcast between %s and %s is not supported yet.", value.ShapeText(a), value.ShapeText(b))
	}
	_, err := c.Room(dtype, shape)
	return shape, err
}

// pieces counts the dimensions of two shapes that are broadcast to each other. Adjacent dimensions
// that are broadcast in the same way count as one, and dimensions of size 1 in both shapes do not
// count (core/util/bcast.h).
func pieces(a, b []int) (n int) {
	last := [2]bool{}
	for i := max(len(a), len(b)); i > 0; i-- {
		x, y := 1, 1
		if i <= len(a) {
			x = a[len(a)-i]
		}
		if i <= len(b) {
			y = b[len(b)-i]
		}
		if x == 1 && y == 1 {
			continue
		}
		if now := [2]bool{x != 1, y != 1}; now != last {
			n, last = n+1, now
		}
	}
	return n
}

// zip applies f to each pair of elements of the first two inputs, broadcast to shape.
func zip[A, B, R any](a []A, b []B, in []Value, shape []int, f func(A, B) R) []R {
	left, right := value.BroadcastIndex(in[0].Shape(), shape), value.BroadcastIndex(in[1].Shape(), shape)
	n, _ := value.Count(shape)
	out := make([]R, n)
	for i := range out {
		out[i] = f(a[left.At(i)], b[right.At(i)])
	}
	return out
}

func addN(c *Call) ([]Value, error) {
	if err := c.SameShapes(); err != nil {
		return nil, err
	}
	sum := c.In[0]
	for _, v := range c.In[1:] {
		next := &Call{Node: &Node{Name: c.Name, Op: "AddV2"}, In: []Value{sum, v}, Env: c.Env}
		both, err := binary(next)
		if err != nil {
			return nil, err
		}
		sum = both[0]
	}
	return One(sum)
}

func addFloats(a, b float64) float64 { return a + b }
func divFloats(a, b float64) float64 { return a / b }
func addInts(a, b int64) int64       { return a + b }
func modInts(a, b int64) int64 {
	if b == -1 {
		return 0
	}
	return a % b
}

func divInts(a, b int64) int64 {
	if b == -1 {
		return -a
	}
	return a / b
}

func floorDivInts(a, b int64) int64 {
	if rest := modInts(a, b); rest != 0 && (rest < 0) != (b < 0) {
		return divInts(a, b) - 1
	}
	return divInts(a, b)
}

func floorModInts(a, b int64) int64 {
	rest := modInts(a, b)
	if rest != 0 && (rest < 0) != (b < 0) {
		rest += b
	}
	return rest
}

func powInts(a, b int64) int64 {
	result := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 == 1 {
			result *= a
		}
		a *= a
	}
	return result
}

func floorMod(a, b float64) float64 {
	rest := math.Mod(a, b)
	if rest != 0 && (rest < 0) != (b < 0) {
		rest += b
	}
	return rest
}

func mulNoNan(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a * b
}

func divNoNan(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func xdivy(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a / b
}

func xlogy(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a * math.Log(b)
}

// largest and smallest return NaN if either argument is NaN, as TensorFlow's do.
func largest(a, b float64) float64  { return max(a, b) }
func smallest(a, b float64) float64 { return min(a, b) }
