package vtime_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Goal: crashing or stopping a node affects all its processes, even if one of them calls for it.
// Method: two processes record what they still get to do.
func TestANodeStrikesAllItsProcesses(t *testing.T) {
	for _, c := range []struct {
		name     string
		strike   func(*vtime.Node)
		deferred int // how many processes get to run what they deferred
	}{
		{"crash", (*vtime.Node).Crash, 0},
		{"stop", (*vtime.Node).Stop, 2},
	} {
		for _, inside := range []bool{false, true} {
			name := c.name + " from the engine"
			if inside {
				name = c.name + " from a task of it"
			}
			t.Run(name, func(t *testing.T) {
				w := vtime.New(vtime.Config{CheckOwner: true})
				t.Cleanup(w.Close)
				n := w.Node("node")
				deferred, late := 0, 0
				for i := range 2 {
					p := n.NewProcess("program")
					p.Go("main", func() {
						defer func() {
							p.Sleep(time.Second) // sleeps until the crash, which unwinds it
							deferred++
						}()
						p.Sleep(10 * time.Second)
						if inside && i == 0 {
							c.strike(n)
						}
						p.Sleep(10 * time.Second)
						late++
					})
				}
				if !inside {
					w.Node("operator").After(15*time.Second, kindTick, func() { c.strike(n) })
				}
				if _, err := w.Run(vtime.Limits{Until: time.Minute}); err != nil {
					t.Fatal(err)
				}
				if late != 0 || deferred != c.deferred {
					t.Errorf("got %d that went on and %d that ran what they deferred, want 0 and %d", late, deferred, c.deferred)
				}
			})
		}
	}
}
