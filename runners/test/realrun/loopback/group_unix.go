//go:build unix

package loopback

import (
	"os/exec"
	"syscall"

	"github.com/monosim/monosim/runners/process"
)

// lead makes a program the first of a process group, which ends when this program dies
// without having ended it.
func lead(cmd *exec.Cmd) {
	process.DieWithParent(cmd)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// stayAlive takes back that a program dies with this one.
func stayAlive(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends all processes of a group at once. A group that is gone is no error.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }

// send sends a signal to one process.
func send(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// exitCode is that of a process that has ended; -9 is SIGKILL.
func exitCode(cmd *exec.Cmd) int {
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -int(status.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// supportedHere says nothing: groups of processes and loopback addresses are there.
func supportedHere() error { return nil }
