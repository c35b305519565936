package sequences

import (
	"testing"

	"github.com/monosim/monosim/sim/tfserving/graph/ops"
)

// whole is a sequence example: id is 1 in its context, x has the steps 0.5 and none.
const whole = "\x0a\x0d\x0a\x0b\x0a\x02id\x12\x05\x1a\x03\x0a\x01\x01" +
	"\x12\x15\x0a\x13\x0a\x01x\x12\x0e\x0a\x08\x12\x06\x0a\x04\x00\x00\x00\x3f\x0a\x02\x12\x00"

// TestReadsWhatIsThere reads a whole example, and whatever is left of it when its end is cut off:
// that is refused, or is an example with less, and never more.
func TestReadsWhatIsThere(t *testing.T) {
	s, ok := read([]byte(whole))
	if !ok || len(s.context) != 1 || len(s.lists["x"]) != 2 {
		t.Fatalf("got %v, %v, want id and two steps of x", s, ok)
	}
	if v, _ := ops.FeatureValue(s.lists["x"][0]); v.Len() != 1 || v.F()[0] != 0.5 {
		t.Errorf("got %v as the first step, want 0.5", v)
	}
	for n := range len(whole) {
		if s, ok := read([]byte(whole[:n])); ok && (len(s.context) > 1 || len(s.lists["x"]) > 0) {
			t.Errorf("the first %d bytes: got %v", n, s)
		}
	}
}
