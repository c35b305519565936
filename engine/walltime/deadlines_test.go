package walltime

import (
	"cmp"
	"container/heap"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Goal: tasks leave the heap in the order of their deadlines, and with equal deadlines in the order
// of their calls. Method: any mix of waits, wakes and passing deadlines, compared with a sorted
// slice.
func TestDeadlinesPassInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h deadlines
		var model []*Task
		order := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				order++
				task := &Task{deadline: time.Duration(rapid.IntRange(0, 10).Draw(t, "deadline")), order: order, place: -1}
				heap.Push(&h, task)
				model = append(model, task)
				slices.SortFunc(model, func(a, b *Task) int {
					return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.order, b.order))
				})
			},
			"wake": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				heap.Remove(&h, model[i].place)
				if model[i].place != -1 {
					t.Fatalf("a woken task still has place %d", model[i].place)
				}
				model = slices.Delete(model, i, i+1)
			},
			"pass": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				if got := heap.Pop(&h).(*Task); got != model[0] {
					t.Fatalf("task %d with deadline %d, want task %d with %d", got.order, got.deadline, model[0].order, model[0].deadline)
				}
				model = model[1:]
			},
			"": func(t *rapid.T) {
				for i, task := range h {
					if task.place != i {
						t.Fatalf("the task at %d has place %d", i, task.place)
					}
				}
				if len(h) != len(model) {
					t.Fatalf("%d tasks, want %d", len(h), len(model))
				}
			},
		})
	})
}
