//go:build unix

package bench

import "syscall"

// openFiles returns how many files this process may have open, 0 if the limit cannot be read.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30)) // the Go runtime has raised the soft limit to the hard one
}

// raiseFiles raises the number of files that this process and its future children may have
// open, if the system allows it.
func raiseFiles(want int) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || int(min(limit.Max, 1<<30)) >= want {
		return
	}
	set(&limit.Cur, want)
	set(&limit.Max, want)
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) // the error is not looked at: openFiles shows whether it worked
}

// set sets a field of a resource limit. The field is int64 or uint64, depending on the system.
func set[T int64 | uint64](limit *T, to int) { *limit = T(to) }
