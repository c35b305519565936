package testee

import "os/exec"

// ownGroup does nothing on Windows, so processes that the program starts may outlive it.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
