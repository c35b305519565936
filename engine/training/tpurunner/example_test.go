package tpurunner_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/training/tpurunner"
)

// This parses a command line with the program's flags, and prints flags and their defaults.
func Example() {
	flags := absl.New(tpurunner.Module())
	rest, err := flags.Parse(nil, []string{"--mode=eval", "--model_dir=/m", "task"})
	fmt.Println(flags.Text("mode").V, flags.Text("model_dir").V, flags.Int("iterations_per_loop"), rest, err)
	// Output:
	// eval /m 10000 [task] <nil>
}
