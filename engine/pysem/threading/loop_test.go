package threading_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/vtime"
)

func TestLoopWithoutPeriodPanics(t *testing.T) {
	w := vtime.New(vtime.Config{})
	defer w.Close()
	p := w.Node("node").NewProcess("p")
	var got string
	p.Go("task", func() {
		defer func() { got = fmt.Sprint(recover()) }()
		threading.NewLoop(p, 0)
	})
	if _, err := w.Run(vtime.Limits{}); err != nil || got != "threading: a loop with a period of 0 or less" {
		t.Errorf("panic %q, error %v", got, err)
	}
}

// Goal: without support for beats in Tasks, a beat counts the waits that end as usual, again and
// again in order, and stops at the first wait that does not.
func TestABeatOfSleepsCountsItsWaits(t *testing.T) {
	w := vtime.New(vtime.Config{})
	defer w.Close()
	p := w.Node("node").NewProcess("p")
	p.Go("task", func() {
		b := threading.NewBeat(p, "beat", []time.Duration{time.Second, 2 * time.Second}, func(part int) bool {
			return part == 0 || w.Now() < 12*time.Second
		})
		ended := b.Run(1)
		b.Changes()
		if ended != 1 || w.Now() != 14*time.Second || b.Count(0) != 4 || b.Count(1) != 4 {
			t.Errorf("wait %d ended the beat at %v after %d and %d, want 1 at 14s after 4 and 4", ended, w.Now(), b.Count(0), b.Count(1))
		}
	})
	if _, err := w.Run(vtime.Limits{}); err != nil {
		t.Fatal(err)
	}
}
