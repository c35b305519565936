package whatif_test

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/runners/whatif"
)

func Example() {
	title, _, _ := strings.Cut(whatif.Spec, "\n")
	fmt.Println(title)
	// Output: # Capacity what-if: rules
}
