package vectors_test

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/vectors"
)

// The register of quirks is there as it is written; package scope reads it, and package
// golden has the cases.
func Example() {
	_, after, _ := strings.Cut(string(vectors.QuirksYAML), "- {id: ")
	id, _, _ := strings.Cut(after, ",")
	fmt.Println("the first quirk:", id)

	// Output:
	// the first quirk: Q1
}
