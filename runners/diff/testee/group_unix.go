//go:build unix

package testee

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a program its own process group, so that killGroup also ends the processes that
// the program has started.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
