package random

import (
	"math/rand"
	"testing"
)

func TestDraw(t *testing.T) {
	seeded := rand.New(rand.NewSource(1))
	t.Log(given(seeded))
	t.Log(rand.Int()) // want `math/rand.Int`
}
