//go:build !linux

package machine

import "os/exec"

// dieWithParent does nothing, because only Linux can kill a child when its parent ends.
func dieWithParent(*exec.Cmd) {}
