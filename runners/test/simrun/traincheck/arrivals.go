package traincheck

import (
	"fmt"
	"slices"
	"time"
)

// localBarriers records the barriers of a LocalCluster. There is one for each epoch, and an
// epoch is one step (TRN-4.1).
type localBarriers struct {
	workers int
	arrived map[uint64]map[int]bool
}

// LocalStarted records that a LocalCluster with the given number of workers starts.
func (c *Checker) LocalStarted(workers int) {
	c.local = localBarriers{workers: workers, arrived: map[uint64]map[int]bool{}}
}

// LocalArrived records that a worker arrives at the barrier of an epoch.
func (c *Checker) LocalArrived(at time.Duration, worker int, epoch uint64) {
	c.now = max(c.now, at)
	if c.local.arrived[epoch] == nil {
		c.local.arrived[epoch] = map[int]bool{}
	}
	c.local.arrived[epoch][worker] = true
}

// LocalAnswered records whether the barrier released a worker, and checks INV-6: it must
// release exactly when all workers have arrived.
func (c *Checker) LocalAnswered(at time.Duration, worker int, epoch uint64, released bool) {
	c.now = max(c.now, at)
	arrived := len(c.local.arrived[epoch])
	if released != (arrived == c.local.workers) {
		c.breaks("INV-6", fmt.Sprintf("%d %d", epoch, worker), "", "worker %d: the barrier of epoch %d was %sreleased with %d of %d workers there, want it released if and only if all are",
			worker, epoch, map[bool]string{false: "not ", true: ""}[released], arrived, c.local.workers)
	}
}

// psBarriers records the barriers of the PS service (TRN-4.2).
type psBarriers struct {
	waiting map[string][]int // calls, by barrier
	of      map[int]psArrival
	next    int
}

type psArrival struct {
	id         string
	numWorkers int
	released   bool
}

// PSArrived records a worker's call of the barrier id for numWorkers workers. It returns a
// number that identifies the call for PSAnswered.
func (c *Checker) PSArrived(at time.Duration, id string, numWorkers int) (call int) {
	c.now = max(c.now, at)
	p := &c.ps
	p.next++
	p.of[p.next] = psArrival{id: id, numWorkers: numWorkers}
	p.waiting[id] = append(p.waiting[id], p.next)
	return p.next
}

// PSAnswered records how a barrier call was answered, and checks INV-7: if one waiting call
// is released, all of them are.
func (c *Checker) PSAnswered(at time.Duration, call int, released bool) {
	c.now = max(c.now, at)
	p := &c.ps
	a := p.of[call]
	delete(p.of, call)
	if !slices.Contains(p.waiting[a.id], call) {
		if released != a.released {
			c.breaks("INV-7", fmt.Sprintf("left out %d", call), c.knownPSBarrier(), "PS barrier %s: a call of a generation that was released was not", a.id)
		}
		return
	}
	if !released {
		p.waiting[a.id] = slices.DeleteFunc(p.waiting[a.id], func(other int) bool { return other == call })
		return
	}
	if n := len(p.waiting[a.id]); n != a.numWorkers {
		c.breaks("INV-7", fmt.Sprintf("%s %d", a.id, call), c.knownPSBarrier(), "PS barrier %s was released with %d arrivals, want exactly %d", a.id, n, a.numWorkers)
	}
	for _, other := range p.waiting[a.id] {
		if waits, ok := p.of[other]; ok {
			waits.released = true
			p.of[other] = waits
		}
	}
	delete(p.waiting, a.id)
}

// knownPSBarrier returns the known reason why the reference breaks INV-7, "" if the job's barrier
// does not have this defect.
func (c *Checker) knownPSBarrier() string {
	if c.spec.DefectivePSBarrier {
		return "the PS barrier of f415ff3"
	}
	return ""
}
