//go:build unix

package testee

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a program its own process group, so that the processes it starts end with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
