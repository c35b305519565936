package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// processesOf lists the processes whose command line contains a directory's path.
func processesOf(dir string) []string {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, name := range names {
		text, err := os.ReadFile(name) // fails if the process has ended since the listing
		if err == nil && strings.Contains(string(text), dir) {
			found = append(found, strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " ")))
		}
	}
	return found
}

// stateListen is the state of a listening socket in /proc/net/tcp.
const stateListen = "0A"

// listening lists the listening sockets whose addresses begin with prefix, such as "127.3.4.".
func listening(prefix string) []string {
	text, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[3] != stateListen {
			continue
		}
		if addr := socketAddr(fields[1]); strings.HasPrefix(addr, prefix) {
			found = append(found, addr)
		}
	}
	slices.Sort(found)
	return found
}

// socketAddr parses an address of /proc/net/tcp such as "0100007F:1F90", whose host bytes
// are in reverse order.
func socketAddr(text string) string {
	host, port, _ := strings.Cut(text, ":")
	ip, err := strconv.ParseUint(host, 16, 32)
	if err != nil {
		return ""
	}
	n, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d:%d", ip&255, ip>>8&255, ip>>16&255, ip>>24, n)
}
