package model

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Goal: a window can be given up before its end, and is the same to the event when nobody does.
// Method: a fan-out with a halt that never comes beside one without, and halts at once and at the
// fifth question, of which no more are asked than that.
func TestAWindowThatIsNotWantedAnyMoreEnds(t *testing.T) {
	s := fan(2, 2, 1, 1)
	want, err := s.Run(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	got, err := s.RunUnless(func() bool { asked++; return false }, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Sample{}), cmp.AllowUnexported(Hist{})); diff != "" {
		t.Errorf("asking changes the sample (-not asked +asked):\n%s", diff)
	}
	if want.Hash != got.Hash || asked < 20 {
		t.Errorf("hash %x, want %x; asked %d times in 2 s, want every 100 ms", got.Hash, want.Hash, asked)
	}
	for _, at := range []int{1, 5} {
		asked = 0
		one, err := s.RunUnless(func() bool { asked++; return asked >= at }, 0, 3)
		if one != nil || !errors.Is(err, ErrHalted) || asked != at {
			t.Errorf("halt at question %d: got %v, %v after %d questions, want ErrHalted", at, one, err, asked)
		}
	}
}
