package process

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns for how long all threads of a process have run, in user space and in the kernel, in
// nanoseconds. It does not count the process's children. It fails if there is no such process.
func CPU(pid int) (time.Duration, error) {
	const most = 1 << 22 // the kernel's largest pid (PID_MAX_LIMIT)
	if pid < 1 || pid > most {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, unix.ESRCH)
	}
	// The clock that counts the time the scheduler gave to all threads (clock_getcpuclockid).
	const ofProcess = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|ofProcess), &t); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
