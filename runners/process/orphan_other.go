//go:build !linux

package process

import "os/exec"

// DieWithParent does nothing here, because only Linux can send a signal when the parent dies.
func DieWithParent(*exec.Cmd) {}
