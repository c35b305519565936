package resources

import (
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: the available memory is right in edge cases. The expected values are
// psutil.virtual_memory().available of psutil 5.9.8, which resource_utils.py:199 calls, for the
// same files.
func TestAvailableMemoryAtItsEdges(t *testing.T) {
	for _, test := range []struct {
		name, meminfo, zoneinfo string
		want                    int64
	}{
		{"all that there is", "MemTotal: 16000 kB\nMemFree: 100 kB\nMemAvailable: 16000 kB\n", "", 16384000},
		{"0, and more than a total below 0", "MemTotal: -1000 kB\nMemFree: -100 kB\nCached: 100 kB\n", "", -102400},
		{
			"estimated with half of the cache and of the slabs",
			"MemTotal: 160000 kB\nMemFree: 50000 kB\nActive(file): 1000 kB\nInactive(file): 600 kB\nSReclaimable: 500 kB\n",
			"Node 0, zone Normal\n        low 1000\n", 48179200,
		},
		{
			"estimated with the low watermark",
			"MemTotal: 160000 kB\nMemFree: 50000 kB\nActive(file): 10000 kB\nInactive(file): 6000 kB\nSReclaimable: 8000 kB\n",
			"Node 0, zone Normal\n        low 100\n", 74547200,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := envtest.New(map[string]string{"/proc/meminfo": test.meminfo, "/proc/zoneinfo": test.zoneinfo}, nil)
			if got, err := AvailableMemory(e); got != test.want || err != nil {
				t.Errorf("got %d bytes, error %v, want %d", got, err, test.want)
			}
		})
	}
}

// Goal: white space at the end of the cgroup's line is not part of its path (resource_utils.py:42).
func TestTheCgroupsPathEndsBeforeWhiteSpace(t *testing.T) {
	e := envtest.New(map[string]string{"/proc/1/cgroup": "5:memory:/kubepods/pod1/ \r\n4:cpu:/x\n"}, nil)
	if got, want := NewCgroup(e).Path(), pysem.Some("kubepods/pod1"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Goal: if no time passes between two readings, the CPU usage is a ZeroDivisionError
// (resource_utils.py:230).
func TestCPUUsageOfAClockThatStands(t *testing.T) {
	e := cgroupEnv(map[string]string{"cpu/kubepods/pod1/cpuacct.usage": "5\n"}, nil)
	e.Tasks, e.Clock = &envtest.Tasks{}, envtest.Clock{}
	if _, err := NewCgroup(e).CPUUsage(); pysem.TypeOf(err) != "ZeroDivisionError" {
		t.Errorf("got %v, want ZeroDivisionError", err)
	}
}

// Goal: without /proc/stat, making a CPUPercent is a FileNotFoundError, as Python's open raises it.
func TestCPUPercentNeedsItsFile(t *testing.T) {
	if _, err := NewCPUPercent(envtest.New(nil, nil)); pysem.TypeOf(err) != "FileNotFoundError" {
		t.Errorf("got %v, want FileNotFoundError", err)
	}
}
