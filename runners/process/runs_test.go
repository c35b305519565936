package process

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// Goal: Runs distinguishes a process from a later process with the same pid. A process that has
// ended no longer runs, even if its parent has not waited for it yet.
func TestRuns(t *testing.T) {
	ours, err := status(os.Getpid())
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	if !Runs(os.Getpid(), ours[starttime]) {
		t.Error("this process: got that it does not run")
	}
	if Runs(os.Getpid(), ours[starttime]+"0") {
		t.Error("another process with the pid of this one: got that it runs")
	}
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no cat to start: ", err)
	}
	child, err := status(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	for end := time.Now().Add(time.Minute); Runs(cmd.Process.Pid, child[starttime]); {
		if time.Now().After(end) {
			t.Fatal("a process that has ended: got that it runs after a minute")
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
