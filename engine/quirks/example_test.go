package quirks_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/quirks"
)

// This example parses a set from a flag that lists some quirks. These are kept, and all others are
// repaired.
func Example() {
	set, err := quirks.Parse("Q22,Q54")
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Keeps(quirks.Q22), set.Keeps(quirks.Q33))
	// Output: true false
}
