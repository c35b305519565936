package traincheck_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners/test/simrun/traincheck"
)

// The example checks a save that places its barrier and never removes it.
func ExampleChecker() {
	check := traincheck.New(cluster.TrainingSpec{Workers: 1, PS: 1}, quirks.Python)
	check.Observe(observation("chief", "process.start"))
	check.Assigned(time.Second, "chief", "barrier_var", 0, true)
	check.Assigned(time.Second, "chief", "barrier_op_action", -1, []byte("Save"))
	if err := check.Look(5*time.Minute, disk{}); err != nil {
		panic(err)
	}
	for _, b := range check.Broken() {
		fmt.Println(b)
	}

	// Output:
	// INV-1 broke by t+300.000s: the barrier "Save" of 1s was not removed by its owner, want that within 43s
}
