package process

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Resident returns how many bytes of memory a process has. It is an error when there is
// no such process, or no /proc.
func Resident(pid int) (bytes int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kB); n == 1 {
			return kB << 10, nil
		}
	}
	return 0, fmt.Errorf("process %d: found no VmRSS in its status", pid)
}

// tick is the unit of times in /proc (USER_HZ), on all platforms that Go knows.
const tick = 10 * time.Millisecond

// CPU returns for how long all threads of a process have run, in user space and in the
// kernel. The time of its children is not counted. Errors are as with Resident.
func CPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// Fields are separated by spaces, and only the second, the program's name in
	// parentheses, can have some itself; utime and stime are the 14th and 15th.
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const utime, stime = 14 - 3, 15 - 3
	var user, system int64
	if len(fields) > stime {
		_, err = fmt.Sscan(fields[utime]+" "+fields[stime], &user, &system)
	}
	if err != nil || len(fields) <= stime {
		return 0, fmt.Errorf("process %d: found the status %q, want times in it", pid, text)
	}
	return time.Duration(user+system) * tick, nil
}
