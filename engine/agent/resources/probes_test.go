package resources

import (
	"fmt"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

const podCgroup = "12:cpu:/x\n5:memory:/kubepods/pod1/\n"

func cgroupEnv(files map[string]string, vars map[string]string) *env.Env {
	all := map[string]string{"/proc/1/cgroup": podCgroup}
	//lint:ordered each file has a name of its own
	for name, text := range files {
		all["/sys/fs/cgroup/"+name] = text
	}
	return envtest.New(all, vars)
}

func TestCgroupLimits(t *testing.T) {
	const memory, cpu = "memory/kubepods/pod1/memory.", "cpu/kubepods/pod1/cpu."
	for _, test := range []struct {
		name  string
		files map[string]string
		vars  map[string]string
		read  func(*Cgroup) (int, error)
		want  int
		fails string
	}{
		{"limit", map[string]string{memory + "limit_in_bytes": "1024\n"}, nil, (*Cgroup).TotalMemory, 1024, ""},
		{"Q134 no limit is a huge one", map[string]string{memory + "limit_in_bytes": "9223372036854771712\n"}, nil, (*Cgroup).TotalMemory, 9223372036854771712, ""},
		{"limit 0 is the variable", map[string]string{memory + "limit_in_bytes": "0\n"}, map[string]string{"MY_MEM_LIMIT": "77"}, (*Cgroup).TotalMemory, 77, ""},
		{"limit 0 without variable", map[string]string{memory + "limit_in_bytes": "0\n"}, nil, (*Cgroup).TotalMemory, 0, "TypeError"},
		{"no file", nil, nil, (*Cgroup).TotalMemory, 0, "FileNotFoundError"},
		{"available", map[string]string{memory + "limit_in_bytes": "1000", memory + "usage_in_bytes": "300"}, nil, (*Cgroup).AvailableMemory, 700, ""},
		{"cpus are cut", map[string]string{cpu + "cfs_quota_us": "350000\n", cpu + "cfs_period_us": "100000\n"}, nil, (*Cgroup).NumCPU, 3, ""},
		{"no quota", map[string]string{cpu + "cfs_quota_us": "-1\n", cpu + "cfs_period_us": "100000\n"}, nil, (*Cgroup).NumCPU, 0, ""},
		{"period 0 is the variable", map[string]string{cpu + "cfs_quota_us": "1", cpu + "cfs_period_us": "0"}, map[string]string{"MY_CPU_LIMIT": "8"}, (*Cgroup).NumCPU, 8, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.read(NewCgroup(cgroupEnv(test.files, test.vars)))
			if pysem.TypeOf(err) != test.fails || got != test.want && err == nil {
				t.Errorf("got %d, error %v, want %d, error %q", got, err, test.want, test.fails)
			}
		})
	}
}

func TestQ133_CgroupV2HasNoLimits(t *testing.T) {
	e := envtest.New(map[string]string{"/proc/1/cgroup": "0::/\n"}, nil)
	if _, err := NewCgroup(e).TotalMemory(); pysem.TypeOf(err) != "TypeError" {
		t.Errorf("got %v, want TypeError", err)
	}
}

// tickingClock is a clock that advances by one second at each sleep.
type tickingClock struct {
	envtest.Tasks
	now   time.Time
	sleep func(n int)
	n     int
}

func (c *tickingClock) Now() time.Time         { return c.now }
func (c *tickingClock) Elapsed() time.Duration { return 0 }
func (c *tickingClock) Sleep(d time.Duration) {
	c.n++
	c.now = c.now.Add(d)
	c.sleep(c.n)
}

func TestCPUUsageIsTheMeanOfFiveSeconds(t *testing.T) {
	const file = "/sys/fs/cgroup/cpu/kubepods/pod1/cpuacct.usage"
	e := cgroupEnv(map[string]string{"cpu/kubepods/pod1/cpuacct.usage": "0"}, nil)
	clock := &tickingClock{now: time.Unix(1700000000, 0)}
	used := 0
	clock.sleep = func(n int) {
		used += n * 250_000_000 // probe n finds that n times 25 % of a CPU were used
		if err := e.Files.WriteFile(file, fmt.Append(nil, used)); err != nil {
			t.Fatal(err)
		}
	}
	e.Tasks, e.Clock = clock, clock
	got, err := NewCgroup(e).CPUUsage()
	if got != 75 || err != nil {
		t.Errorf("got %v, error %v, want 75", got, err)
	}
}

func TestCPUPercentComparesWithTheLastLook(t *testing.T) {
	// The columns are: user nice system idle iowait irq softirq steal guest guest_nice.
	e := envtest.New(map[string]string{"/proc/stat": "cpu  10 0 10 80 0 0 0 0 5 0\ncpu0 1 1\n"}, nil)
	c, err := NewCPUPercent(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		stat string
		want float64
	}{
		{"cpu  10 0 10 80 0 0 0 0 5 0\n", 0},
		{"cpu  30 0 20 120 10 0 0 0 25 0\n", 37.5}, // 30 of 80 ticks: the guest's time is contained in the user's
		{"cpu  33 0 20 127 10 0 0 0 25 0\n", 30},
	} {
		if err := e.Files.WriteFile("/proc/stat", []byte(step.stat)); err != nil {
			t.Fatal(err)
		}
		if got, err := c.Percent(); got != step.want || err != nil {
			t.Errorf("%q: got %v, error %v, want %v", step.stat, got, err, step.want)
		}
	}
}
