package calibrate_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/whatif/lab/calibrate"
	"github.com/monosim/monosim/runners/whatif/lab/observe"
)

// Too few observed calls give an error that says what to do.
func Example() {
	_, err := calibrate.Fit([]*observe.Observation{{Format: observe.Format, Plan: "empty"}})
	fmt.Println(err)

	// Output:
	// found 0 answered calls in 1 observations, want at least 1000: observe with a longer horizon or a higher rate
}
