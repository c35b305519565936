package vtime

import (
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Goal: events leave the heap by instant and then by order, and compaction frees the slots of
// cancelled events. Method: any mix of pushes, pops, replacements, cancellations and compactions,
// compared with a sorted slice.
func TestHeapPopsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h eventHeap
		var slots []slot
		var model []entry // sorted, cancelled ones included
		instant := rapid.Int64Range(0, rapid.SampledFrom([]int64{3, 20, 1000}).Draw(t, "instants"))
		add := func(t *rapid.T) entry {
			class := rapid.SampledFrom([]uint64{beforeAll, inTurn}).Draw(t, "class")
			e := entry{at: instant.Draw(t, "at"), slot: uint32(len(slots))}
			slots = append(slots, slot{at: e.at, order: orderOf(class, uint64(len(slots)), kindSleep), do: Func(nil)})
			return e
		}
		insert := func(e entry) {
			i, _ := slices.BinarySearchFunc(model, e, func(a, b entry) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(slots[a.slot].order, slots[b.slot].order))
			})
			model = slices.Insert(model, i, e)
		}
		first := func(t *rapid.T) {
			if len(model) == 0 {
				t.Skip()
			}
			if got := h.first(); got != model[0] {
				t.Fatalf("first is %+v, want %+v", got, model[0])
			}
			model = model[1:]
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				e := add(t)
				h.push(slots, e)
				insert(e)
			},
			"drop": func(t *rapid.T) {
				first(t)
				h.drop(slots)
			},
			"replace": func(t *rapid.T) {
				first(t)
				e := add(t)
				h.replace(slots, e)
				insert(e)
			},
			"cancel": func(t *rapid.T) {
				if len(slots) > 0 {
					slots[rapid.IntRange(0, len(slots)-1).Draw(t, "slot")].clear()
				}
			},
			"compact": func(t *rapid.T) {
				cancelled := func(e entry) bool { return slots[e.slot].do == nil }
				var want, freed []uint32
				for _, e := range model {
					if cancelled(e) {
						want = append(want, e.slot)
					}
				}
				h.compact(slots, func(i uint32) { freed = append(freed, i) })
				model = slices.DeleteFunc(model, cancelled)
				slices.Sort(want)
				slices.Sort(freed)
				if !slices.Equal(freed, want) {
					t.Fatalf("freed slots %v, want %v", freed, want)
				}
			},
			"": func(t *rapid.T) {
				if h.len() != len(model) {
					t.Fatalf("heap holds %d events, want %d", h.len(), len(model))
				}
			},
		})
	})
}

// Goal: exactly the events that were scheduled and not cancelled happen, by instant and then in the
// order of scheduling. Method: random schedules and cancellations, some of them during events.
func TestEventsHappenInOrderUnlessCancelled(t *testing.T) {
	type planned struct {
		at    time.Duration
		order int
	}
	rapid.Check(t, func(t *rapid.T) {
		w := New(Config{})
		defer w.Close()
		n := w.Node("node")
		var want, got []planned
		timers := map[planned]Timer{}
		var all []planned
		add := func(at time.Duration) {
			p := planned{at: max(at, w.Now()), order: len(all)}
			all = append(all, p)
			timers[p] = n.Schedule(at, kindSleep, Func(func() {
				got = append(got, p)
				if w.Now() != p.at {
					t.Fatalf("event of %v happens at %v", p.at, w.Now())
				}
			}), 0)
		}
		cancelled := map[planned]bool{}
		// Instants are drawn from a short, a middle and a long span of time.
		instant := rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 3_000_000), rapid.Int64Range(0, 1_000_000_000))
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				add(time.Duration(instant.Draw(t, "at")))
			case 4:
				add(w.Now() + time.Duration(instant.Draw(t, "later")))
			case 2:
				if len(all) > 0 {
					p := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
					if timers[p].Cancel() {
						cancelled[p] = true
					}
					if timers[p].Pending() {
						t.Fatalf("%+v is pending after its cancellation", p)
					}
				}
			case 3:
				if until := time.Duration(instant.Draw(t, "until")); until > 0 {
					if _, err := w.Run(Limits{Until: until}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if _, err := w.Run(Limits{}); err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if !cancelled[p] {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(a, b planned) int { return int(a.at - b.at) })
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(planned{})); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
	})
}

// Goal: timers that are set and cancelled without end, like those of timeouts, do not fill the
// memory. Method: check the sizes of heap and slots.
func TestCancelledTimersAreCompacted(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	n := w.Node("node")
	fired := 0
	count := Func(func() { fired++ })
	for range 10 {
		n.Schedule(time.Hour, kindSleep, count, 0)
	}
	for range 100_000 {
		n.Schedule(time.Minute, kindSleep, count, 0).Cancel()
	}
	if got, most := w.heap.len(), 65; got > most {
		t.Errorf("heap holds %d entries for 10 events, want at most %d", got, most)
	}
	if got, most := len(w.slots), 65; got > most {
		t.Errorf("%d slots for 10 events, want at most %d", got, most)
	}
	if _, err := w.Run(Limits{}); err != nil {
		t.Fatal(err)
	}
	if fired != 10 {
		t.Errorf("%d events happened, want 10", fired)
	}
}

// Goal: after its event has happened, a timer cannot cancel the event that reuses its slot.
func TestOldTimerDoesNotCancelItsSuccessor(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	n := w.Node("node")
	old := n.After(1, kindSleep, func() {})
	if _, err := w.Run(Limits{}); err != nil {
		t.Fatal(err)
	}
	happened := false
	fresh := n.After(1, kindSleep, func() { happened = true })
	if fresh.slot != old.slot {
		t.Fatalf("the slot was not used again: %d, then %d", old.slot, fresh.slot)
	}
	if old.Pending() || old.Cancel() {
		t.Error("the old timer still holds an event")
	}
	if _, err := w.Run(Limits{}); err != nil {
		t.Fatal(err)
	}
	if !happened {
		t.Error("the new event did not happen")
	}
}
