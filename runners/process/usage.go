package process

import (
	"fmt"
	"os"
	"strings"
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

// Runs reports whether the process runs that has a pid and was started at a time, the 22nd
// field of its /proc/PID/stat: by both it is told from another that got its pid later. One
// that has ended but that its parent has not asked for runs no more.
func Runs(pid int, started string) bool {
	fields, err := status(pid)
	return err == nil && fields[starttime] == started && fields[state] != "Z" && fields[state] != "X"
}

// Fields of /proc/PID/stat behind the program's name, which is the second of all.
const state, starttime = 3 - 3, 22 - 3

// status is the fields of /proc/PID/stat behind the program's name: fields are separated
// by spaces, and only the name, in parentheses, can have some itself.
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
