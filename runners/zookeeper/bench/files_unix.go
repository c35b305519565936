//go:build unix

package bench

import "syscall"

// openFiles is how many files a process may have open.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30)) // the Go runtime has raised it as far as it may
}

// raiseFiles raises how many files this process may have open, and those that it starts
// from now on, where the system lets it.
func raiseFiles(want int) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Max >= uint64(want) {
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(want), Max: uint64(want)}) // openFiles tells
}
