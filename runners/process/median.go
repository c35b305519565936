package process

import (
	"slices"
)

// Median is the middle one of some measurements, at least one; of two it is the lower.
func Median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)/2]
}
