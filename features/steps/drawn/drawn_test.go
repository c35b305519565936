package drawn_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/features/steps/drawn"
)

// A dial's numbers depend only on the seed and the dial's name.
func ExampleNew() {
	a, b := drawn.New(7, "act 0 what"), drawn.New(7, "act 0 what")
	fmt.Println(a.N(100) == b.N(100), drawn.New(7, "act 1 what").Uint64() == drawn.New(7, "act 0 what").Uint64())
	// Output: true false
}

// Goal: similar seeds, and similar names of dials, give unrelated numbers. Method: count how often
// each of 16 numbers is drawn first by 1,000 neighbours.
func TestNeighboursDrawAllNumbers(t *testing.T) {
	for name, dial := range map[string]func(i int) *drawn.Dial{
		"seeds": func(i int) *drawn.Dial { return drawn.New(uint64(i), "acts") },
		"names": func(i int) *drawn.Dial { return drawn.New(1, fmt.Sprint("act ", i)) },
	} {
		counts := make([]int, 16)
		for i := range 1000 {
			counts[dial(i).N(16)]++
		}
		if slices.Min(counts) < 30 || slices.Max(counts) > 110 {
			t.Errorf("%s: numbers 0 to 15 came %v times of 1,000, want each some 62 times", name, counts)
		}
	}
}

// Goal: a written duration reads back as the same duration, and plainer durations are shorter.
func TestDurationsArePlainer(t *testing.T) {
	for _, d := range []time.Duration{time.Millisecond, 999 * time.Millisecond, time.Second, 1500 * time.Millisecond, 59 * time.Second, time.Minute, 90 * time.Second, 128123 * time.Millisecond, 2 * time.Hour} {
		text := drawn.Say(d)
		if back, err := time.ParseDuration(text); err != nil || back != d {
			t.Errorf("%v is written %q, read as %v (%v)", d, text, back, err)
		}
		for _, plain := range drawn.PlainerDurations(text) {
			if p, err := time.ParseDuration(plain); err != nil || p >= d || p <= 0 {
				t.Errorf("%q is said to be plainer than %q, want a shorter time (%v)", plain, text, err)
			}
		}
	}
	if got := drawn.PlainerDurations("128.123s"); !slices.Contains(got, "10s") || !slices.Contains(got, "128s") {
		t.Errorf("plainer than 128.123s: got %q, want 10s and 128s among them", got)
	}
}
