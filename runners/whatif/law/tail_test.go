package law_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/monosim/monosim/runners/whatif/law"
)

// Goal: the quantiles and tails of a law match its draws. Method: twenty thousand draws of
// each family, a share p of which must be at or below the p-quantile.
func TestQuantilesAreThoseOfDraws(t *testing.T) {
	for _, text := range []string{"3ms", "exp(mean=2ms)", "gamma(mean=2ms, cv=0.4)", "gamma(mean=2ms, cv=1.5)", "lognormal(mean=2ms, cv=0.5)",
		"uniform(1ms, 3ms)", "weibull(mean=2ms, k=0.8)", "erlang(mean=2ms, k=3)", "affine(base=1ms, per_item=10us)"} {
		l, err := law.Parse(law.Times, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		const n, items = 20_000, 50
		rng := rand.New(rand.NewPCG(5, 6))
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = l.Sample(rng, items)
		}
		slices.Sort(draws)
		for _, p := range []float64{0.1, 0.5, 0.9, 0.99} {
			q := l.Quantile(p, items)
			below := float64(slices.IndexFunc(append(slices.Clone(draws), math.Inf(1)), func(v float64) bool { return v > q })) / n
			constant := l.Quantile(0.1, items) == l.Quantile(0.9, items)
			if want := p; !constant && math.Abs(below-want) > 4*math.Sqrt(p*(1-p)/n) || constant && below != 1 {
				t.Errorf("%s: %.4f of draws are at or below the quantile of %g, %g", text, below, p, q)
			}
			if above := l.Above(q, items); !constant && math.Abs(above-(1-p)) > 1e-6 || constant && above != 0 {
				t.Errorf("%s: %g is above the quantile of %g", text, above, p)
			}
		}
		if l.Quantile(0, items) > draws[0] || l.Above(-1, items) != 1 || l.Above(draws[n-1]*1e3, items) > 1e-6 {
			t.Errorf("%s: the least is %g, drawn %g; above it %g", text, l.Quantile(0, items), draws[0], l.Above(-1, items))
		}
	}
}

// Goal: the quantiles of a histogram are those of its weighted values.
func TestQuantilesOfValues(t *testing.T) {
	l := law.Law{Kind: law.Hist, Values: []float64{30, 10, 20}, Weights: []float64{1, 2, 1}}
	for _, c := range []struct{ p, want float64 }{{0, 10}, {0.5, 10}, {0.6, 20}, {0.75, 20}, {0.8, 30}, {1, 30}} {
		if got := l.Quantile(c.p, 0); got != c.want {
			t.Errorf("quantile of %g: got %g, want %g", c.p, got, c.want)
		}
	}
	for _, c := range []struct{ x, want float64 }{{9, 1}, {10, 0.5}, {25, 0.25}, {30, 0}} {
		if got := l.Above(c.x, 0); got != c.want {
			t.Errorf("above %g: got %g, want %g", c.x, got, c.want)
		}
	}
}

// Goal: parsing a law does not round its numbers: 0.5 stays 0.5, and 2.5k is 2500.
func TestNumbersKeepTheirFraction(t *testing.T) {
	l, err := law.Parse(law.Noise, "uniform(0.5, 1.5)", nil)
	if err != nil || l.Low != 0.5 || l.High != 1.5 {
		t.Errorf("got %+v, %v, want 0.5 to 1.5", l, err)
	}
	if l, err := law.Parse(law.Numbers, "det(2.5k)", nil); err != nil || l.Mean != 2500 {
		t.Errorf("got %+v, %v, want 2500", l, err)
	}
}

// Goal: points are met exactly, values between them are interpolated, and the last line
// continues.
func TestPointsLieOnLines(t *testing.T) {
	l, err := law.Parse(law.Times, "points(f)", func(string) (string, error) { return "# items time\n1 100ns\n\n64 226ns\n128 200ns\n256 456ns\n", nil })
	if err != nil {
		t.Fatal(err)
	}
	for items, want := range map[float64]float64{0: 100, 1: 100, 2: 102, 64: 226, 96: 213, 128: 200, 256: 456, 512: 968} {
		if got := l.MeanOf(items); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g items: got %g, want %g", items, got, want)
		}
		if got := l.Scaled(2).MeanOf(items); math.Abs(got-2*want) > 1e-9 {
			t.Errorf("%g items, twice as slow: got %g, want %g", items, got, 2*want)
		}
	}
	for x, want := range map[float64]float64{50: 0, 150: 26, 712: 384} {
		if got := l.ItemsAbove(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("above %g: got from %g items on, want %g", x, got, want)
		}
	}
	if l.Min() != 100 || l.Slope(200) != 2 || l.Last() != 456 || !l.OfItems() {
		t.Errorf("got %g, %g, %g, %v", l.Min(), l.Slope(200), l.Last(), l.OfItems())
	}
}
