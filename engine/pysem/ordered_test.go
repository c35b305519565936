package pysem

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Goal: an ordered map behaves like a list of pairs, with few keys and with more than fewKeys.
// Method: random changes of both, compared after each.
func TestAnOrderedMapIsAListOfPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m, keys, values := NewOrderedMap[int, int](), []int{}, map[int]int{}
	most := 0
	for step := range 20_000 {
		if k := r.IntN(3 * fewKeys); r.IntN(5) < 3 {
			if _, ok := values[k]; !ok {
				keys = append(keys, k)
			}
			values[k] = step
			m.Set(k, step)
		} else {
			if i := slices.Index(keys, k); i >= 0 {
				keys = slices.Delete(keys, i, i+1)
			}
			delete(values, k)
			m.Delete(k)
		}
		if step%5000 == 0 {
			m, keys, values = NewOrderedMap[int, int](), []int{}, map[int]int{}
		}
		most = max(most, m.Len())
		if m.Len() != len(keys) || !slices.Equal(m.KeyList(), keys) {
			t.Fatalf("step %d: found the keys %v, want %v", step, m.KeyList(), keys)
		}
		for k, v := range m.All {
			if got, ok := m.Get(k); !ok || got != v || v != values[k] {
				t.Fatalf("step %d: key %d has %d, %d in a walk, want %d", step, k, got, v, values[k])
			}
		}
	}
	if most <= fewKeys {
		t.Fatalf("never more than %d keys", most)
	}
}
