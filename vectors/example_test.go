package vectors_test

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/vectors"
)

// Example reads the first id from the text of the register of quirks. Package scope decodes that
// register, and package golden has the recorded cases.
func Example() {
	_, after, _ := strings.Cut(string(vectors.QuirksYAML), "- {id: ")
	id, _, _ := strings.Cut(after, ",")
	fmt.Println("the first quirk:", id)

	// Output:
	// the first quirk: Q1
}
