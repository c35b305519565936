package model

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Goal: the simulation of a window can be stopped early, and a halt function that never
// stops it changes nothing. Method: a run with such a function is compared with a run
// without one. Further runs are halted at the first and at the fifth question, after which
// no more questions are asked.
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
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Sample{}), cmp.AllowUnexported(Hist{}, bar{})); diff != "" {
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
