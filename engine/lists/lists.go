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

// Map returns what f makes of each item, in their order. The result is never nil.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// MapOrNil is Map, but returns nil for no items, as a loop that appends to a nil slice does.
func MapOrNil[T, R any](list []T, f func(T) R) []R {
	if len(list) == 0 {
		return nil
	}
	return Map(list, f)
}

// Filter returns the items for which keep is true, in their order; nil for none.
func Filter[T any](list []T, keep func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// ToMap returns what f makes of each item, as a map; of items with the same key the last stays. The
// map is never nil.
func ToMap[T any, K comparable, V any](list []T, f func(T) (K, V)) map[K]V {
	made := make(map[K]V, len(list))
	for _, x := range list {
		k, v := f(x)
		made[k] = v
	}
	return made
}

// Select is Filter and Map at once: it returns what f makes of the items for which its second result is
// true, nil for none.
func Select[T, R any](list []T, f func(T) (R, bool)) []R {
	var made []R
	for _, x := range list {
		if y, ok := f(x); ok {
			made = append(made, y)
		}
	}
	return made
}

// Find returns the first item that is wanted, the zero value for none.
func Find[T any](list []T, wanted func(T) bool) (found T) {
	if at := slices.IndexFunc(list, wanted); at >= 0 {
		return list[at]
	}
	return found
}

// Counted says how many there are of a thing, as "1 row" and "2 rows".
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}
