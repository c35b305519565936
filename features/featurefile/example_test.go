package featurefile_test

import (
	"fmt"
	"strconv"

	"github.com/monosim/monosim/features/featurefile"
)

// This parses a file that begins with a byte order mark and is indented with ideographic spaces.
func Example() {
	n := 0
	newID := func() string { n++; return strconv.Itoa(n) }
	doc, err := featurefile.Parse("\ufeffFeature: Pods\n\n\u3000Scenario: All run\u3000\n\u3000\u3000Then every pod runs\n", "pods.feature", newID)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range featurefile.Pickles(doc, newID) {
		fmt.Printf("%s:%d: %s: %s\n", p.Uri, p.Location.Line, p.Name, p.Steps[0].Text)
	}
	// Output: pods.feature:3: All run: every pod runs
}
