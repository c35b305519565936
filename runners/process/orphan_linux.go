package process

import (
	"os/exec"
	"syscall"
)

// DieWithParent makes the kernel kill a program if this one ends first, for example a test
// that runs out of time. Call it before cmd.Start; it sets cmd.SysProcAttr.
func DieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
