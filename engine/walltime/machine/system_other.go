//go:build !linux

package machine

import "os/exec"

// dieWithParent does nothing, because only Linux can kill a child with its parent.
func dieWithParent(*exec.Cmd) {}
