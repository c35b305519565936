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
