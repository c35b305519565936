package goals

import (
	"runtime"

	"golang.org/x/sys/windows"
)

// cpuSeconds is what the process has used of all cores: other load does not change it.
func cpuSeconds() float64 {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		panic(err) // this process is there
	}
	return hundreds(kernel) + hundreds(user)
}

// hundreds are the seconds of a time that counts hundreds of nanoseconds.
func hundreds(t windows.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}

// mostMemory is what Go has asked the system for so far, in bytes: no less than the most
// memory that the process has had of it.
func mostMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
