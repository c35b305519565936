// Package batch is the scheduler that puts requests to models into batches: upstream's
// SharedBatchScheduler (TFS-22; tensorflow core/kernels/batching_util/shared_batch_scheduler.h).
//
// Two things to use first:
//
//   - [New] makes a [Scheduler] with its threads, and [Scheduler.AddQueue] a [Queue] for one kind of
//     task.
//   - [Queue.Schedule] puts a task into the queue's open batch, or refuses it.
//
// To change:
//
//   - when a batch closes and a thread takes it: batch.go
//   - what is refused: limits.go
//
// Unstable: any commit may change it.
package batch

import (
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/timerqueue"
)

// Scheduler has a number of threads and visits its queues in turn. Each thread processes one batch
// at a time. Only the server's own thread may call it.
type Scheduler[T any] struct {
	timers  *timerqueue.Queue
	threads int
	busy    int // busy counts the threads that process a batch
	queues  []*Queue[T]
	next    int // next is the queue that is visited next
}

// New makes a scheduler with the given number of threads, which must be at least 1.
func New[T any](timers *timerqueue.Queue, threads int) *Scheduler[T] {
	return &Scheduler[T]{timers: timers, threads: threads}
}

// Queue holds the batches of one kind of task. New tasks enter the last batch, which is open. The
// other batches are closed and wait for a thread.
type Queue[T any] struct {
	scheduler *Scheduler[T]
	limits    Limits
	process   func(b *Batch[T], done func())
	splits    func(of T) *env.RPCError
	batches   []*Batch[T]
	timer     timerqueue.Timer // set to the timeout of the open batch that armed points to
	armed     *Batch[T]
}

// Batch is a list of tasks that are processed together.
type Batch[T any] struct {
	Tasks []Task[T]
	Size  uint64 // Size is the sum of the tasks' sizes
	since time.Duration
}

// Task is a whole request, or a part of one that was split: the range [From, To) of its size.
type Task[T any] struct {
	Of       T
	From, To uint64
	Whole    bool // Whole is true for a request that was not split
}

// AddQueue makes a queue. When a thread takes a batch, process is called. It must call done, at
// once or later, to free the thread. splits returns why a task cannot be split, or nil.
func (s *Scheduler[T]) AddQueue(limits Limits, process func(b *Batch[T], done func()), splits func(of T) *env.RPCError) *Queue[T] {
	q := &Queue[T]{scheduler: s, limits: limits, process: process, splits: splits, batches: []*Batch[T]{{}}}
	q.timer = timerqueue.Timer{Rank: timerqueue.Thread, Fn: s.feed}
	s.queues = append(s.queues, q)
	return q
}

// Remove drops a queue. The queue must not have tasks.
func (s *Scheduler[T]) Remove(q *Queue[T]) {
	at := slices.Index(s.queues, q)
	if at < 0 {
		return
	}
	s.timers.Unset(&q.timer)
	s.queues = slices.Delete(s.queues, at, at+1)
	if at < s.next {
		s.next--
	}
}

// Schedule puts a task into the open batch. The part that does not fit goes into new batches behind
// it. The error is upstream's refusal (Queue::ScheduleWithoutSplit, ScheduleWithSplit).
func (q *Queue[T]) Schedule(of T, size uint64) *env.RPCError {
	if err := q.limits.refusal(size, len(q.batches), q.open().Size); err != nil {
		return err
	}
	if q.limits.mustSplit(size, q.open().Size) {
		if err := q.splits(of); err != nil {
			return err
		}
	}
	from := uint64(0)
	for first := true; first || from < size; first = false {
		to := q.limits.split(from, size, q.open().Size)
		if open := q.open(); open.Size+to-from > q.limits.batchSize() {
			q.close()
		}
		open := q.open()
		if len(open.Tasks) == 0 {
			open.since = q.scheduler.timers.Now()
		}
		open.Tasks = append(open.Tasks, Task[T]{Of: of, From: from, To: to, Whole: to-from == size})
		open.Size += to - from
		from = to
	}
	q.scheduler.feed()
	q.arm()
	return nil
}

func (q *Queue[T]) open() *Batch[T] { return q.batches[len(q.batches)-1] }

// close closes the open batch and opens another (StartNewBatch).
func (q *Queue[T]) close() { q.batches = append(q.batches, &Batch[T]{}) }

// arm sets a timer, so that the scheduler takes the open batch when its timeout is reached.
// Upstream's idle threads poll each millisecond; here there is no such delay.
func (q *Queue[T]) arm() {
	timers, open := q.scheduler.timers, q.open()
	if len(open.Tasks) == 0 || q.due() {
		timers.Unset(&q.timer)
		return
	}
	if !q.timer.Queued || q.armed != open {
		q.armed = open
		timers.Set(&q.timer, open.since+q.limits.Timeout())
	}
}

// due reports whether a thread may take the open batch (IsOpenBatchSchedulable).
func (q *Queue[T]) due() bool {
	open := q.open()
	return len(open.Tasks) > 0 &&
		(open.Size >= q.limits.batchSize() || q.scheduler.timers.Now() >= open.since+q.limits.Timeout())
}

// take removes and returns the next batch to process, or returns nil if there is none
// (Queue::ScheduleBatch).
func (q *Queue[T]) take() *Batch[T] {
	if len(q.batches) == 1 && q.due() {
		q.close()
	}
	if len(q.batches) == 1 {
		return nil
	}
	taken := q.batches[0]
	q.batches = q.batches[1:]
	q.scheduler.timers.Unset(&q.timer)
	q.arm()
	return taken
}

// feed hands batches to free threads until either runs out (SharedBatchScheduler::ThreadLogic).
func (s *Scheduler[T]) feed() {
	for s.busy < s.threads {
		q, b := s.visit()
		if b == nil {
			return
		}
		s.busy++
		q.process(b, func() {
			s.busy--
			s.feed()
		})
	}
}

// visit asks the queues in turn. It returns the first batch that is ready, and the queue of the
// batch. The next visit begins after that queue.
func (s *Scheduler[T]) visit() (*Queue[T], *Batch[T]) {
	for range s.queues {
		q := s.queues[s.next%len(s.queues)]
		s.next = (s.next + 1) % len(s.queues)
		if b := q.take(); b != nil {
			return q, b
		}
	}
	return nil, nil
}
