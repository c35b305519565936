//go:build !linux

package zkserver

import "os/exec"

// DieWithParent is for Linux only.
func DieWithParent(*exec.Cmd) {}
