package process

import (
	"fmt"
	"os"
	"strings"
)

// Resident returns the bytes of memory that a process holds. It fails if there is no such
// process, or no /proc.
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

// Runs reports whether the process with this pid and start time still runs. started is the 22nd
// field of /proc/PID/stat. A later process with the same pid has another start time. A zombie does
// not run.
func Runs(pid int, started string) bool {
	fields, err := status(pid)
	return err == nil && fields[starttime] == started && fields[state] != "Z" && fields[state] != "X"
}

// Started returns the start time of a process in the form that [Runs] takes, or "?" if it cannot be
// read.
func Started(pid int) string {
	fields, err := status(pid)
	if err != nil {
		return "?"
	}
	return fields[starttime]
}

// These are indexes into the result of [status]. proc(5) counts fields from 1, and the first field
// after the program's name has the number 3.
const (
	behindName = 3
	state      = 0
	starttime  = 22 - behindName
)

// status returns the fields of /proc/PID/stat after the program's name. Fields are separated by
// spaces. Only the name, which is in parentheses, may contain spaces itself.
func status(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) <= starttime {
		return nil, fmt.Errorf("process %d: found the status %q, want %d fields and more", pid, text, starttime+3)
	}
	return fields, nil
}
