package judge

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Goal: rank correlations equal those of gonum bit by bit. The program itself does not use
// gonum.
func TestCorrelationsAreGonums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 3; n < 60; n++ {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(r.IntN(n)), float64(r.IntN(n))
		}
		a, b := ranks(x), ranks(y)
		if got, want := correlation(a, b), stat.Correlation(a, b, nil); got != want {
			t.Errorf("%v and %v: got %g, want %g", a, b, got, want)
		}
	}
}
