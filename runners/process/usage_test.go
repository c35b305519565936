package process_test

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// Goal: memory and processor time of a process that does not exist are errors.
func TestOfNobody(t *testing.T) {
	if _, err := process.Resident(1 << 30); err == nil {
		t.Error("got memory of no process")
	}
	if _, err := process.CPU(1 << 30); err == nil {
		t.Error("got time of no process")
	}
}

// Goal: the measured memory and processor time grow as this process uses more of both.
func TestOfThisProcess(t *testing.T) {
	const more = 64 << 20
	debug.FreeOSMemory() // gives all free memory back, so that none can be reused
	before, err := process.Resident(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	taken := make([]byte, more)
	for i := 0; i < len(taken); i += 512 {
		taken[i] = 1
	}
	after, err := process.Resident(os.Getpid())
	runtime.KeepAlive(taken)
	if err != nil {
		t.Fatal(err)
	}
	if grown := after - before; grown < more*9/10 || grown > 4*more {
		t.Errorf("memory grew by %d bytes, want about the %d that were taken", grown, len(taken))
	}

	began, err := process.CPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const busy = 50 * time.Millisecond
	for now := began; now < began+busy; {
		if now, err = process.CPU(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{{[]float64{4}, 4}, {[]float64{5, 2}, 2}, {[]float64{9, 1, 3}, 3}} {
		if got := process.Median(c.list); got != c.want {
			t.Errorf("%v: got %v, want %v", c.list, got, c.want)
		}
	}
}
