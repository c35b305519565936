package soak

import (
	"testing"
	"time"
)

// Goal: the simulated cluster comes back from every kill, soon.
func TestBounds(t *testing.T) {
	bounds, err := Bounds()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Victims() {
		if b := bounds[v]; b <= 0 || b > 5*time.Minute {
			t.Errorf("%s: got %v, want more than nothing and at most five minutes", v, b)
		}
	}
	t.Log(bounds)
}
