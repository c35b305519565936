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
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || int(min(limit.Max, 1<<30)) >= want {
		return
	}
	set(&limit.Cur, want)
	set(&limit.Max, want)
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // openFiles tells
}

// set sets a limit, whose type differs from system to system.
func set[T int64 | uint64](limit *T, to int) { *limit = T(to) }
