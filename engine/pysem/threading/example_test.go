package threading_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/vtime"
)

// This example sets an event for which two tasks wait, one of them with too short a limit. It also
// holds a lock during a call that waits.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	p := w.Node("host").NewProcess("program")
	ready, lock := threading.NewEvent(p, "ready"), threading.NewLock(p, "log")

	for name, limit := range []time.Duration{time.Second, time.Minute} {
		p.Go("waiter", func() {
			fmt.Printf("waiter %d: in time %v\n", name, ready.Wait(limit))
			lock.Lock()
			defer lock.Unlock()
			p.Sleep(time.Hour)
			fmt.Printf("waiter %d: done at %v\n", name, p.Elapsed())
		})
	}
	p.Go("setter", func() {
		p.Sleep(10 * time.Second)
		ready.Set()
	})
	w.Run(vtime.Limits{})

	// Output:
	// waiter 0: in time false
	// waiter 1: in time true
	// waiter 0: done at 1h0m1s
	// waiter 1: done at 2h0m1s
}
