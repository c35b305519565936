package jsonexport

import (
	"fmt"
	"math"
)

// quantize rounds each tensor so that its scaled values fit into a signed integer of this many
// bits. The values stay floats. A tensor is a dense parameter or one entry of a table.
func (s *State) quantize(bits uint8) error {
	if bits != 8 && bits != 16 {
		return fmt.Errorf("Unsupported quantize bits: %d (expected 8 or 16)", bits)
	}
	most := float32(int32(1)<<(bits-1) - 1)
	//lint:ordered each tensor is rounded by itself
	for _, values := range s.DenseParams {
		quantizeTensor(values, most)
	}
	for _, t := range s.Tables {
		//lint:ordered each tensor is rounded by itself
		for _, values := range t.Entries {
			quantizeTensor(values, most)
		}
	}
	return nil
}

// quantizeTensor scales the values so that the largest magnitude equals the parameter most, rounds
// them to whole numbers, and scales them back. It computes in 32 bits at each step, as Rust does.
// Values that cannot be scaled become NaN.
func quantizeTensor(values []float32, most float32) {
	var greatest float32
	for _, v := range values {
		greatest = max(greatest, float32(math.Abs(float64(v))))
	}
	if greatest == 0 {
		return
	}
	scale := most / greatest
	for i, v := range values {
		whole := float32(math.Round(float64(v * scale))) // math.Round rounds halves away from 0, as Rust does
		values[i] = min(max(whole, -most), most) / scale
	}
}
