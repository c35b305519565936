package loopback

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// Goal: the lateness of a process is how long it waited within a few seconds, and not over
// its life.
func TestLatenessIsThatOfAMoment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says how long threads have waited")
	}
	var l lateness
	for range 5 {
		l.look([]int{os.Getpid()}, false)
	}
	if whole := waited(os.Getpid(), false); l.late() <= 0 || l.late() > whole {
		t.Errorf("got %v, want what this process has waited since its start, at most %v", l.late(), whole)
	}
	old := lateness{waits: map[int][]time.Duration{}}
	for range latenessLooks {
		old.waits[os.Getpid()] = append(old.waits[os.Getpid()], waited(os.Getpid(), false))
	}
	old.look([]int{os.Getpid()}, false)
	if old.late() >= l.late() {
		t.Errorf("got %v, want less than %v: what was before the last looks is over", old.late(), l.late())
	}
	if waited(1<<30, false) != 0 {
		t.Error("a process that is not there has waited")
	}
}
