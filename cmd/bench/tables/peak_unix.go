//go:build unix

package tables

import (
	"os"
	"runtime"
	"syscall"
)

// peakBytes is the most memory that a process that has ended had, 0 where nobody knows.
func peakBytes(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss)
	}
	return float64(usage.Maxrss) * 1024
}
