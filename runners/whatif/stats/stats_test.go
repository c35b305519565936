package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Goal: a claim of at most 1 % passes from the number of requests that CAP-5.5 gives: 459 if
// none exceeds the limit, 662 if one does, 838 if two do.
func TestVerdictsNeedWhatTheBinomialLawSays(t *testing.T) {
	for x, n := range []int64{459, 662, 838} {
		if got := Verdict(n, int64(x), 0.01, 1, 0.99); got != Pass {
			t.Errorf("%d of %d: got %d, want a pass", x, n, got)
		}
		if got := Verdict(n-1, int64(x), 0.01, 1, 0.99); got != Undecided {
			t.Errorf("%d of %d: got %d, want undecided", x, n-1, got)
		}
	}
	if got := Needed(0.01, 0.99); got != 459 {
		t.Errorf("needed: got %d, want 459", got)
	}
	if got := Verdict(10_000, 150, 0.01, 1, 0.99); got != Fail {
		t.Errorf("150 of 10000: got %d, want a fail", got)
	}
	if got := Verdict(10_000, 150, 0.01, 50, 0.99); got != Undecided {
		t.Errorf("150 of 10000 that are worth 200: got %d, want undecided", got)
	}
}

// Goal (G2): confidence intervals cover the true value as often as they claim, and verdicts
// are wrong as rarely as they claim.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const experiments, runs = 2000, 20
	covered, wrong := 0, 0
	for range experiments {
		values := make([]float64, runs)
		n, x := int64(0), int64(0)
		for i := range values {
			for range 50 {
				v := r.ExpFloat64()
				values[i] += v / 50
				n++
				if v > math.Log(100) { // true for exactly 1 % of the values
					x++
				}
			}
		}
		if mean, half := Interval(values, 0.95); math.Abs(mean-1) <= half {
			covered++
		}
		if Verdict(n, x, 0.01, 1, 0.99) == Pass {
			wrong++
		}
	}
	if share := float64(covered) / experiments; share < 0.92 || share > 0.98 {
		t.Errorf("intervals of 95 %% cover the truth in %.1f %%, want 92 to 98", share*100)
	}
	if share := float64(wrong) / experiments; share > 0.015 {
		t.Errorf("verdicts at 99 %% pass what does not in %.2f %%, want at most 1", share*100)
	}
}

// Goal: intervals of shares equal the published Clopper-Pearson tables, are never empty and
// stay within 0 and 1. Parts that vary more than chance explains count as fewer
// observations.
func TestSharesHaveExactIntervals(t *testing.T) {
	for _, c := range []struct {
		n         int64
		x         float64
		low, high float64
	}{{10, 0, 0, 0.3085}, {10, 10, 0.6915, 1}, {20, 1, 0.00127, 0.2487}, {100, 10, 0.0490, 0.1762}, {0, 0, 0, 1}} {
		_, low, high, _ := new(Related).Share([]int64{c.n}, []float64{c.x}, 0.95)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%g of %d: got [%.5f, %.5f], want [%.5f, %.5f]", c.x, c.n, low, high, c.low, c.high)
		}
	}
	_, low, high, _ := new(Related).Share([]int64{100, 100, 100, 100}, []float64{10, 10, 10, 10}, 0.95)
	_, apartLow, apartHigh, _ := new(Related).Share([]int64{100, 100, 100, 100}, []float64{0, 0, 20, 20}, 0.95)
	if !(apartLow < low && high < apartHigh && apartLow >= 0) {
		t.Errorf("parts alike give [%g, %g], parts apart [%g, %g]: want the second wider", low, high, apartLow, apartHigh)
	}
}

// Goal: few events have the limits of a Poisson count, and many none. Method: the published exact
// limits at 95 % (0: 3.689; 1: 0.0253 to 5.572; 10: 4.795 to 18.39), over ten replications.
func TestFewEventsHaveTheLimitsOfPoisson(t *testing.T) {
	for k, want := range map[int][2]float64{0: {0, 0.3689}, 1: {0.00253, 0.5572}, 10: {0.4795, 1.839}} {
		low, high, ok := Few(float64(k)/10, 10, 0.95)
		if !ok || math.Abs(low-want[0]) > 1e-4 || math.Abs(high-want[1]) > 1e-3 {
			t.Errorf("%d in 10: got [%.5f, %.5f] %v, want %v", k, low, high, ok, want)
		}
	}
	if _, _, ok := Few(100, 10, 0.95); ok {
		t.Error("a thousand are few")
	}
}

// Goal: where few groups of observations count, a share is worth no more independent observations
// than the plan or larger shares have it, and where many do, what the parts show. Method: parts
// without variation, of which a Floor of 100 and larger shares with a known inflation are told.
func TestFewGroupsAreWorthWhatIsKnownOfThem(t *testing.T) {
	n, few := []int64{10_000, 10_000, 10_000, 10_000}, []float64{100, 100, 100, 100}
	apart := []float64{400, 400, 400, 1200}
	shown := float64(VIF(n, []int64{400, 400, 400, 1200}))
	wider := T(0.95, 3) / 1.959963984540054
	for _, c := range []struct {
		name     string
		related  Related
		x        []float64
		expected float64
		want     float64
	}{
		{"nothing known", Related{Floor: 1}, few, 400, 1},
		{"a floor", Related{Floor: 100}, few, 400, 100},
		{"a floor, and many groups", Related{Floor: 10}, few, 400, 1},
		{"a larger share", Related{Floor: 10, N: n, More: [][]float64{few, apart}}, few, 299, shown * wider * wider},
		{"a larger share, and many groups", Related{Floor: 10, N: n, More: [][]float64{few, apart}}, few, 301, 1},
		{"what the parts show, and a floor below it", Related{Floor: 2}, apart, 2400, shown * wider * wider},
	} {
		if got := c.related.Inflation(n, c.x, c.expected, 0.95); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%s: got %g, want %g", c.name, got, c.want)
		}
	}
	related := Related{Floor: 100}
	if _, low, high, groups := related.Share(n, few, 0.95); groups != 4 || math.Abs(low-0.00273) > 1e-5 || math.Abs(high-0.02541) > 1e-4 {
		t.Errorf("got [%.5f, %.5f] of %g groups, want that of 4 in 400", low, high, groups)
	}
}

func TestMSERCutsARampOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	flat, ramp := make([]float64, 200), make([]float64, 200)
	for i := range flat {
		flat[i] = 1 + 0.01*r.NormFloat64()
		ramp[i] = flat[i] - math.Max(0, 1-float64(i)/30)
	}
	if cut, ok := MSER5(flat); cut > 50 || !ok {
		t.Errorf("flat: got a cut of %d, stationary %v", cut, ok)
	}
	if cut, ok := MSER5(ramp); cut < 20 || cut > 60 || !ok {
		t.Errorf("ramp of 30: got a cut of %d, stationary %v", cut, ok)
	}
	rising := make([]float64, 200)
	for i := range rising {
		rising[i] = float64(i)
	}
	if cut, ok := MSER5(rising); ok {
		t.Errorf("a rise without end: got a cut of %d and stationary", cut)
	}
}

func TestCommonRandomNumbersNarrowDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := make([]float64, 50), make([]float64, 50)
	for i := range a {
		common := r.NormFloat64()
		a[i], b[i] = common+0.1*r.NormFloat64(), common+0.5+0.1*r.NormFloat64()
	}
	meanA, _ := Mean(a)
	meanB, _ := Mean(b)
	d := meanA - meanB
	half, reduction := Paired(d, a, b, 0.95)
	if math.Abs(d+0.5) > half+0.05 || reduction < 10 {
		t.Errorf("got %g +- %g with reduction %g", d, half, reduction)
	}
}

// Goal: a mean of parts of different sizes is that of all observations, and its interval that of a
// ratio. Method: parts of equal sizes, of which both are those of the means; two parts by hand.
func TestARatioIsOfAllObservations(t *testing.T) {
	means := []float64{3, 5, 4, 8}
	mean, half := Interval(means, 0.95)
	if ratio, by := Ratio([]int64{7, 7, 7, 7}, means, 0.95); math.Abs(ratio-mean) > 1e-12 || math.Abs(by-half) > 1e-12 {
		t.Errorf("got %g +- %g of equal parts, want %g +- %g", ratio, by, mean, half)
	}
	// one observation of 1, three of 3: 10/4; both pull it by (mean - 2.5) n / 2 = 0.75, so that
	// s^2/R is 0.75^2, and t of one degree of freedom at 50 % is 1
	if ratio, by := Ratio([]int64{1, 3}, []float64{1, 3}, 0.5); ratio != 2.5 || math.Abs(by-0.75) > 1e-12 {
		t.Errorf("got %g +- %g, want 2.5 +- 0.75", ratio, by)
	}
	if ratio, by := Ratio([]int64{4}, []float64{2}, 0.95); ratio != 2 || !math.IsNaN(by) {
		t.Errorf("got %g +- %g of one part, want 2 and no interval", ratio, by)
	}
}

// Goal: the interval of a quantile over all observations covers the true value as often as
// it claims. An interval around the mean of the parts' quantiles does not, because the parts
// are small (CAP-12.15). Method: parts of 120 exponential values, whose p99 is known.
func TestQuantilesOfAllAreCovered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const experiments, runs, each, q = 500, 20, 120, 0.99
	covered, old := 0, 0
	for range experiments {
		var all, parts []float64
		for range runs {
			var part []float64
			for range each {
				part = append(part, r.ExpFloat64())
			}
			slices.Sort(part)
			parts = append(parts, part[int(math.Ceil(q*each))-1])
			all = append(all, part...)
		}
		slices.Sort(all)
		whole := all[int(math.Ceil(q*runs*each))-1]
		if math.Abs(whole-math.Log(100)) <= Sectioned(whole, parts, 0.95) {
			covered++
		}
		if mean, half := Interval(parts, 0.95); math.Abs(mean-math.Log(100)) <= half {
			old++
		}
	}
	if share := float64(covered) / experiments; share < 0.92 || share > 0.98 {
		t.Errorf("intervals of 95 %% cover p99 in %.1f %%, want 92 to 98", share*100)
	}
	if share := float64(old) / experiments; share > 0.85 {
		t.Errorf("the mean of the parts is covered in %.1f %%: want parts so small that it is not", share*100)
	}
}

// Goal: quantiles of Student's t and ranks of order statistics equal those of gonum's distuv bit
// by bit. The program itself does without that package.
func TestQuantilesAreGonums(t *testing.T) {
	for _, confidence := range []float64{0, 0.5, 0.9, 0.95, 0.99, 0.999} {
		for _, n := range []int64{1, 2, 3, 10, 29, 100, 10_000} {
			want := distuv.StudentsT{Sigma: 1, Nu: float64(n)}.Quantile(0.5 + confidence/2)
			if got := T(confidence, float64(n)); got != want {
				t.Errorf("T of %g and %d degrees: got %g, want %g", confidence, n, got, want)
			}
			b := distuv.Binomial{N: float64(n), P: 0.9}
			z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
			wantLow := max(1, int64(math.Floor(b.Mean()-float64(z*b.StdDev()))))
			if low, _ := OrderInterval(n, 0.9, confidence); low != wantLow {
				t.Errorf("ranks of %d values at %g: got %d at least, want %d", n, confidence, low, wantLow)
			}
		}
	}
}
