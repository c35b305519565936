package resources

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// This file measures the resources of a container, as resource_utils.py:35-269 does with parts of
// psutil. It reads only Linux's files in /proc and /sys.

// TotalMemory returns the memory of the host in bytes: MemTotal of /proc/meminfo, as psutil
// reads it (resource_utils.py:181).
func TotalMemory(e *env.Env) (int64, error) {
	m, err := readMeminfo(e.Files)
	return m.total, err
}

// AvailableMemory returns the host memory, in bytes, that programs can get without swapping. That
// is MemAvailable of /proc/meminfo, as psutil reads it (resource_utils.py:200). If it is missing or
// 0, it is estimated. If it exceeds the total, as in some containers, the free memory is returned.
func AvailableMemory(e *env.Env) (int64, error) {
	m, err := readMeminfo(e.Files)
	if err != nil {
		return 0, err
	}
	available := m.entries["MemAvailable:"]
	if available == 0 {
		available = m.estimate(e.Files)
	}
	switch {
	case available < 0:
		return 0, nil
	case available > m.total:
		return m.free, nil
	}
	return available, nil
}

// memory holds the entries of /proc/meminfo in bytes.
type memory struct {
	entries     map[string]int64
	total, free int64
}

// readMeminfo reads all entries of /proc/meminfo and skips malformed ones (psutil 5.9.8,
// _pslinux.py:421). The kernel counts in kB. A number without a unit counts as bytes.
func readMeminfo(files env.Files) (memory, error) {
	m := memory{entries: map[string]int64{}}
	text, err := pyos.ReadText(files, "/proc/meminfo")
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			return m, pysem.Raise("IndexError", "list index out of range")
		}
		number, _, err := pysem.ParseSmallInt(fields[1])
		if err != nil {
			return m, err
		}
		if len(fields) > 2 {
			number *= 1024
		}
		m.entries[fields[0]] = int64(number)
	}
	for _, entry := range []struct {
		name string
		to   *int64
	}{{"MemTotal:", &m.total}, {"MemFree:", &m.free}} {
		number, ok := m.entries[entry.name]
		if !ok {
			return m, pysem.Raise("KeyError", "b'%s'", entry.name)
		}
		*entry.to = number
	}
	return m, nil
}

// pageBytes is the size of a page of memory.
const pageBytes = 4096

// estimate returns the available memory in bytes on kernels without MemAvailable (psutil 5.9.8,
// _pslinux.py:374). That is the free memory less the low watermark, plus the page cache and the
// slabs. From each of these two it subtracts the watermark, or half of their size if that is less.
func (m memory) estimate(files env.Files) int64 {
	zones, err := pyos.ReadText(files, "/proc/zoneinfo")
	active, hasActive := m.entries["Active(file):"]
	inactive, hasInactive := m.entries["Inactive(file):"]
	slab, hasSlab := m.entries["SReclaimable:"]
	if err != nil || !hasActive || !hasInactive || !hasSlab {
		return m.free + m.entries["Cached:"]
	}
	low := 0
	for line := range strings.Lines(zones) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[0], "low") {
			pages, _, _ := pysem.ParseSmallInt(fields[1])
			low += pages
		}
	}
	mark, cache := float64(low*pageBytes), float64(active+inactive)
	available := float64(m.free) - mark
	available += cache - min(cache/2, mark)
	available += float64(slab) - min(float64(slab)/2, mark)
	return int64(available)
}

// Cgroup reads a container's limits and usage from cgroup v1 (resource_utils.py:35). On a host with
// cgroup v2 every method returns a TypeError (Q133).
type Cgroup struct {
	e    *env.Env
	path pysem.OptString
}

// NewCgroup finds the cgroup of the container's process 1, as importing the reference's module
// does. If there is none, the first reading fails.
func NewCgroup(e *env.Env) *Cgroup {
	c := &Cgroup{e: e}
	text, err := pyos.ReadText(e.Files, "/proc/1/cgroup")
	if err != nil {
		return c
	}
	for line := range strings.SplitSeq(pysem.Strip(text), "\n") {
		if strings.Contains(line, ":memory:") {
			line = pysem.Strip(line)
			c.path = pysem.Some(strings.Trim(line[strings.LastIndexByte(line, ':')+1:], "/"))
			return c
		}
	}
	return c
}

// Path returns the cgroup's path below each controller, None if there is no cgroup v1.
func (c *Cgroup) Path() pysem.OptString { return c.path }

// TotalMemory returns the memory limit in bytes. The huge number that the kernel uses for no limit
// is returned as it is (Q134). For a limit of 0 it returns MY_MEM_LIMIT.
func (c *Cgroup) TotalMemory() (int, error) {
	limit, err := c.read("memory", "memory.limit_in_bytes")
	if err != nil || limit != 0 {
		return limit, err
	}
	return c.variable("MY_MEM_LIMIT")
}

// AvailableMemory returns the memory limit minus the memory in use, in bytes.
func (c *Cgroup) AvailableMemory() (int, error) {
	used, err := c.read("memory", "memory.usage_in_bytes")
	if err != nil {
		return 0, err
	}
	limit, err := c.read("memory", "memory.limit_in_bytes")
	return limit - used, err
}

// NumCPU returns how many CPUs the container may use, rounded towards zero. If the scheduler's
// period is 0, it returns MY_CPU_LIMIT.
func (c *Cgroup) NumCPU() (int, error) {
	quota, err := c.read("cpu", "cpu.cfs_quota_us")
	if err != nil {
		return 0, err
	}
	period, err := c.read("cpu", "cpu.cfs_period_us")
	if err != nil {
		return 0, err
	}
	if period == 0 {
		return c.variable("MY_CPU_LIMIT")
	}
	return int(float64(quota) / float64(period)), nil
}

// cpuSamples is how many times CPUUsage reads the CPU clock, one second apart.
const cpuSamples = 5

// CPUUsage returns the CPU time that the container uses, in percent of one CPU, measured over five
// seconds.
func (c *Cgroup) CPUUsage() (float64, error) {
	wall := c.e.Clock.Now()
	used, err := c.cpuClock()
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for range cpuSamples {
		c.e.Tasks.Sleep(time.Second)
		wallNow := c.e.Clock.Now()
		usedNow, err := c.cpuClock()
		if err != nil {
			return 0, err
		}
		span := wallNow.Sub(wall)
		if span == 0 {
			return 0, pysem.Raise("ZeroDivisionError", "division by zero")
		}
		sum += roundTo(float64(usedNow-used)/float64(span)*100, 2)
		wall, used = wallNow, usedNow
	}
	return sum / cpuSamples, nil
}

// cpuClock returns the CPU time used so far, in ns. Its file holds one number.
func (c *Cgroup) cpuClock() (int, error) {
	text, err := c.text("cpu", "cpuacct.usage")
	if err != nil {
		return 0, err
	}
	used, _, err := pysem.ParseSmallInt(text)
	return used, err
}

func (c *Cgroup) text(controller, file string) (string, error) {
	if !c.path.Set {
		return "", pysem.Raise("TypeError", "join() argument must be str, bytes, or os.PathLike object, not 'NoneType'")
	}
	return pyos.ReadText(c.e.Files, pysem.JoinStrings("/sys/fs/cgroup", controller, c.path.V, file))
}

// read returns the number on the last line of a file of the cgroup, 0 for an empty file.
func (c *Cgroup) read(controller, file string) (int, error) {
	text, err := c.text(controller, file)
	if err != nil {
		return 0, err
	}
	number := 0
	for line := range strings.Lines(text) {
		if number, _, err = pysem.ParseSmallInt(pysem.Strip(line)); err != nil {
			return 0, err
		}
	}
	return number, nil
}

func (c *Cgroup) variable(name string) (int, error) {
	text, ok := c.e.Host.LookupEnv(name)
	if !ok {
		return 0, pysem.Raise("TypeError", "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'")
	}
	number, _, err := pysem.ParseSmallInt(text)
	return number, err
}

// CPUPercent measures the host's CPU load between two calls, as psutil.cpu_percent does.
type CPUPercent struct {
	e    *env.Env
	last []float64
}

// NewCPUPercent starts the first measurement interval, as importing psutil does. It returns an
// error if /proc/stat cannot be read.
func NewCPUPercent(e *env.Env) (*CPUPercent, error) {
	times, err := cpuTimes(e.Files)
	return &CPUPercent{e: e, last: times}, err
}

// Columns 3 and 4 of /proc/stat count as idle. The guest columns are already contained in other
// columns.
const (
	cpuIdle, cpuIOWait = 3, 4
	cpuGuest           = 8
)

// Percent returns the host's CPU load since the last call, from 0 to 100 with one decimal.
func (c *CPUPercent) Percent() (float64, error) {
	times, err := cpuTimes(c.e.Files)
	if err != nil {
		return 0, err
	}
	all, idle := 0.0, 0.0
	for i := range min(len(times), len(c.last), cpuGuest) {
		delta := max(0, times[i]-c.last[i])
		all += delta
		if i == cpuIdle || i == cpuIOWait {
			idle += delta
		}
	}
	c.last = times
	if all == 0 {
		return 0, nil
	}
	return roundTo((all-idle)/all*100, 1), nil
}

// cpuTimes returns the columns of the first line of /proc/stat, in clock ticks.
func cpuTimes(files env.Files) ([]float64, error) {
	text, err := pyos.ReadText(files, "/proc/stat")
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "cpu "), "\n")
	var times []float64
	for _, field := range strings.Fields(line) {
		ticks, err := pysem.ParseFloat(field)
		if err != nil {
			return nil, err
		}
		times = append(times, ticks)
	}
	return times, nil
}

// roundTo returns Python's round(f, digits): the nearest decimal number, ties to even.
func roundTo(f float64, digits int) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return f
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	return rounded
}
