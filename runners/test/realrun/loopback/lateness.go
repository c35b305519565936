package loopback

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// lateness measures by how much the machine holds up the processes of a cluster: how long their
// threads were ready to run and had no processor. A run on a machine that is busy with other work
// is as late as that, and says so.
type lateness struct {
	mu sync.Mutex
	// waits has, for each process, how long it had waited at each of the last looks.
	waits map[int][]time.Duration
	worst time.Duration
}

// The wait of a process counts within a few seconds: what a start loses comes at once, and what
// comes slowly is no delay of anything.
const (
	latenessLooks  = 12
	latenessEvery  = 250 * time.Millisecond
	tooLate        = 750 * time.Millisecond
	schedulerFiles = "/proc/%d/task/*/schedstat"
)

// look reads what processes have waited: all of their threads together or, of programs whose many threads
// wait for one another's processor as they begin, the worst of them.
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

// waited returns how long the threads of a process have waited for a processor, or the worst of them; 0
// where the system does not say it.
func waited(pid int, worstThread bool) (sum time.Duration) {
	files, err := filepath.Glob(fmt.Sprintf(schedulerFiles, pid))
	if err != nil {
		return 0
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		var ran, waits int64
		if _, scan := fmt.Sscan(string(text), &ran, &waits); err != nil || scan != nil {
			continue
		}
		if worstThread {
			sum = max(sum, time.Duration(waits))
		} else {
			sum += time.Duration(waits)
		}
	}
	return sum
}

// late returns the worst of it, in wall time.
func (l *lateness) late() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.worst
}

// watchLateness looks at the processes of the cluster until it is closed.
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

// running lists the first processes of pods and the processes of the job.
func (c *Cluster) running() (pids []int) {
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

// Late returns by how much the machine was late, in cluster time, and whether that is more than a
// scenario can allow for.
func (c *Cluster) Late() (late time.Duration, tooBusy bool) {
	wall := c.lateness.late()
	return time.Duration(float64(wall) / c.o.TimeScale), wall > tooLate
}
