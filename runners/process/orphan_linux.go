package process

import (
	"os/exec"
	"syscall"
)

// DieWithParent has the kernel kill a program when this one ends without having ended
// it, as a test that runs out of time does. It is called before cmd.Start, and sets
// cmd.SysProcAttr.
func DieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
