package env_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// watchdog is engine code: it knows its world by env alone, and so runs under either
// clock. Its two tasks share the counter without a lock, because control changes hands
// only inside of calls on env.
func watchdog(e *env.Env) {
	beats := 0
	e.Tasks.Go("heart", func() {
		for range 3 {
			e.Tasks.Sleep(time.Duration(1+e.Random.Intn("pause", 9)) * time.Second)
			beats++
		}
	})
	for last := -1; beats != last; {
		last = beats
		e.Tasks.Sleep(20 * time.Second)
		fmt.Printf("%v after the start: %d beats\n", e.Clock.Elapsed(), beats)
	}
}

// In virtual time a process is the clock, the tasks and the choices of its code.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	p := w.Node("host").NewProcess("watchdog")
	e := &env.Env{Clock: p, Tasks: p, Random: p}
	p.Go("main", func() { watchdog(e) })
	w.Run(vtime.Limits{})

	// Output:
	// 20s after the start: 3 beats
	// 40s after the start: 3 beats
}
