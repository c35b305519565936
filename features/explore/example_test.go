package explore_test

import (
	"context"
	"fmt"

	"github.com/monosim/monosim/features/explore"
	"github.com/monosim/monosim/runners/test/simrun"
)

// A hunt runs some random stories in each world, and reports failures as scenarios.
func ExampleHunt() {
	h := explore.Hunt{Runner: &simrun.Runner{}, Worlds: explore.Worlds()[:1], Seed: 1, Seeds: 1}
	tally, err := h.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tally.Stories, "story")
	// Output: 1 story
}
