package pysem

import (
	"sort"
)

// SortedStrings returns a sorted copy of list.
func SortedStrings(list []string) []string {
	sorted := append([]string(nil), list...)
	sort.Strings(sorted)
	return sorted
}
