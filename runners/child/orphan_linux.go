package child

import (
	"os/exec"
	"syscall"
)

// DieWithParent lets the kernel end a program when this program ends without
// having closed it, as a test that runs out of time does.
func DieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
