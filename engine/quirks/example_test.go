package quirks_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/quirks"
)

// A flag that names some quirks keeps these and repairs all others.
func Example() {
	set, err := quirks.Parse("Q22,Q54")
	if err != nil {
		panic(err)
	}
	fmt.Println(set.Keeps(quirks.Q22), set.Keeps(quirks.Q33))
	// Output: true false
}
