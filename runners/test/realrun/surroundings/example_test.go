package surroundings_test

import (
	"fmt"
	"io"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
)

// A program written against env runs as a program of the operating system, a thousand times
// as fast as the clock.
func Example() {
	p := surroundings.Program{Name: "watchdog", Seed: 1, Speed: 1000, Main: func(e *env.Env) int {
		e.Tasks.Sleep(time.Minute)
		e.Log.Logf(env.Info, "a minute later")
		fmt.Println(e.Clock.Elapsed() >= time.Minute, env.Exists(e.Files, "example_test.go"))
		return 3
	}}
	p.Log.Output = io.Discard
	fmt.Println(surroundings.Run(p))

	// Output:
	// true true
	// 3 <nil>
}
