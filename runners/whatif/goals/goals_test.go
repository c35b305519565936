package goals

import "testing"

func TestNoRequestAllocates(t *testing.T) {
	got, err := Allocations()
	if err != nil {
		t.Fatal(err)
	}
	if got > 0.001 {
		t.Errorf("got %g allocations a request, want 0", got)
	}
}

func TestEnginesGiveTheSameBytes(t *testing.T) {
	if _, err := Equality(); err != nil {
		t.Error(err)
	}
}

// The search finds what simulating every cell finds (G8).
func TestTheSearchFindsWhatTheGridFinds(t *testing.T) {
	questions := 20
	if testing.Short() {
		questions = 3
	}
	c, err := SearchAndGrid(questions)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Different {
		t.Error(d)
	}
	if c.Same <= questions/2 {
		t.Errorf("%d of %d questions were answered, want more than half", c.Same, questions)
	}
}
