// Package prefetch lets the steps of a job work on values that earlier steps, or other tasks, have
// computed (prefetch_queue.py and nested_tensors.py).
//
// Two things to use first:
//
//   - [EnqueueDicts] puts a queue between what computes a nested value and what uses it.
//   - [AsyncFunctionMgr] lets functions work on the values of the step before.
//
// In the reference's graph a step computes everything at once. Here a hook does its part before the
// step if it can, and after it if it has to wait for the step.
//
// To change:
//
//   - what a nested value is: nested.go
//   - how a queue waits: queue.go
//   - what hooks do: hooks.go
//   - the hooks of the Rust port: port.go
//
// Cost: memory grows with the capacity of the queues, in rows. A step puts one row into a queue and
// takes one out, which does not grow.
//
// Unstable: any commit may change it.
package prefetch

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/session"
)

// FIFOQueue is a bounded queue of rows of values (tf.queue.PaddingFIFOQueue).
type FIFOQueue struct {
	name    string
	rows    [][]any
	first   int
	size    int
	waiting int // number of calls of Enqueue that wait
	closed  bool
	cancel  bool
	changed env.Cond
}

// NewFIFOQueue makes a queue for capacity rows.
func NewFIFOQueue(tasks env.Tasks, capacity int, name string) *FIFOQueue {
	return &FIFOQueue{name: name, rows: make([][]any, capacity), changed: tasks.NewCond(name)}
}

// Enqueue waits for room and adds a row. A closed queue is a CancelledError.
func (q *FIFOQueue) Enqueue(row []any) error {
	if q.closed {
		return q.isClosed()
	}
	q.waiting++
	for q.size == len(q.rows) && !q.cancel {
		q.changed.Wait()
	}
	q.waiting--
	if q.cancel {
		return q.isClosed()
	}
	q.rows[(q.first+q.size)%len(q.rows)] = row
	q.size++
	q.changed.Broadcast()
	return nil
}

// Dequeue waits for a row and removes the oldest. A closed queue without rows is an
// OutOfRangeError.
func (q *FIFOQueue) Dequeue() ([]any, error) {
	for q.size == 0 && (!q.closed || q.waiting > 0 && !q.cancel) {
		q.changed.Wait()
	}
	if q.size == 0 {
		return nil, session.Raise("OutOfRangeError", "%s is closed and has insufficient elements (requested 1, current size 0)", q.name)
	}
	row := q.rows[q.first]
	q.rows[q.first] = nil
	q.first, q.size = (q.first+1)%len(q.rows), q.size-1
	q.changed.Broadcast()
	return row, nil
}

func (q *FIFOQueue) isClosed() error { return session.Raise("CancelledError", "%s is closed.", q.name) }

// Size returns the number of rows.
func (q *FIFOQueue) Size() int { return q.size }

// EnqueueMany is not implemented and returns a NotImplementedError, as in the reference
// (prefetch_queue.py:90).
func (*FIFOQueue) EnqueueMany([][]any) error { return manyAtOnce() }

// DequeueMany is not implemented and returns a NotImplementedError, as in the reference
// (prefetch_queue.py:96).
func (*FIFOQueue) DequeueMany(int) ([][]any, error) {
	return nil, manyAtOnce()
}

func manyAtOnce() error {
	return pysem.Raise("NotImplementedError", "GPUCompatiblePaddingFIFOQueue does not support enqueue_many or dequeue_many, only enqueue and dequeue.")
}

// Close rejects further rows. The present ones can still be taken. Calls of Enqueue that wait for
// room keep waiting unless cancelPending is set.
func (q *FIFOQueue) Close(cancelPending bool) {
	q.closed, q.cancel = true, q.cancel || cancelPending
	q.changed.Broadcast()
}

// MultiFIFOQueue queues the tensors of a step. The tensors of GPUs have a queue apart from the
// tensors of the CPU (prefetch_queue.py:165).
type MultiFIFOQueue struct {
	queues []*FIFOQueue
	parts  [][]*Tensor
	places []place // for each tensor, the queue that it comes from and its index in a row of that queue
	row    []any   // row that was dequeued last
}

// The queues by device.
const (
	onCPU = iota
	onGPU
)

// newMultiFIFOQueue makes one queue for the tensors of the CPU, and a second if there are tensors
// of GPUs.
func newMultiFIFOQueue(tasks env.Tasks, tensors []*Tensor, capacity int, name string) *MultiFIFOQueue {
	q := &MultiFIFOQueue{parts: make([][]*Tensor, onGPU+1)}
	for _, t := range tensors {
		part := onCPU
		if strings.Contains(t.Device, "GPU") {
			part = onGPU
		}
		q.places = append(q.places, place{part, len(q.parts[part])})
		q.parts[part] = append(q.parts[part], t)
	}
	if len(q.parts[onGPU]) == 0 {
		q.parts = q.parts[:onGPU]
	}
	for range q.parts {
		q.queues = append(q.queues, NewFIFOQueue(tasks, capacity, name))
	}
	return q
}

// Queues returns the queue of the CPU's tensors and, if there are tensors of GPUs, their queue.
func (q *MultiFIFOQueue) Queues() []*FIFOQueue { return q.queues }

// Enqueue computes the tensors and adds their values as a row. It waits while the queue is full.
func (q *MultiFIFOQueue) Enqueue(s session.Session) error {
	for i, part := range q.parts {
		row := make([]any, len(part))
		for j, t := range part {
			value, err := t.Eval(s)
			if err != nil {
				return err
			}
			row[j] = value
		}
		if err := q.queues[i].Enqueue(row); err != nil {
			return err
		}
	}
	return nil
}

// Dequeue waits for a row and takes the oldest. The tensors that [EnqueueDicts] returned evaluate
// to the values of this row until the next call.
func (q *MultiFIFOQueue) Dequeue() error {
	var rows [onGPU + 1][]any
	for i, queue := range q.queues {
		row, err := queue.Dequeue()
		if err != nil {
			return err
		}
		rows[i] = row
	}
	if q.row == nil {
		q.row = make([]any, len(q.places))
	}
	for i, p := range q.places {
		q.row[i] = rows[p.kind][p.index]
	}
	return nil
}

// Size returns the number of rows in the CPU's queue.
func (q *MultiFIFOQueue) Size() int { return q.queues[onCPU].Size() }

// Close closes all queues.
func (q *MultiFIFOQueue) Close(cancelPending bool) {
	for _, queue := range q.queues {
		queue.Close(cancelPending)
	}
}

// dequeued returns a tensor that evaluates to the i-th value of the row dequeued last.
func (q *MultiFIFOQueue) dequeued(i int, device string) *Tensor {
	return &Tensor{Device: device, Eval: func(session.Session) (any, error) {
		if q.row == nil {
			return nil, session.Raise("FailedPreconditionError", "%s: nothing was dequeued yet", q.queues[onCPU].name)
		}
		return q.row[i], nil
	}}
}

// EnqueueDicts makes a queue for the tensors of a nested value (prefetch_queue.py:291). It returns
// the value with each tensor replaced by one that reads from the queue. With a capacity of 0 there
// is no queue, and it returns the value itself.
func EnqueueDicts(tasks env.Tasks, kept quirks.Set, value any, capacity int, name string) (any, *MultiFIFOQueue, error) {
	if capacity == 0 {
		return value, nil, nil
	}
	nested, err := NewNestedTensors(kept, value)
	if err != nil {
		return nil, nil, err
	}
	tensors := nested.Tensors()
	q := newMultiFIFOQueue(tasks, tensors, capacity, name)
	out := make([]*Tensor, len(tensors))
	for i, t := range tensors {
		out[i] = q.dequeued(i, t.Device)
	}
	result, err := nested.NestedResult(out)
	return result, q, err
}
