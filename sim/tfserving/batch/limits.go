package batch

import (
	"fmt"
	"math"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// Limits corresponds to upstream's QueueOptions. Numbers of a file are converted as in C++, so a
// negative number becomes a very large uint64.
type Limits struct {
	// Input is input_batch_size_limit, the largest allowed size of a task.
	Input uint64
	// TimeoutMicros is batch_timeout_micros.
	TimeoutMicros int64
	// Enqueued is max_enqueued_batches.
	Enqueued uint64
	// Splits is enable_large_batch_splitting. Execution is max_execution_batch_size, used if Splits
	// is true.
	Splits    bool
	Execution uint64
	// Head selects the error texts of the profile tfs-head.
	Head bool
}

// DefaultLimits returns the limits of a parameter file that sets no fields.
func DefaultLimits() Limits { return Limits{Input: 1000, Enqueued: 10, Execution: 1000} }

// Check returns the error with which upstream refuses to make a queue with these limits
// (SharedBatchScheduler::AddQueue).
func (l *Limits) Check() *env.RPCError {
	if l.Head && !l.Splits {
		l.Enqueued = max(l.Enqueued, 1)
	}
	switch {
	case l.Input == 0:
		return invalidf("input_batch_size_limit must be positive; was 0")
	case l.TimeoutMicros < 0:
		return invalidf("batch_timeout_micros must be non-negative; was %d", l.TimeoutMicros)
	case l.Head && l.Enqueued == 0:
		return invalidf("max_enqueued_batches must be positive; was 0")
	case l.Splits && l.Input < l.Execution:
		// Upstream's message appends the numbers without blanks between them.
		return invalidf("When enable_large_batch_splitting is true, input_batch_size_limit must be greater than or equal to "+
			"max_execution_batch_size.1%d%d", l.Input, l.Execution)
	}
	return nil
}

// Timeout returns how long an open batch waits for more tasks.
func (l *Limits) Timeout() time.Duration {
	return time.Duration(min(l.TimeoutMicros, math.MaxInt64/4/1000)) * time.Microsecond
}

// batchSize returns the size at which a batch is full (max_execution_batch_size()).
func (l *Limits) batchSize() uint64 {
	if l.Splits {
		return l.Execution
	}
	return l.Input
}

// TooLarge returns the refusal of a task that is larger than the limit, even for an empty queue. It
// returns nil if the size is allowed.
func (l *Limits) TooLarge(size uint64) *env.RPCError {
	if size <= l.Input {
		return nil
	}
	return invalidf("Task size %d is larger than maximum input batch size %d", size, l.Input)
}

// refusal returns why a queue cannot take a task of the given size, or nil. batches is the number
// of the queue's batches, and open the size of its open batch.
func (l *Limits) refusal(size uint64, batches int, open uint64) *env.RPCError {
	if err := l.TooLarge(size); err != nil {
		return err
	}
	const full = "The batch scheduling queue to which this task was submitted is full"
	if l.Splits {
		capacity := l.capacity(batches, open)
		switch {
		case size <= capacity:
			return nil
		case !l.Head:
			return &env.RPCError{Code: rpcerrors.Unavailable, Message: full}
		}
		return &env.RPCError{Code: rpcerrors.Unavailable, Message: fmt.Sprintf("%s; task size is %d but scheduling capacity is only %d "+
			"(num_enqueued_batches=%d, max_enqueued_batches=%d, open_batch_size=%d, max_execution_batch_size=%d)",
			full, size, capacity, batches, l.Enqueued, open, l.Execution)}
	}
	switch {
	case open+size <= l.Input || uint64(batches) < l.Enqueued:
		return nil
	case !l.Head:
		return &env.RPCError{Code: rpcerrors.Unavailable, Message: full}
	}
	return &env.RPCError{Code: rpcerrors.Unavailable, Message: fmt.Sprintf(
		"%s; currently %d batches enqueued and max_enqueued_batches is %d", full, batches, l.Enqueued)}
}

// capacity returns how many rows a queue that splits has room for. tfs-2.4 computes it in C++'s int,
// which overflows, and compares it as size_t, so that a large max_enqueued_batches can make the
// capacity too small and a negative one makes it very large (ScheduleWithSplit).
func (l *Limits) capacity(batches int, open uint64) uint64 {
	if l.Head {
		return (l.Enqueued-uint64(batches))*l.Execution + l.Execution - open
	}
	execution, more := int32(l.Execution), int32(l.Enqueued-uint64(batches))
	room := int32(l.Execution - open)
	return uint64(int64(more*execution + room))
}

// mustSplit reports whether a task has to be split. It is true also for a task that becomes a single
// part in a new batch because the open batch is full.
func (l *Limits) mustSplit(size, open uint64) bool { return l.Splits && size > l.Execution-open }

// Waits returns how long an empty queue waits before it runs a task. The last part of the task waits
// for the batch timeout, unless it fills its batch.
func (l *Limits) Waits(size uint64) time.Duration {
	if l.batchSize() == 0 || size > 0 && size%l.batchSize() == 0 {
		return 0
	}
	return l.Timeout()
}

// Alone returns how an empty queue splits a task. ends holds the end of each part. If the queue
// refuses the task, it returns the error.
func (l *Limits) Alone(size uint64) (ends []uint64, err *env.RPCError) {
	if err := l.refusal(size, 1, 0); err != nil {
		return nil, err
	}
	for to := l.split(0, size, 0); ; to = l.split(to, size, 0) {
		if ends = append(ends, to); to == size {
			return ends, nil
		}
	}
}

// split returns the end of the part of a task that begins at from. The first part fills the open
// batch, and the following parts are whole batches (SplitInputTask).
func (l *Limits) split(from, size, open uint64) uint64 {
	if !l.Splits {
		return size
	}
	room := l.Execution - open
	if room == 0 {
		room = l.Execution
	}
	return min(size, from+room)
}

func invalidf(format string, args ...any) *env.RPCError {
	return &env.RPCError{Code: rpcerrors.InvalidArgument, Message: fmt.Sprintf(format, args...)}
}
