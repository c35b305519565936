package process

import (
	"slices"
)

// Median returns the median of a list that is not empty. For an even count it is the lower middle
// value.
func Median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)/2]
}
