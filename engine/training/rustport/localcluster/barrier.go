package localcluster

import (
	"fmt"
	"time"
)

// BarrierStatus is what a worker hears of the barrier at its step.
type BarrierStatus struct {
	Epoch uint64
	// Released says that all have arrived.
	Released bool
	// Arrived are those that have so far, of Required; both are all when it is released.
	Arrived, Required int
}

// String returns the status as the reference shows it.
func (s BarrierStatus) String() string {
	if s.Released {
		return fmt.Sprintf("Released { epoch: %d, participants: %d }", s.Epoch, s.Required)
	}
	return fmt.Sprintf("Waiting { epoch: %d, arrived: %d, required: %d }", s.Epoch, s.Arrived, s.Required)
}

// barrier has who waits at each epoch, which is a step's number, and which were released.
type barrier struct {
	waiters  map[uint64]map[int]bool
	released map[uint64]bool
}

func newBarrier() barrier {
	return barrier{waiters: map[uint64]map[int]bool{}, released: map[uint64]bool{}}
}

// arrive returns the arrival of a worker, which may be repeated.
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

// SyncBarrier returns a worker's arrival at the barrier of its step. It does not wait.
func (l *LocalCluster) SyncBarrier(index int) (BarrierStatus, error) {
	w, err := l.worker(index)
	if err != nil {
		return BarrierStatus{}, err
	}
	return l.barrier.arrive(w.step, index, len(l.workers)), nil
}

// WaitForBarrier arrives and looks again every poll until all have arrived, or until the time
// is over, which is a BarrierTimeout. A worker whose time is over counts as arrived all the
// same. It looks once at least.
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
