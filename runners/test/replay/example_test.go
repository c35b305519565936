package replay_test

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
	"github.com/monosim/monosim/runners/test/replay"
)

// testDice stands for a test of your own, TestDice(t *testing.T).
func testDice(t testing.TB) {
	seed := replay.Seed(t, 0) // MONOSIM_SEED, or 1
	t.Fatalf("the dice fell badly with seed %d, replay with: %s", seed, replay.Command(t, seed))
}

// tbtest.Attempt takes the place of go test here.
func Example() {
	fmt.Println(tbtest.Attempt("TestDice/of_two", testDice).Said[0])

	// Output:
	// the dice fell badly with seed 1, replay with: MONOSIM_SEED=1 go test github.com/monosim/monosim/runners/test/replay -run '^TestDice$/^of_two$'
}
