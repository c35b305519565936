package machine

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel kill a child when this program ends without having ended
// it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
