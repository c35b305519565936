package process

import (
	"os/exec"
	"syscall"
)

// DieWithParent makes the kernel kill the program if this process ends first, as a test that runs
// out of time does. Call it before cmd.Start, because it sets cmd.SysProcAttr.
func DieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
