package machine

import (
	"os/exec"
	"syscall"
)

// dieWithParent lets the kernel kill a child when this program ends before it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
