package maps

import (
	"maps"
	"reflect"
	"slices"
)

func calls(m map[string]int) {
	for k := range m { // want `order of a map can be seen: a loop over a map; range over slices.Sorted`
		println(k)
	}
}

func keyOutside(m map[string]int) (k string) {
	for k = range m { // want `a loop over a map`
	}
	return k
}

// That a body commutes is no excuse without a word.
func sum(m map[string]int) (n int) {
	for _, v := range m { // want `a loop over a map`
		n += v
	}
	return n
}

func sortedNext(m map[string]int) (keys []string) {
	for k := range m { // want `a loop over a map`
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func inner(m map[string]map[string]int, list []string) {
	for range m {
		for _, v := range list {
			for k := range m[v] { // want `a loop over a map`
				println(k)
			}
		}
	}
}

func iterators(m map[string]int) ([]string, []int) {
	for k := range maps.Keys(m) { // want `a loop over a map`
		println(k)
	}
	keys := slices.Collect(maps.Keys(m)) // want `an iterator of package maps that is not sorted`
	slices.Sort(keys)
	return keys, slices.AppendSeq([]int(nil), maps.Values(m)) // want `an iterator of package maps that is not sorted`
}

func generic[M ~map[string]V, V any](m M) (last V) {
	for _, v := range m { // want `a loop over a map`
		last = v
	}
	return last
}

func reflected(m any) []reflect.Value {
	return reflect.ValueOf(m).MapKeys() // hidden speaks of this one
}

func excused(m map[string]int) {
	for k := range m { //lint:ordered one entry at most
		println(k)
	}
	//lint:ordered the log is sorted by its reader
	for k := range m {
		println(k)
	}
	// want +1 `//lint:ordered without a reason`
	//lint:ordered
	for k := range m {
		println(k)
	}

	//lint:ordered nothing is named // want `//lint:ordered where the rule finds nothing`
	for range m {
		println()
	}
}
