package psservice

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	pb "github.com/monosim/monosim/engine/proto/monolith/ps_training"
)

// barrier is the barrier with one id. Its first caller fixes the number of workers for good.
type barrier struct {
	numWorkers int32
	// arrived holds the workers that have arrived in this generation. The defective variant uses
	// two counters instead. count is the number of arrived workers in its answers. held is the
	// number that is compared with numWorkers to release the barrier.
	arrived    map[int32]bool
	count      int32
	held       int32
	generation uint64
	released   env.Cond
}

// Barrier returns once all workers have arrived. Invalid arguments and a timeout give an answer
// with status 1.
func (s *Service) Barrier(r *pb.BarrierRequest) *pb.BarrierResponse {
	if r.NumWorkers <= 0 {
		return refused(0, "num_workers must be > 0")
	}
	if !s.options.DefectiveBarrier && (r.WorkerId < 0 || r.WorkerId >= r.NumWorkers) {
		return refused(0, "worker_id %d out of range for num_workers=%d", r.WorkerId, r.NumWorkers)
	}
	b, ok := s.barriers[r.BarrierId]
	if !ok {
		b = &barrier{numWorkers: r.NumWorkers, arrived: map[int32]bool{}, released: s.e.Tasks.NewCond("ps barrier " + r.BarrierId)}
		s.barriers[r.BarrierId] = b
	}
	if b.numWorkers != r.NumWorkers {
		return refused(b.size(s.options.DefectiveBarrier), "Barrier %s expects num_workers=%d, got %d", r.BarrierId, b.numWorkers, r.NumWorkers)
	}
	timeout := time.Duration(r.TimeoutMs) * time.Millisecond
	if s.options.DefectiveBarrier {
		return b.arriveDefective(timeout)
	}
	if b.arrived[r.WorkerId] {
		return refused(int32(len(b.arrived)), "Worker %d already arrived for barrier %s", r.WorkerId, r.BarrierId)
	}
	return b.arrive(r.WorkerId, timeout)
}

func refused(arrived int32, format string, args ...any) *pb.BarrierResponse {
	return &pb.BarrierResponse{StatusCode: 1, ErrorMessage: fmt.Sprintf(format, args...), NumArrived: arrived}
}

func (b *barrier) size(defective bool) int32 {
	if defective {
		return b.count
	}
	return int32(len(b.arrived))
}

// await waits until the generation ends, and reports whether it ended before the timeout.
func (b *barrier) await(generation uint64, timeout time.Duration) bool {
	return b.released.WaitFor(timeout) || b.generation != generation
}

// release ends the current generation and wakes the workers that wait in it.
func (b *barrier) release() *pb.BarrierResponse {
	b.generation++
	b.released.Broadcast()
	return &pb.BarrierResponse{NumArrived: b.numWorkers}
}

// arrive waits as the Rust port does at commit 7fc99f7. A worker that times out no longer counts as
// arrived.
func (b *barrier) arrive(worker int32, timeout time.Duration) *pb.BarrierResponse {
	generation := b.generation
	b.arrived[worker] = true
	if int32(len(b.arrived)) == b.numWorkers {
		b.arrived = map[int32]bool{}
		return b.release()
	}
	if b.await(generation, timeout) {
		return &pb.BarrierResponse{NumArrived: b.numWorkers}
	}
	delete(b.arrived, worker)
	return refused(int32(len(b.arrived)), "Barrier timeout")
}

// arriveDefective waits as the Rust port does at commit f415ff3, which counts arrivals and not
// workers. A worker that times out is subtracted from the reported count. It is not subtracted from
// the count that releases the barrier, so the next round ends early.
func (b *barrier) arriveDefective(timeout time.Duration) *pb.BarrierResponse {
	generation := b.generation
	b.count++
	b.held++
	if b.held >= b.numWorkers {
		b.count, b.held = 0, 0
		return b.release()
	}
	if b.await(generation, timeout) {
		return &pb.BarrierResponse{NumArrived: b.numWorkers}
	}
	b.count = max(0, b.count-1)
	return refused(b.count, "Barrier timeout")
}
