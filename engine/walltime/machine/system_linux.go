package machine

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill a child if this program ends before the child.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
