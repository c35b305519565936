package env_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// watchdog is an example of engine code. It reaches the world only through env, so it runs in
// virtual and in real time. Its two tasks share a counter without a lock, because tasks switch only
// inside of calls to env.
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

// This example runs engine code in virtual time. A simulated process serves as its clock, its tasks
// and its random choices.
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
