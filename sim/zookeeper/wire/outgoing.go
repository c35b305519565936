package wire

import (
	"sync"

	"github.com/monosim/monosim/sim/zookeeper"
)

// queue is bytes of a number of messages. One without any has no buffer.
type queue struct {
	bytes    []byte
	buffer   *[]byte // of bytes, when it is a shared one
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

// extent is how much of a queue is meant, from its front.
type extent struct{ bytes, messages int }

// take moves the front part to another queue.
func (q *queue) take(front extent, to *queue) {
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

// drop empties the queue.
func (q *queue) drop() {
	giveBack(q.buffer, q.bytes)
	*q = queue{}
}

// outgoing is what is to be sent to one client, in order: what the writer is
// sending, what is ready, and what is held until the disk has what it tells of. A
// writer is there only while there is something to send: methods that may make work
// for one report whether it has to be started.
type outgoing struct {
	mu sync.Mutex
	// room wakes the reader.
	room sync.Cond

	sending, ready, held queue
	// sealed is the front part of held whose records the next commit has, and marked that
	// which the commit under way sets free.
	sealed, marked extent

	last   bool // nothing comes any more: close after what is there
	broken bool // close now
	writer writerState
}

// writerState says whether there is a writer. The one that closes is the last.
type writerState uint8

const (
	noWriter writerState = iota
	writing
	writerGone
)

func (o *outgoing) init() { o.room.L = &o.mu }

// start takes note of the writer that the caller has to start, if it must. The lock is
// held.
func (o *outgoing) start() bool {
	if o.writer != noWriter || !o.broken && len(o.ready.bytes) == 0 && !o.over() {
		return false
	}
	o.writer = writing
	return true
}

// over reports whether all was sent that there will be. The lock is held.
func (o *outgoing) over() bool { return o.last && len(o.held.bytes) == 0 && len(o.ready.bytes) == 0 }

// add puts a message at the end. It reports whether the message is held, and
// whether the client has fallen too far behind for it.
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

// waiting is the number of messages that are not sent yet.
func (o *outgoing) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sending.messages + o.ready.messages + o.held.messages
}

func (o *outgoing) full(limits *Limits) bool {
	return o.unsent() > limits.UnsentBytes || o.sending.messages+o.ready.messages+o.held.messages > limits.Outstanding
}

// hasRoom reports whether another request may be taken.
func (o *outgoing) hasRoom(limits *Limits) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.full(limits)
}

// awaitRoom waits until another request may be taken, or none is.
func (o *outgoing) awaitRoom(limits *Limits) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.full(limits) && !o.broken && !o.last {
		o.room.Wait()
	}
}

// wake lets what is ready be sent.
func (o *outgoing) wake() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.start()
}

// seal remembers what is held at the end of a turn.
func (o *outgoing) seal() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealed = extent{len(o.held.bytes), o.held.messages}
}

// mark remembers what was sealed.
func (o *outgoing) mark() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.marked = o.sealed
}

// release makes ready what was marked.
func (o *outgoing) release() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return false
	}
	o.held.take(o.marked, &o.ready)
	o.sealed.bytes -= o.marked.bytes
	o.sealed.messages -= o.marked.messages
	o.marked = extent{}
	return o.start()
}

// finish closes after what is there.
func (o *outgoing) finish() (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = true
	o.room.Signal()
	return o.start()
}

// abort drops what is there.
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

// next gives the writer bytes to send. What it gave before is taken to be sent. Without
// bytes the writer's work is done: for now or, with end, for good.
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

// fail is that the client cannot be sent to: the writer's work is done for good.
func (o *outgoing) fail() {
	o.abort()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writer = writerGone
}
