package lists_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/lists"
)

func Example() {
	words := []string{"a", "list", "of", "words"}
	fmt.Println(lists.Map(words, func(w string) int { return len(w) }))
	fmt.Println(lists.Filter(words, func(w string) bool { return len(w) > 2 }))
	// Output:
	// [1 4 2 5]
	// [list words]
}
