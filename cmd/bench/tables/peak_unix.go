//go:build unix

package tables

import (
	"os"
	"runtime"
	"syscall"
)

// peakBytes returns the peak memory of a process that has ended, 0 where it is unknown.
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
