//go:build unix

package machine

import (
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

const errNotDirectory = syscall.ENOTDIR

func executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }

// syncDirectory makes what was made and renamed in a directory survive a crash.
func syncDirectory(path string) error { return syncPath(path) }

// exitCode returns the code as Python's Popen gives it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -int(status.Signal())
	}
	return state.ExitCode()
}

// dieOf ends the program by a signal, which its parent then sees, or with the exit code that
// a shell tells of it where the program was started with the signal ignored, as below nohup:
// that signal would not come.
func dieOf(s syscall.Signal) {
	if signal.Ignored(s) {
		os.Exit(128 + int(s))
	}
	signal.Reset(s)
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		os.Exit(128 + int(s))
	}
	select {} // the signal is on its way
}
