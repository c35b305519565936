package vtime

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Goal: events leave the heap in the order of (at, seq). Method: any mix of
// pushes, pops and compactions against a sorted slice.
func TestHeapPopsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h eventHeap
		var model []event
		seq := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				seq++
				e := event{at: rapid.Int64Range(0, 20).Draw(t, "at"), seq: seq, slot: uint32(seq)}
				h.push(e)
				model = append(model, e)
				slices.SortFunc(model, func(a, b event) int {
					if a.before(&b) {
						return -1
					}
					return 1
				})
			},
			"pop": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip()
				}
				if got := h.pop(); got != model[0] {
					t.Fatalf("popped %+v, want %+v", got, model[0])
				}
				model = model[1:]
			},
			"compact": func(t *rapid.T) {
				modulus := rapid.Uint64Range(2, 5).Draw(t, "modulus")
				void := func(e *event) bool { return e.seq%modulus == 0 }
				h.compact(void)
				model = slices.DeleteFunc(model, func(e event) bool { return void(&e) })
			},
			"": func(t *rapid.T) {
				if len(h) != len(model) {
					t.Fatalf("heap holds %d events, want %d", len(h), len(model))
				}
			},
		})
	})
}

// Goal: what happens is what was scheduled and not cancelled, by instant and then
// by the order of scheduling. Method: random schedules and cancellations, some of
// them made while events happen.
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
		// Crowded ones, near ones and far ones.
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
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(planned{})); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
	})
}

// Goal: timers that are set and cancelled for ever, as those of time-outs are, do
// not fill the memory. Method: look at the size of heap and slots.
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
	if got, most := len(w.heap), 65; got > most {
		t.Errorf("heap holds %d entries for 10 events, want at most %d", got, most)
	}
	if got, most := len(w.slots), 11; got > most {
		t.Errorf("%d slots for 10 events, want at most %d", got, most)
	}
	if _, err := w.Run(Limits{}); err != nil {
		t.Fatal(err)
	}
	if fired != 10 {
		t.Errorf("%d events happened, want 10", fired)
	}
}

// Goal: a timer of an event that has happened is no handle on the event that has
// its slot now.
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
