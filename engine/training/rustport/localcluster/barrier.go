package localcluster

import (
	"fmt"
	"time"
)

// BarrierStatus says how many workers have reached the barrier of one step.
type BarrierStatus struct {
	Epoch uint64
	// Released means that all workers have arrived.
	Released bool
	// Arrived is how many of the Required workers have arrived. Both are equal when the barrier is
	// released.
	Arrived, Required int
}

// String formats the status as the reference does.
func (s BarrierStatus) String() string {
	if s.Released {
		return fmt.Sprintf("Released { epoch: %d, participants: %d }", s.Epoch, s.Required)
	}
	return fmt.Sprintf("Waiting { epoch: %d, arrived: %d, required: %d }", s.Epoch, s.Arrived, s.Required)
}

// barrier holds the workers that wait, by epoch, and the epochs already released. An epoch is the
// number of a step.
type barrier struct {
	waiters  map[uint64]map[int]bool
	released map[uint64]bool
}

func newBarrier() barrier {
	return barrier{waiters: map[uint64]map[int]bool{}, released: map[uint64]bool{}}
}

// arrive records that a worker has arrived, and returns the status. A repeated arrival changes
// nothing.
func (b *barrier) arrive(epoch uint64, worker, required int) BarrierStatus {
	status := BarrierStatus{Epoch: epoch, Required: required, Arrived: required}
	if status.Released = b.released[epoch]; status.Released {
		return status
	}
	if b.waiters[epoch] == nil {
		b.waiters[epoch] = map[int]bool{}
	}
	b.waiters[epoch][worker] = true
	if status.Arrived = len(b.waiters[epoch]); status.Arrived >= required {
		delete(b.waiters, epoch)
		b.released[epoch] = true
		status.Released = true
	}
	return status
}

// SyncBarrier records that a worker has arrived at the barrier of its current step. It returns at
// once.
func (l *LocalCluster) SyncBarrier(index int) (BarrierStatus, error) {
	w, err := l.worker(index)
	if err != nil {
		return BarrierStatus{}, err
	}
	return l.barrier.arrive(w.step, index, len(l.workers)), nil
}

// WaitForBarrier records a worker's arrival and then checks once per poll whether all have arrived.
// It checks at least once. After timeout it returns a BarrierTimeout, and the worker still counts
// as arrived.
func (l *LocalCluster) WaitForBarrier(index int, timeout, poll time.Duration) (BarrierStatus, error) {
	start := l.e.Clock.Elapsed()
	for {
		status, err := l.SyncBarrier(index)
		if err != nil || status.Released {
			return status, err
		}
		if l.e.Clock.Elapsed()-start >= timeout {
			return status, &Error{Kind: BarrierTimeout, Epoch: status.Epoch, Timeout: timeout}
		}
		l.e.Tasks.Sleep(poll)
	}
}
