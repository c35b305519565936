package zookeeper

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Goal: a list of slots is a list of numbers, however large they are. Method: random
// operations on both.
func TestAListOfSlotsIsAListOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l slotList
		var want []uint32
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			slot := rapid.Uint32Range(0, rapid.SampledFrom([]uint32{3, 1 << 17}).Draw(t, "most")).Draw(t, "slot")
			switch i := rapid.IntRange(0, max(len(want)-1, 0)).Draw(t, "place"); rapid.SampledFrom([]string{"add", "add", "set", "cut"}).Draw(t, "step") {
			case "add":
				l.add(slot)
				want = append(want, slot)
			case "set":
				if len(want) > 0 && (slot>>16 == 0 || l.high != nil) {
					l.set(i, slot)
					want[i] = slot
				}
			case "cut":
				to := rapid.IntRange(i, len(want)).Draw(t, "to")
				l.cut(i, to)
				want = slices.Delete(want, i, to)
			}
			var got []uint32
			copied := l.clone()
			for i, slot := range copied.all {
				if i != len(got) {
					t.Fatalf("place %d comes after %d", i, len(got)-1)
				}
				got = append(got, slot)
			}
			if !slices.Equal(got, want) || l.len() != len(want) || l.index(slot) != slices.Index(want, slot) {
				t.Fatalf("got %v, %d at %d, want %v", got, slot, l.index(slot), want)
			}
		}
	})
}
