package wire

import (
	"sync"

	"github.com/monosim/monosim/sim/zookeeper"
)

// keepBuffer is the largest buffer that an idle connection keeps.
const keepBuffer = 64 << 10

// queue is bytes of a number of messages.
type queue struct {
	bytes    []byte
	messages int
}

func (q *queue) add(out *zookeeper.Out) {
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

// take moves the first bytes, of a number of messages, to another queue.
func (q *queue) take(bytes, messages int, to *queue) {
	to.bytes = append(to.bytes, q.bytes[:bytes]...)
	to.messages += messages
	q.bytes = q.bytes[:copy(q.bytes, q.bytes[bytes:])]
	q.messages -= messages
	if len(q.bytes) == 0 && cap(q.bytes) > keepBuffer {
		q.bytes = nil
	}
}

// outgoing is what is to be sent to one client, in order: what the writer is
// sending, what is ready, and what is held until the disk has what it tells of.
type outgoing struct {
	mu sync.Mutex
	// work wakes the writer, room the reader.
	work, room sync.Cond

	sending, ready, held queue
	// markedBytes and markedMessages are the front part of held that the commit
	// under way sets free.
	markedBytes, markedMessages int

	last   bool // nothing comes any more: close after what is there
	broken bool // close now
}

func (o *outgoing) init() { o.work.L, o.room.L = &o.mu, &o.mu }

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

// wake lets the writer look for work.
func (o *outgoing) wake() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.work.Signal()
}

// mark remembers what is held now.
func (o *outgoing) mark() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.markedBytes, o.markedMessages = len(o.held.bytes), o.held.messages
}

// release makes ready what was marked.
func (o *outgoing) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.broken {
		return
	}
	o.held.take(o.markedBytes, o.markedMessages, &o.ready)
	o.markedBytes, o.markedMessages = 0, 0
	o.work.Signal()
}

// finish closes after what is there.
func (o *outgoing) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = true
	o.work.Signal()
	o.room.Signal()
}

// abort drops what is there.
func (o *outgoing) abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = true
	o.held, o.ready = queue{}, queue{}
	o.work.Signal()
	o.room.Signal()
}

func (o *outgoing) isBroken() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken
}

// next waits for bytes to send; ok is false when there will be none. What it
// gave before is taken to be sent.
func (o *outgoing) next() (bytes []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	spare := o.sending.bytes[:0]
	if cap(spare) > keepBuffer {
		spare = nil
	}
	o.sending = queue{}
	o.room.Signal()
	for len(o.ready.bytes) == 0 {
		if o.broken || o.last && len(o.held.bytes) == 0 {
			return nil, false
		}
		o.work.Wait()
	}
	o.sending, o.ready = o.ready, queue{bytes: spare}
	return o.sending.bytes, true
}
