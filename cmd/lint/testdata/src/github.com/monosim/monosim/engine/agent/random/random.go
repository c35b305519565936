package random

import (
	"math/rand"
	v2 "math/rand/v2"
)

func draw() int {
	rand.Shuffle(2, func(i, j int) {}) // want `math/rand.Shuffle`
	return rand.Intn(6) + v2.IntN(6)   // want `math/rand.Intn .*: draw from env.Random` `math/rand/v2.IntN`
}

var own = rand.New(rand.NewSource(1)) // want `math/rand.New ` `math/rand.NewSource`

// A stream that was handed in has its seed elsewhere.
func given(r *rand.Rand) int { return r.Intn(6) }
