package law

import (
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Goal: the tail probabilities of each family equal those of gonum bit by bit. The program
// itself does not use gonum.
func TestTailsAreGonums(t *testing.T) {
	type family interface {
		Survival(x float64) float64
		Quantile(p float64) float64
	}
	for text, of := range map[string]func(Law) family{
		"exp(mean=2ms)":               func(l Law) family { return distuv.Exponential{Rate: 1 / l.Mean} },
		"lognormal(mean=2ms, cv=0.5)": func(l Law) family { return distuv.LogNormal{Mu: l.scale, Sigma: l.Sigma} },
		"gamma(mean=2ms, cv=1.5)":     func(l Law) family { return distuv.Gamma{Alpha: l.Shape, Beta: 1 / l.scale} },
		"weibull(mean=2ms, k=0.8)":    func(l Law) family { return distuv.Weibull{K: l.Shape, Lambda: l.scale} },
		"uniform(1ms, 3ms)":           func(l Law) family { return distuv.Uniform{Min: l.Low, Max: l.High} },
	} {
		l, err := Parse(Times, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := of(l)
		for i := range 1000 {
			p := float64(i+1) / 1001
			x := want.Quantile(p)
			if got := l.Above(x, 0); got != want.Survival(x) {
				t.Errorf("%s: above %g: got %g, want %g", text, x, got, want.Survival(x))
			}
			if got := l.Quantile(p, 0); got != x && l.Kind != Uniform {
				t.Errorf("%s: quantile of %g: got %g, want %g", text, p, got, x)
			}
		}
	}
}
