package loopback

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lateness measures how much this machine delays a cluster's processes: how long their
// threads were ready to run but had no processor. A run on a busy machine is late by that
// time and reports it.
type lateness struct {
	mu sync.Mutex
	// waits holds, by process, the total waiting time at each of the latest measurements.
	waits map[int][]time.Duration
	worst time.Duration
}

// A process's waiting time counts only within a window of a few seconds. A start is delayed by all
// of the time that is lost during it, but small losses that are spread over a run delay no single
// event.
const (
	latenessLooks = 12
	latenessEvery = 250 * time.Millisecond
	tooLate       = 750 * time.Millisecond
)

// look measures how long processes have waited for a processor. It sums over threads or,
// with worstThread, takes the thread that waited longest. The latter is for programs whose
// many threads compete as they start.
func (l *lateness) look(pids []int, worstThread bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waits == nil {
		l.waits = map[int][]time.Duration{}
	}
	for _, pid := range pids {
		list := append(l.waits[pid], waited(pid, worstThread))
		if len(list) > latenessLooks {
			list = list[1:]
		}
		l.waits[pid] = list
		first := list[0]
		if len(list) < latenessLooks {
			first = 0 // since its start
		}
		l.worst = max(l.worst, list[len(list)-1]-first)
	}
}

// waited returns how long the threads of a process have waited for a processor. With
// worstThread it returns the longest wait instead of the sum. It is 0 where the system does
// not say.
func waited(pid int, worstThread bool) (sum time.Duration) {
	// A glob would list the folder of each thread, too, of which a Python with TensorFlow has
	// dozens, four times a second.
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return 0
	}
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + "/" + thread.Name() + "/schedstat")
		if err != nil {
			continue // it has ended
		}
		// the second word is the time that the thread waited; the first is the time that it ran
		_, waits, _ := strings.Cut(string(text), " ")
		waits, _, _ = strings.Cut(waits, " ")
		ns, err := strconv.ParseInt(waits, 10, 64)
		if err != nil {
			continue
		}
		if worstThread {
			sum = max(sum, time.Duration(ns))
		} else {
			sum += time.Duration(ns)
		}
	}
	return sum
}

// late returns the longest measured delay, in wall time.
func (l *lateness) late() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.worst
}

// watchLateness measures the delay of the cluster's processes regularly, until stop is closed.
func (c *Cluster) watchLateness(stop <-chan struct{}) {
	again := time.NewTicker(latenessEvery)
	defer again.Stop()
	for {
		select {
		case <-stop:
			return
		case <-again.C:
		}
		c.lateness.look(c.running(), c.o.Trainer != nil)
	}
}

// running lists the pids of pods' first processes, of the training job's processes, and of the
// cluster's own ZooKeeper. ZooKeeper is included because a late server lets sessions of killed
// processes live until those processes have restarted. By Q120 and Q326, the restarted processes
// then lose their registrations.
func (c *Cluster) running() (pids []int) {
	if z, ok := c.zk.(*simulated); ok {
		pids = append(pids, z.pids()...)
	}
	for _, p := range c.pods {
		if first := p.leader(); first != nil {
			pids = append(pids, first.pid())
		}
	}
	for _, t := range c.trainers {
		if running := t.process(); running != nil {
			pids = append(pids, running.pid())
		}
	}
	return pids
}

// Late returns the machine's delay in cluster time. tooBusy says that the delay is more than
// a scenario can tolerate.
func (c *Cluster) Late() (late time.Duration, tooBusy bool) {
	wall := c.lateness.late()
	return time.Duration(float64(wall) / c.o.TimeScale), wall > tooLate
}
