//go:build !linux

package process

import "os/exec"

// DieWithParent does nothing: only Linux has such a signal.
func DieWithParent(*exec.Cmd) {}
