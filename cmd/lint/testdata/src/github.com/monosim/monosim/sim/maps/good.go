package maps

import (
	"maps"
	"slices"
)

func number(m map[string]int) (n int) {
	for range m {
		n = n*10 + 1
		println(n)
	}
	for _, _ = range m {
		n++
	}
	return n
}

func copies(m map[string]int) map[string]int {
	out := maps.Clone(m)
	maps.Copy(out, m)
	maps.DeleteFunc(out, func(_ string, v int) bool { return v == 0 })
	return out
}

func iteratorsSorted(m map[string]int) ([]string, map[string]int) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		println(k)
	}
	return slices.Sorted(maps.Keys(m)), maps.Collect(maps.All(m))
}

func slice(list []string) {
	for _, s := range list {
		println(s)
	}
}
