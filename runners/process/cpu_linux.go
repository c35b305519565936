package process

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time that all threads of a process have used, in user space and in the
// kernel. It does not count child processes. It fails if there is no such process.
func CPU(pid int) (time.Duration, error) {
	const most = 1 << 22 // the kernel's largest pid (PID_MAX_LIMIT)
	if pid < 1 || pid > most {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, unix.ESRCH)
	}
	// ofProcess selects the clock that counts the time the scheduler gave to all threads
	// (clock_getcpuclockid).
	const ofProcess = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|ofProcess), &t); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
