//go:build unix

package loopback

import (
	"os/exec"
	"syscall"

	"github.com/monosim/monosim/runners/process"
)

// lead makes a program the leader of a new process group. The kernel kills it when this
// program dies.
func lead(cmd *exec.Cmd) {
	process.DieWithParent(cmd)
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// stayAlive lets a program outlive this one, in a process group of its own.
func stayAlive(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills all processes of a group at once. A missing group is no error.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }

// stopSignal stops a process, and goOnSignal lets it continue.
const stopSignal, goOnSignal = syscall.SIGSTOP, syscall.SIGCONT

// send sends a signal to one process.
func send(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }

// exitCode returns the exit code of an ended process. A process ended by a signal has the
// negative signal number, as -9 for SIGKILL.
func exitCode(cmd *exec.Cmd) int {
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -int(status.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// supportedHere returns nil, because this system has process groups and enough loopback
// addresses.
func supportedHere() error { return nil }

// makePipe makes a named pipe.
func makePipe(name string) error { return syscall.Mkfifo(name, 0o600) }
