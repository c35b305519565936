package quantity_test

import (
	"testing"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Goal: Multiple keeps the fraction of a number, while Parse of a Count rounds it.
func TestMultiplesKeepTheirFraction(t *testing.T) {
	for _, c := range []struct {
		text        string
		want, count float64
	}{{"1.5", 1.5, 2}, {"2.5k", 2500, 2500}, {"0.5", 0.5, 1}, {"1e3", 1000, 1000}, {"3M", 3e6, 3e6}} {
		got, err := quantity.Multiple(c.text)
		count, err2 := quantity.Parse(quantity.Count, c.text)
		if err != nil || err2 != nil || got != c.want || count != c.count {
			t.Errorf("%s: got %g, %v and the count %g, %v, want %g and %g", c.text, got, err, count, err2, c.want, c.count)
		}
	}
	for _, text := range []string{"", "ms", "1.5ms", "1.5%", "k"} {
		if got, err := quantity.Multiple(text); err == nil {
			t.Errorf("%q: got %g, want an error", text, got)
		}
	}
}
