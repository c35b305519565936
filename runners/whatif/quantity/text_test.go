package quantity_test

import (
	"testing"
	"time"

	"github.com/monosim/monosim/runners/whatif/quantity"
)

// Goal: a value that was computed is written in one way, with no more digits than were asked for,
// and none with an exponent because it is next to the next unit. Method: values by hand.
func TestComputedValuesAreShort(t *testing.T) {
	for _, c := range []struct {
		kind   quantity.Kind
		value  float64
		digits int
		want   string
	}{
		{quantity.Duration, 1.000000003e9, 3, "1 s"},
		{quantity.Duration, 999.96e6, 3, "1 s"},
		{quantity.Duration, 999.96e6, 4, "1 s"},
		{quantity.Duration, 999.4e6, 3, "999 ms"},
		{quantity.Duration, 3333333333, 3, "3.33 s"},
		{quantity.Duration, 59.97e9, 3, "1m0s"},
		{quantity.Duration, float64(4*time.Minute + 4949*time.Millisecond), 3, "4m5s"},
		{quantity.Duration, float64(4*time.Minute + 4949*time.Millisecond), 4, "4m4.9s"},
		{quantity.Duration, 0, 3, "0 ns"},
		{quantity.Duration, -46.84e6, 3, "-46.8 ms"},
		{quantity.Rate, 999.7, 3, "1,000/s"},
		{quantity.Rate, 993.2, 3, "993/s"},
		{quantity.Rate, 1234, 3, "1,234/s"},
		{quantity.Rate, 9999.7, 3, "10 k/s"},
		{quantity.Rate, 999_700, 3, "1 M/s"},
		{quantity.Number, 999_960_000, 3, "1 G"},
		{quantity.Number, 12_346, 4, "12.35 k"},
		{quantity.Bytes, 999.7, 3, "0.976 KiB"},
		{quantity.Bytes, 72.5 * (1 << 30), 3, "72.5 GiB"},
		{quantity.Percent, 0.0123456, 3, "1.23 %"},
		{quantity.Percent, 9.997, 3, "1,000 %"},
		{quantity.Percent, 123.456, 3, "12,300 %"},
		{quantity.Percent, 99.996, 4, "10,000 %"},
		{quantity.Percent, -12345.6, 4, "-1,235,000 %"},
		{quantity.Factor, 123456, 3, "123,000x"},
	} {
		if got := quantity.Text(c.kind, c.value, c.digits); got != c.want {
			t.Errorf("%g with %d digits: got %q, want %q", c.value, c.digits, got, c.want)
		}
	}
}
