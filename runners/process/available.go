package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Available returns how many bytes of memory this process may use in total. This is what it uses
// now plus the kernel's available memory, but at most the limit of its cgroup. It fails without
// /proc.
func Available() (bytes int64, err error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	own, err := Resident(os.Getpid())
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); n == 1 {
			return min(kB<<10+own, groupLimit()), nil
		}
	}
	return 0, fmt.Errorf("found no MemAvailable in /proc/meminfo")
}

// groupLimit returns the memory limit of the process's cgroup, version 2, in bytes. Containers have
// such a limit. Without one the result is the largest int64.
func groupLimit() int64 {
	const none = 1<<63 - 1
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if err != nil {
		return none
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return none // the text is "max", which means that there is no limit
	}
	return limit
}
