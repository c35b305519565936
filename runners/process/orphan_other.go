//go:build !linux

package process

import "os/exec"

// DieWithParent does nothing: only Linux can do it.
func DieWithParent(*exec.Cmd) {}
