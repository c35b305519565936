package traincheck

import (
	"fmt"
	"slices"
	"time"
)

// localBarriers are those of a LocalCluster (TRN-4.1): each step, an epoch, has one.
type localBarriers struct {
	workers int
	arrived map[uint64]map[int]bool
}

// LocalStarted is told of a LocalCluster with so many workers.
func (c *Checker) LocalStarted(workers int) {
	c.local = localBarriers{workers: workers, arrived: map[uint64]map[int]bool{}}
}

// LocalArrived is told when a worker comes to the barrier of an epoch.
func (c *Checker) LocalArrived(at time.Duration, worker int, epoch uint64) {
	c.now = max(c.now, at)
	if c.local.arrived[epoch] == nil {
		c.local.arrived[epoch] = map[int]bool{}
	}
	c.local.arrived[epoch][worker] = true
}

// LocalAnswered is told what became of the wait of a worker (INV-6).
func (c *Checker) LocalAnswered(at time.Duration, worker int, epoch uint64, released bool) {
	c.now = max(c.now, at)
	arrived := len(c.local.arrived[epoch])
	if released != (arrived == c.local.workers) {
		c.breaks("INV-6", fmt.Sprintf("%d %d", epoch, worker), "", "worker %d: the barrier of epoch %d was %sreleased with %d of %d workers there, want it released if and only if all are",
			worker, epoch, map[bool]string{false: "not ", true: ""}[released], arrived, c.local.workers)
	}
}

// psBarriers are those of the PS service (TRN-4.2).
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

// PSArrived is told when a worker calls the barrier of an id, which is to have so many; the
// answer is a number for PSAnswered.
func (c *Checker) PSArrived(at time.Duration, id string, numWorkers int) (call int) {
	c.now = max(c.now, at)
	p := &c.ps
	p.next++
	p.of[p.next] = psArrival{id: id, numWorkers: numWorkers}
	p.waiting[id] = append(p.waiting[id], p.next)
	return p.next
}

// PSAnswered is told what became of a call: the first one that is released says that all who
// wait are (INV-7).
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

// knownPSBarrier names the variant that breaks INV-7.
func (c *Checker) knownPSBarrier() string {
	if c.spec.DefectivePSBarrier {
		return "the PS barrier of f415ff3"
	}
	return ""
}
