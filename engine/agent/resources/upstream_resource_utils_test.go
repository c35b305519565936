package resources

import (
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
)

// The reference's tests measure the machine that they run on. Here the machine has fixed numbers,
// with which a wrong column or unit gives a wrong result.

func TestUpstreamResourceUtils_test_cal_avaiable_memory_v2(t *testing.T) {
	e := envtest.New(map[string]string{"/proc/meminfo": "MemTotal:       16000 kB\nMemFree:          100 kB\nMemAvailable:    9000 kB\n"}, nil)
	total, err := TotalMemory(e)
	if err != nil {
		t.Fatal(err)
	}
	available, err := AvailableMemory(e)
	if err != nil {
		t.Fatal(err)
	}
	if !(0 < available && available < total) {
		t.Errorf("got %d of %d bytes available, want more than none and less than all", available, total)
	}
	if available != 9000*1024 {
		t.Errorf("available: got %d bytes, want 9000 KiB", available)
	}
}

// Goal: the CPU load is measured. psutil compares with the previous reading, so the first reading
// on an idle host would be 0 and show nothing. This host is busy three quarters of the time.
func TestUpstreamResourceUtils_test_cal_cpu_usage_v2(t *testing.T) {
	e := envtest.New(map[string]string{"/proc/stat": "cpu  100 0 100 1000 0 0 0 0 0 0\n"}, nil)
	c, err := NewCPUPercent(e)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Files.WriteFile("/proc/stat", []byte("cpu  150 0 125 1025 0 0 0 0 0 0\n")); err != nil {
		t.Fatal(err)
	}
	usage, err := c.Percent()
	if err != nil {
		t.Fatal(err)
	}
	if usage < 0 || usage > 100 {
		t.Errorf("got %v %%, want 0 to 100", usage)
	}
	if usage != 75 {
		t.Errorf("got %v %%, want 75", usage)
	}
}
