package pictures

import (
	"math"
	"testing"
)

// TestColoursThereAndBack goes through the colours of a cube. As hue, saturation and value and back,
// each must be what it was; hue and saturation must lie in [0, 1].
func TestColoursThereAndBack(t *testing.T) {
	const steps = 12
	for i := range (steps + 1) * (steps + 1) * (steps + 1) {
		want := [3]float64{float64(i%(steps+1)) / steps, float64(i/(steps+1)%(steps+1)) / steps, float64(i/(steps+1)/(steps+1)) / steps}
		hsv := toHSV(want[0], want[1], want[2])
		if !(hsv[0] >= 0 && hsv[0] <= 1 && hsv[1] >= 0 && hsv[1] <= 1) {
			t.Errorf("%v: got hue %v and saturation %v, want 0 to 1", want, hsv[0], hsv[1])
		}
		got := toRGB(hsv[0], hsv[1], hsv[2])
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-12 {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
}
