//go:build unix

package goals

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// cpuSeconds returns the processor time of this process on all cores, which does not depend
// on other load.
func cpuSeconds() float64 {
	u := usage()
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// mostMemory returns the peak memory of this process in bytes.
func mostMemory() int64 {
	if runtime.GOOS == "darwin" {
		return int64(usage().Maxrss)
	}
	return int64(usage().Maxrss) * 1024
}

func usage() (u unix.Rusage) {
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // cannot happen: this process exists
	}
	return u
}
