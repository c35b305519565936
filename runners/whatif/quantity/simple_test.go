package quantity_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Goal: durations are read as Go writes them, and no other text is taken for one. Method: values by hand.
func TestDurationsOfSeveralUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{ //lint:order each is read alone
		"2m45s": 165 * time.Second, "1h0m30.5s": time.Hour + 30500*time.Millisecond, "-1m30s": -90 * time.Second, "+1m30s": 90 * time.Second,
		"1d12h": 36 * time.Hour, "1.5h30m": 2 * time.Hour, "1s1ns": time.Second + 1, "1ms500us": 1500 * time.Microsecond, "1ms500µs": 1500 * time.Microsecond,
		"1,500ms": 1500 * time.Millisecond, "2 s": 2 * time.Second, "0s": 0,
	} {
		if got, err := quantity.Parse(quantity.Duration, text); err != nil || got != float64(want) {
			t.Errorf("%s: got %g, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"45s2m", "2m3m", "2m45", "m45s", "2m 45s", "2m-45s", "1,50ms", "1,5000ms", ",500ms", "2m45sx", "1h2", "1..5h2m"} {
		if got, err := quantity.Parse(quantity.Duration, text); err == nil {
			t.Errorf("%q: got %g, want an error", text, got)
		} else if !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %q, which doesn't say what was found", text, err)
		}
	}
	for text, want := range map[string]string{ //lint:order each is read alone
		"exp(mean=1m30s)": "exp(mean=90s)", "gamma(mean=1m0.5s, cv=0.5)": "gamma(mean=60.5s, cv=0.5)", "p99(request) <= 50ms": "p99(request) <= 50ms",
		"a1m30s": "a1m30s",
	} {
		if got := quantity.Simple(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// Goal: whatever a report or an error prints can be typed back. Method: values of all sizes in each kind, in the forms
// of plans, which lose nothing, and of reports, which have so many digits.
func TestWhatIsPrintedCanBeTyped(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	most := map[quantity.Kind]float64{quantity.Count: 1e12, quantity.Duration: 1e16, quantity.Bytes: 1e17, quantity.ByteRate: 1e12, quantity.Rate: 1e9, quantity.Cost: 1e9, quantity.Percent: 1e6, quantity.Factor: 1e9, quantity.Number: 9e3}
	for kind, top := range most { //lint:order each is checked alone
		for range 3000 {
			v := math.Exp(rng.Float64() * math.Log(top))
			if kind == quantity.Count || kind == quantity.Duration || kind == quantity.Bytes {
				v = math.Round(v)
			}
			for _, text := range []string{quantity.Format(kind, v), quantity.Text(kind, v, 3), quantity.Text(kind, v, 4), quantity.Text(kind, v, 6)} {
				got, err := quantity.Parse(kind, text)
				if err != nil || math.Abs(got-v) > 0.009*v+1 {
					t.Fatalf("%s of %g is printed as %s, and read as %g, %v", kind, v, text, got, err)
				}
			}
		}
	}
}

// Goal: an amount of money is read as reports print it, with the currency, and no other unit is taken for one.
func TestMoneyMayHaveItsCurrency(t *testing.T) {
	for text, want := range map[string]float64{"4.2 $/h": 4.2, "4.2$/h": 4.2, "1,234 €/h": 1234, "12.3 k $/h": 12300, "0.5 USD/h": 0.5, "3/h": 3, "2 M/h": 2e6} { //lint:order each is read alone
		if got, err := quantity.Parse(quantity.Cost, text); err != nil || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: got %g, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"4.2 $", "4.2 GB/h", "4.2 ms/h", "4.2 $ $/h", "$/h"} {
		if got, err := quantity.Parse(quantity.Cost, text); err == nil {
			t.Errorf("%q: got %g, want an error", text, got)
		}
	}
	if got, err := quantity.Parse(quantity.Rate, "4.2 $/h"); err == nil {
		t.Errorf("a rate in dollars is %g", got)
	}
}
