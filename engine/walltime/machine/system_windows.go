package machine

import (
	"io/fs"
	"os"
	"syscall"
)

const errNotDirectory = syscall.ENOTDIR

// executable returns true for every file. On Windows the name decides, and the system checks it
// when the program starts.
func executable(fs.FileInfo) bool { return true }

// syncDirectory does nothing, because Windows cannot flush directories.
func syncDirectory(string) error { return nil }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }

// dieOf ends the program with the exit code by which a shell reports a signal, because Windows has
// no signals.
func dieOf(s syscall.Signal) { os.Exit(128 + int(s)) }
