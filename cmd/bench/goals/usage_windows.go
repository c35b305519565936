package goals

import (
	"runtime"

	"golang.org/x/sys/windows"
)

// cpuSeconds returns the processor time of this process on all cores, which does not depend
// on other load.
func cpuSeconds() float64 {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		panic(err) // cannot happen: this process exists
	}
	return hundreds(kernel) + hundreds(user)
}

// hundreds converts a Windows file time, which counts units of 100 ns, to seconds.
func hundreds(t windows.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}

// mostMemory returns the bytes that Go has asked the system for so far, an upper bound of
// the peak memory.
func mostMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
