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

// syncDirectory flushes a directory to the disk, so that new and renamed entries survive a crash.
func syncDirectory(path string) error { return syncPath(path) }

// exitCode returns the exit code as Python's Popen does. It is -n for a process that signal n
// ended.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -int(status.Signal())
	}
	return state.ExitCode()
}

// dieOf ends the program by a signal, which its parent can see. A program that was started with the
// signal ignored, as by nohup, would survive. It exits instead with the code by which a shell
// reports the signal.
func dieOf(s syscall.Signal) {
	if signal.Ignored(s) {
		os.Exit(128 + int(s))
	}
	signal.Reset(s)
	if err := syscall.Kill(os.Getpid(), s); err != nil {
		os.Exit(128 + int(s))
	}
	select {} // the signal is about to end this process
}
