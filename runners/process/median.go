package process

import (
	"slices"
)

// Median returns the middle of at least one measurement; of an even number, the lower one.
func Median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)/2]
}
