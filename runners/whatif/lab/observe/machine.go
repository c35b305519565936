package observe

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/monosim/monosim/runners/process"
)

// busy returns the total CPU time that all processes of the machine have used. ok is false
// if there is no /proc/stat.
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

// watch measures how much of the processors is used by this process and the cluster, and how much
// by other programs.
type watch struct {
	began time.Time
	all   time.Duration
	ours  time.Duration
	known bool
	pids  []int
}

// newWatch starts a measurement. pids are the cluster's processes, to which this process is
// added.
func newWatch(pids []int) *watch {
	w := &watch{began: time.Now(), pids: append(pids, os.Getpid())}
	w.all, w.known = busy()
	w.ours = w.own()
	return w
}

// own returns the CPU time of the cluster's processes and of this process.
func (w *watch) own() time.Duration {
	sum := time.Duration(0)
	for _, pid := range w.pids {
		if took, err := process.CPU(pid); err == nil { // the CPU time of a process that was killed is unknown
			sum += took
		}
	}
	return sum
}

// end returns the shares of the machine that were used since the measurement started.
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
