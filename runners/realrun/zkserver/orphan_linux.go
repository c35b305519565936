package zkserver

import (
	"os/exec"
	"syscall"
)

// dieWithParent lets the kernel end the server when this program ends without
// having closed it, as a test that runs out of time does.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
