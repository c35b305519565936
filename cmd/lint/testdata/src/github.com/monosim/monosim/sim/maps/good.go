package maps

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
)

func copies(m map[string]int) map[string]int {
	out := make(map[string]int, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func deepCopies(m map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for k, v := range m {
		out[k] = append([]byte(nil), v...)
	}
	for k, v := range m {
		out[k] = append(out[k], v...)
	}
	for k, v := range m {
		out[strings.Clone(k)] = nil
		_ = v
	}
	return out
}

func deletes(m map[string]*znode, byID map[int]*znode, now time.Duration) {
	for k, z := range m {
		if z.at <= now {
			delete(m, k)
		}
	}
	for _, z := range m {
		delete(byID, z.value)
	}
}

func sums(m map[string]*znode) (n, total int, byName map[string]int, bits uint8) {
	byName = map[string]int{}
	for _, z := range m {
		n++
		total += z.value * 2
		byName[z.name] += z.value
		bits |= uint8(z.value)
	}
	return n, total, byName, bits
}

func number(m map[string]int) (n int) {
	for range m {
		n = n*10 + 1
		println(n)
	}
	return n
}

func extremes(m map[string]*znode) (first string, most int, next time.Duration) {
	next = 1 << 62
	for k, z := range m {
		if k < first {
			first = k
		}
		most = max(most, z.value)
		if next >= z.at {
			next = z.at
		}
	}
	return first, most, next
}

func flags(m map[string]*znode, all bool) (found bool, names map[string]bool, ids map[int]struct{}) {
	names, ids = map[string]bool{}, map[int]struct{}{}
	for k, z := range m {
		if strings.HasPrefix(k, "/b-1") {
			found = true
		}
		names[z.name] = all
		ids[z.value] = struct{}{}
		z.gone = true
	}
	return found, names, ids
}

func search(m map[string]int) bool {
	for k, v := range m {
		if k == "" {
			continue
		}
		if v > 3 {
			return true
		}
	}
	found := false
	for _, v := range m {
		if v > 4 {
			found = true
			break
		}
	}
	return found
}

func sortedAfter(m map[string]*znode) ([]string, []*znode) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	sort.Strings(keys)

	var nodes []*znode
	for _, z := range m {
		if !z.gone {
			nodes = append(nodes, z)
		}
	}
	slices.SortFunc(nodes, func(a, b *znode) int { return strings.Compare(a.name, b.name) })
	return keys, nodes
}

type byName []*znode

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i].name < b[j].name }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type list struct{ nodes []*znode }

func (l *list) fill(a, b map[string]*znode) {
	for _, z := range a {
		l.nodes = append(l.nodes, z)
	}
	for _, z := range b {
		l.nodes = append(l.nodes, z)
	}
	sort.Sort(byName(l.nodes))
}

type info struct {
	name  string
	parts []string
}

func ofTheTurn(m map[string]*znode, seen map[string]bool) []info {
	infos := make([]info, 0, len(m))
	for k, z := range m {
		known, ok := seen[z.name]
		if !ok || known {
			continue
		}
		one := info{name: k}
		switch {
		case z.gone:
			one.name = "gone"
		default:
			one.parts = append(one.parts, z.name)
		}
		label := "a"
		label += z.name
		one.parts = append(one.parts, label)
		infos = append(infos, one)
	}
	slices.SortFunc(infos, func(a, b info) int { return strings.Compare(a.name, b.name) })
	return infos
}

func inner(m map[string][]int, kinds map[string]any) (n int, ints int) {
	for _, list := range m {
		for _, v := range list {
			if v == 0 {
				continue
			}
			n += v
		}
	}
	for _, kind := range kinds {
		switch v := kind.(type) {
		case int:
			ints += v
		}
	}
	return n, ints
}

func iteratorsSorted(m map[string]int) ([]string, []int, map[string]int) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		println(k)
	}
	values := slices.Collect(maps.Values(m))
	slices.Sort(values)
	n := 0
	for v := range maps.Values(m) {
		n += v
	}
	return slices.Sorted(maps.Keys(m)), values, maps.Collect(maps.All(m))
}

func slice(list []string) {
	for _, s := range list {
		println(s)
	}
}
