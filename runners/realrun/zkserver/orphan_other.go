//go:build !linux

package zkserver

import "os/exec"

// dieWithParent is for Linux only.
func dieWithParent(*exec.Cmd) {}
