package wire

import (
	"sync"

	"github.com/monosim/monosim/sim/zookeeper"
)

// queue holds encoded messages that wait for a client. An empty queue has no buffer.
type queue struct {
	bytes    []byte
	buffer   *[]byte // buffer is the pooled buffer behind bytes; nil if bytes is not pooled
	messages int
}

func (q *queue) add(out *zookeeper.Out) {
	if q.bytes == nil {
		q.buffer, q.bytes = borrow()
	}
	switch out.Kind {
	case zookeeper.OutConnected:
		q.bytes = AppendConnectResponse(q.bytes, &out.Connected)
	case zookeeper.OutReply:
		q.bytes = AppendReply(q.bytes, &out.Reply)
	case zookeeper.OutEvent:
		q.bytes = AppendEvent(q.bytes, &out.Event)
	}
	q.messages++
}

// extent is the length of the front part of a queue, in bytes and in messages.
type extent struct{ bytes, messages int }

// moveFront moves the front part of the queue to the end of another queue.
func (q *queue) moveFront(front extent, to *queue) {
	if front.bytes == len(q.bytes) && len(to.bytes) == 0 {
		to.drop()
		*to, *q = *q, queue{}
		return
	}
	to.bytes = append(to.bytes, q.bytes[:front.bytes]...)
	to.messages += front.messages
	q.bytes = q.bytes[:copy(q.bytes, q.bytes[front.bytes:])]
	q.messages -= front.messages
	if len(q.bytes) == 0 {
		q.drop()
	}
}

// drop empties the queue and returns its buffer to the pool.
func (q *queue) drop() {
	giveBack(q.buffer, q.bytes)
	*q = queue{}
}

// outgoing holds the messages to one client, in order. Those in sending are being written, and
// those in ready may be written. Those in held wait until the changes that they reveal are on disk.
// A writing goroutine exists only while there are bytes to send. If a method returns start true,
// the caller must start it.
type outgoing struct {
	mu sync.Mutex
	// room wakes the connection's reader, which waits while too many messages are unsent.
	room sync.Cond

	sending, ready, held queue
	// sealed is the front part of held whose changes are in the next batch for the disk. marked is
	// the front part of held that becomes ready once the present batch is on disk.
	sealed, marked extent

	last   bool // last means: close the connection after these messages
	broken bool // broken means: close the connection now
	writer writerState
}

// writerState says whether a connection has a writing goroutine. No other writer follows the one
// that closes the connection.
type writerState uint8

const (
	noWriter writerState = iota
	writing
	writerGone
)

func (o *outgoing) init() { o.room.L = &o.mu }

// start reports whether the caller must start a writer, and records that one is started. The caller
// holds the lock.
func (o *outgoing) start() bool {
	if o.writer != noWriter || !o.broken && len(o.ready.bytes) == 0 && !o.over() {
		return false
	}
	o.writer = writing
	return true
}

// over reports whether the last message has left both held and ready, so that the connection can
// end. The caller holds the lock.
func (o *outgoing) over() bool { return o.last && len(o.held.bytes) == 0 && len(o.ready.bytes) == 0 }

// add appends a message. If hold is set, the message must wait until the machine's changes are on
// disk. The result held says that it now waits. behind says that it was not added, because the
// client has too many unsent bytes and must be disconnected.
func (o *outgoing) add(out *zookeeper.Out, hold bool, limits *Limits) (held, behind bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.broken || o.last:
		return false, false
	case out.Kind == zookeeper.OutEvent && o.unsent() > limits.EventBytes:
		return false, true
	case hold || len(o.held.bytes) > 0:
		o.held.add(out)
		return true, false
	}
	o.ready.add(out)
	return false, false
}

func (o *outgoing) unsent() int {
	return len(o.sending.bytes) + len(o.ready.bytes) + len(o.held.bytes)
}

// waiting returns the number of unsent messages.
func (o *outgoing) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sending.messages + o.ready.messages + o.held.messages
}

func (o *outgoing) full(limits *Limits) bool {
	return o.unsent() > limits.UnsentBytes || o.sending.messages+o.ready.messages+o.held.messages > limits.Outstanding
}

// hasRoom reports whether the unsent answers are within the limits, so that another request may be
// executed.
func (o *outgoing) hasRoom(limits *Limits) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.full(limits)
}

// awaitRoom waits until another request may be executed, or until the connection closes.
func (o *outgoing) awaitRoom(limits *Limits) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.full(limits) && !o.broken && !o.last {
		o.room.Wait()
	}
}

// wake reports whether the caller must start a writer for ready messages.
func (o *outgoing) wake() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.start()
}

// seal records how much is held at the end of a turn. The changes of that turn go to disk with the
// next batch.
func (o *outgoing) seal() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealed = extent{len(o.held.bytes), o.held.messages}
}

// mark records that the sealed messages wait for the batch that is now being written.
func (o *outgoing) mark() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.marked = o.sealed
}

// release makes the marked messages ready, once their batch is on disk.
func (o *outgoing) release() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return false
	}
	o.held.moveFront(o.marked, &o.ready)
	o.sealed.bytes -= o.marked.bytes
	o.sealed.messages -= o.marked.messages
	o.marked = extent{}
	return o.start()
}

// finish makes the writer close the connection after it has sent the queued messages.
func (o *outgoing) finish() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = true
	o.room.Signal()
	return o.start()
}

// abort drops all messages and closes the connection.
func (o *outgoing) abort() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = true
	o.held.drop()
	o.ready.drop()
	o.room.Signal()
	return o.start()
}

func (o *outgoing) isBroken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken
}

// next returns bytes for the writer to send. It also drops the bytes of the previous call, which
// are sent by now. If bytes is nil the writer must end. If end is true it must also close the
// connection.
func (o *outgoing) next() (bytes []byte, end bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sending.drop()
	o.room.Signal()
	switch {
	case o.broken || o.over():
		o.writer = writerGone
		return nil, true
	case len(o.ready.bytes) == 0:
		o.writer = noWriter
		return nil, false
	}
	o.sending, o.ready = o.ready, queue{}
	return o.sending.bytes, false
}

// fail records that a write to the client has failed, and drops all messages. The caller closes
// the connection.
func (o *outgoing) fail() {
	o.abort()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writer = writerGone
}
