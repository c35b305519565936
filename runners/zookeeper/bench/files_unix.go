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
