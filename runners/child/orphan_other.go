//go:build !linux

package child

import "os/exec"

// DieWithParent is for Linux only.
func DieWithParent(*exec.Cmd) {}
