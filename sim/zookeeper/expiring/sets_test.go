package expiring_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/sim/zookeeper/expiring"
)

// Goal: Sets lists the sets that a real server has (ExpiryQueue.java). Method: a model that
// does what the real queue does, step by step: it makes a set at each new deadline, and a thread
// removes the set of each tick at that tick.
func TestSetsAreThoseOfTheQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gridMs = 10
		sets := expiring.NewSets(gridMs)
		model := map[int64]bool{}
		nowMs := rapid.Int64Range(0, 100).Draw(t, "start")
		sets.Make(nowMs, sets.Deadline(nowMs))
		model[sets.Deadline(nowMs)] = true
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			for range rapid.IntRange(0, 25).Draw(t, "passes") {
				nowMs++
				if nowMs%gridMs == 0 {
					delete(model, nowMs)
				}
			}
			deadlineMs := sets.Deadline(nowMs + rapid.Int64Range(-30, 60).Draw(t, "timeout"))
			sets.Make(nowMs, deadlineMs)
			model[deadlineMs] = true
			times := sets.Times(nowMs)
			for i, atMs := range times {
				if !model[atMs] || i > 0 && times[i-1] >= atMs {
					t.Fatalf("at %d: got %v, want %v in order", nowMs, times, model)
				}
			}
			if len(times) != len(model) {
				t.Fatalf("at %d: got %v, want %v", nowMs, times, model)
			}
		}
	})
}
