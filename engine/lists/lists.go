// Package lists makes lists of lists: the loops that make one value of each item, which package
// slices lacks.
//
// Two things to use first: [Map] for a list of as many items, and [Filter] for fewer; [ToMap] makes
// the map by which they are found, and [Find] finds one.
//
// [Counted] says how many items a list has.
//
// An empty result is a list without items from [Map] and nil from the others, which differ in JSON.
// A loop that may fail, or that needs the index, stays a loop.
//
// Unstable: any commit may change it.
package lists

import (
	"slices"
	"strconv"
)

// Map returns the results of calling f for each item, in order. The result is never nil.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// MapOrNil works as Map, but returns nil if there are no items, like a loop that appends to a nil
// slice.
func MapOrNil[T, R any](list []T, f func(T) R) []R {
	if len(list) == 0 {
		return nil
	}
	return Map(list, f)
}

// Filter returns the items for which keep returns true, in order. It returns nil if there are none.
func Filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// ToMap returns a map of the keys and values that f returns for the items. If items have the same
// key, the last one counts. The map is never nil.
func ToMap[T any, K comparable, V any](list []T, f func(T) (K, V)) map[K]V {
	made := make(map[K]V, len(list))
	for _, x := range list {
		k, v := f(x)
		made[k] = v
	}
	return made
}

// Select combines Filter and Map. It returns the first results of f for the items for which the
// second result is true. It returns nil if there are none.
func Select[T, R any](list []T, f func(T) (R, bool)) []R {
	var made []R
	for _, x := range list {
		if y, ok := f(x); ok {
			made = append(made, y)
		}
	}
	return made
}

// Find returns the first item for which wanted returns true, or the zero value if there is none.
func Find[T any](list []T, wanted func(T) bool) (found T) {
	if at := slices.IndexFunc(list, wanted); at >= 0 {
		return list[at]
	}
	return found
}

// Counted returns a number with its noun in singular or plural, such as "1 row" or "2 rows".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
