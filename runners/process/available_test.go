package process_test

import (
	"os"
	"testing"

	"github.com/monosim/monosim/runners/process"
)

func TestAvailableIsMoreThanWhatThisProcessHas(t *testing.T) {
	available, err := process.Available()
	if err != nil {
		t.Skip(err) // no Linux
	}
	own, err := process.Resident(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if available <= own/2 {
		t.Errorf("got %d bytes, want more than half of the %d that are there", available, own)
	}
}
