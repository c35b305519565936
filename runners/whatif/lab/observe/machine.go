package observe

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// busy returns how long all processors have worked, for any process. ok is false without
// /proc/stat.
func busy() (total time.Duration, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	var user, nice, system, idle, wait, irq, soft, steal int64
	if n, _ := fmt.Sscanf(line, "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); n != 8 {
		return 0, false
	}
	const tick = 10 * time.Millisecond // USER_HZ
	return time.Duration(user+nice+system+irq+soft+steal) * tick, true
}

// watch measures who uses the processors.
type watch struct {
	began time.Time
	all   time.Duration
	ours  time.Duration
	known bool
	pids  []int
}

// newWatch starts a measurement. pids are the processes of the cluster.
func newWatch(pids []int) *watch {
	w := &watch{began: time.Now(), pids: append(pids, os.Getpid())}
	w.all, w.known = busy()
	w.ours = w.own()
	return w
}

// own returns the CPU time of our processes.
func (w *watch) own() time.Duration {
	sum := time.Duration(0)
	for _, pid := range w.pids {
		if took, err := process.CPU(pid); err == nil { // the time of a killed process is lost
			sum += took
		}
	}
	return sum
}

// end returns who has used the machine since the begin.
func (w *watch) end() Machine {
	m := Machine{CPUs: runtime.NumCPU(), Others: -1}
	could := float64(time.Since(w.began)) * float64(m.CPUs)
	ours := w.own() - w.ours
	m.Ours = float64(ours) / could
	if all, ok := busy(); ok && w.known {
		m.Others = max(float64(all-w.all-ours)/could, 0)
	}
	return m
}
