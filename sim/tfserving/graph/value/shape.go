package value

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Count returns the number of elements of a shape. It returns false for a negative size, and if the
// number overflows an int.
func Count(shape []int) (int, bool) {
	n := uint(1)
	for _, size := range shape {
		high, low := bits.Mul(n, uint(size))
		if size < 0 || high != 0 || int(low) < 0 {
			return 0, false
		}
		n = low
	}
	return int(n), true
}

// Reach returns how many elements a shape would have if no size were zero; at most math.MaxInt. Loops
// over the dimensions of an empty tensor take that many turns.
func Reach(shape []int) int {
	n := 1
	for _, size := range shape {
		if size > 0 && n > math.MaxInt/size {
			return math.MaxInt
		}
		n *= max(size, 1)
	}
	return n
}

// ShapeText formats a shape as TensorShape::DebugString does, with ? for a negative size.
func ShapeText(shape []int) string {
	sizes := make([]string, len(shape))
	for i, size := range shape {
		sizes[i] = strconv.Itoa(size)
		if size < 0 {
			sizes[i] = "?"
		}
	}
	return "[" + strings.Join(sizes, ",") + "]"
}

// Strides returns for each dimension the distance between neighbouring elements, counted in
// elements, in row-major order.
func Strides(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}

// Broadcast returns the shape to which two shapes broadcast. It returns false if they are not
// compatible.
func Broadcast(a, b []int) ([]int, bool) {
	shape := make([]int, max(len(a), len(b)))
	for i := range shape {
		x, y := sizeFromEnd(a, len(shape)-i), sizeFromEnd(b, len(shape)-i)
		switch {
		case x == y || y == 1:
			shape[i] = x
		case x == 1:
			shape[i] = y
		default:
			return nil, false
		}
	}
	return shape, true
}

func sizeFromEnd(shape []int, back int) int {
	if back > len(shape) {
		return 1
	}
	return shape[len(shape)-back]
}

// Index maps each element of a broadcast result to an element of an operand.
type Index struct {
	list []int
	step int // step is used if list is nil: 1 maps each element to itself, 0 maps all to the first
}

// At returns the place in the operand for element i of the result.
func (x Index) At(i int) int {
	if x.list == nil {
		return i * x.step
	}
	return x.list[i]
}

// BroadcastIndex returns the index that maps elements of a result to elements of an operand. shape
// is the operand's shape. It must broadcast to result, the result's shape.
func BroadcastIndex(shape, result []int) Index {
	if slices.Equal(shape, result) {
		return Index{step: 1}
	}
	if n, _ := Count(shape); n == 1 {
		return Index{}
	}
	steps := make([]int, len(result))
	own := Strides(shape)
	for i := range own {
		if shape[i] != 1 {
			steps[len(result)-len(shape)+i] = own[i]
		}
	}
	return Index{list: Walk(result, steps, 0)}
}

// Walk returns the position of each element of a shape, in row-major order. The first element is at
// start, and steps holds the distance between neighbours in each dimension.
func Walk(shape, steps []int, start int) []int {
	n, _ := Count(shape)
	list := make([]int, n)
	at := make([]int, len(shape))
	place := start
	for i := range list {
		list[i] = place
		for d := len(shape) - 1; d >= 0; d-- {
			at[d]++
			place += steps[d]
			if at[d] < shape[d] {
				break
			}
			place -= at[d] * steps[d]
			at[d] = 0
		}
	}
	return list
}
