package pyset_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/pyset"
)

// This example prints a set in the order of Python: PYTHONHASHSEED=1 python3.11 -c
// 'print(set(["entry", "ps_0"]))', and the same with seed 2. With seed 0 the set is sorted.
func ExampleStrings() {
	for seed := range uint32(3) {
		h := pyset.HashingOf(env.Python{HashSeed: seed})
		fmt.Println(seed, pyset.Strings(h, "ps_0", "entry").Keys())
	}
	// Output:
	// 0 [entry ps_0]
	// 1 [ps_0 entry]
	// 2 [entry ps_0]
}
