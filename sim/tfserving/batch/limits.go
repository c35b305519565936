package batch

import (
	"fmt"
	"math"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// Limits are upstream's QueueOptions, with the values that C++ makes of the numbers of a file: one
// below 0 is a very large uint64.
type Limits struct {
	// Input is input_batch_size_limit, the greatest size of a task.
	Input uint64
	// TimeoutMicros is batch_timeout_micros.
	TimeoutMicros int64
	// Enqueued is max_enqueued_batches.
	Enqueued uint64
	// Splits is enable_large_batch_splitting, and Execution max_execution_batch_size then.
	Splits    bool
	Execution uint64
	// Head selects the texts of tfs-head.
	Head bool
}

// DefaultLimits are those of a file without fields.
func DefaultLimits() Limits { return Limits{Input: 1000, Enqueued: 10, Execution: 1000} }

// Check returns the error of making a queue (SharedBatchScheduler::AddQueue).
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
		// Upstream appends its three numbers without blanks.
		return invalidf("When enable_large_batch_splitting is true, input_batch_size_limit must be greater than or equal to "+
			"max_execution_batch_size.1%d%d", l.Input, l.Execution)
	}
	return nil
}

// Timeout returns how long an open batch waits for more tasks.
func (l *Limits) Timeout() time.Duration {
	return time.Duration(min(l.TimeoutMicros, math.MaxInt64/4/1000)) * time.Microsecond
}

// batchSize is the size at which a batch is full (max_execution_batch_size()).
func (l *Limits) batchSize() uint64 {
	if l.Splits {
		return l.Execution
	}
	return l.Input
}

// TooLarge returns the refusal of a task above the limit, whatever is queued; nil for none.
func (l *Limits) TooLarge(size uint64) *env.RPCError {
	if size <= l.Input {
		return nil
	}
	return invalidf("Task size %d is larger than maximum input batch size %d", size, l.Input)
}

// refusal returns why a queue of that many batches, of which the open one has size open, does not
// take a task.
func (l *Limits) refusal(size uint64, batches int, open uint64) *env.RPCError {
	if err := l.TooLarge(size); err != nil {
		return err
	}
	const full = "The batch scheduling queue to which this task was submitted is full"
	if l.Splits {
		capacity := (l.Enqueued-uint64(batches))*l.Execution + l.Execution - open
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

// Alone returns the ends of the parts into which an empty queue splits a task, or its refusal.
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

// split returns where the part of a task that begins at from ends: what the open batch has room for,
// and then whole batches (SplitInputTask).
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
