package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Goal: podSet behaves as a set, and podNumbers always gives a name the same number. Method:
// random operations, compared with the same operations on a map.
func TestPodSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var numbers podNumbers
	var set podSet
	known := map[int]bool{}
	for step := range 5000 {
		i := r.IntN(300)
		n := numbers.of(fmt.Sprint("pod", i))
		if numbers.names[n] != fmt.Sprint("pod", i) {
			t.Fatalf("step %d: pod%d has the number of %s", step, i, numbers.names[n])
		}
		if r.IntN(2) == 0 {
			if fresh := set.add(n); fresh == known[n] {
				t.Fatalf("step %d: adding %d says %v", step, n, fresh)
			}
			known[n] = true
		} else {
			set.remove(n)
			delete(known, n)
		}
		if set.has(n) != known[n] || set.len() != len(known) {
			t.Fatalf("step %d: has %v of %d, want %v of %d", step, set.has(n), set.len(), known[n], len(known))
		}
	}
}
