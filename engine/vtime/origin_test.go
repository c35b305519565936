package vtime_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/vtime"
)

// Goal: events and tasks inherit the origin of what caused them, until another is set. Origins
// change no hash.
func TestOriginsAreInherited(t *testing.T) {
	run := func(origins bool) (seen map[string]uint64, hash uint64) {
		w := vtime.New(vtime.Config{Seed: 1, Trace: vtime.TraceConfig{Origins: origins}})
		defer w.Close()
		n := w.Node("a")
		p := n.NewProcess("p")
		seen = map[string]uint64{}
		note := func(name string) { seen[name] = w.Origin() }

		w.SetOrigin(7)
		n.After(time.Second, vtime.Kind(0), func() {
			note("event")
			n.After(time.Second, vtime.Kind(0), func() { note("its event") })
			w.SetOrigin(8)
			n.After(time.Second, vtime.Kind(0), func() { note("after another") })
		})
		p.Go("task", func() {
			note("task")
			p.Sleep(5 * time.Second)
			note("after a sleep")
		})
		if _, err := w.Run(vtime.Limits{Until: 3 * time.Second}); err != nil {
			t.Fatal(err)
		}
		note("between runs")
		n.After(time.Second, vtime.Kind(0), func() { note("of a later run") })
		if _, err := w.Run(vtime.Limits{}); err != nil {
			t.Fatal(err)
		}
		return seen, w.Hash()
	}
	seen, hash := run(true)
	want := map[string]uint64{
		"event": 7, "its event": 7, "after another": 8, "task": 7, "after a sleep": 7, "between runs": 0, "of a later run": 0,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("origins (-want +got):\n%s", diff)
	}
	if _, other := run(false); other != hash {
		t.Errorf("hash: want %016x without origins, got %016x with them", other, hash)
	}
}
