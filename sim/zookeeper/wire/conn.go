package wire

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// maxBatch is how many requests of one connection are handled in one turn, so
// that a client that sends without end lets the others in.
const maxBatch = 128

// conn is one connection: a reader, which also closes, and while there is something to
// send a writer.
type conn struct {
	s      *Server
	id     zookeeper.ConnID
	tcp    *net.TCPConn
	remote netip.AddrPort
	// sinceMs is the server's clock when it was accepted.
	sinceMs int64
	out     outgoing
	// writer is write, to be started without a closure of its own.
	writer func()
	socket duplex

	// By the reader alone.
	in      incoming
	decoder Decoder

	// By the server's lock.
	touched bool // is to be woken at the end of the turn
	holds   bool // was given something to hold in this turn
	stats   connStats

	waits bool // is in the committer's list of those that have something held, by its lock
}

// errInfoProbe ends a connection that asked for a four-letter word.
var errInfoProbe = errors.New("four-letter word answered")

// serve reads until the end of the connection.
func (c *conn) serve() {
	defer c.s.wg.Done()
	err := c.read()
	c.s.ended(c, err)
	// What is ready is still sent: a client may have shut down its side only.
	c.startWriter(c.out.finish())
}

// startWriter starts a writer if it is needed.
func (c *conn) startWriter(needed bool) {
	if needed {
		go c.writer()
	}
}

func (c *conn) read() error {
	c.tcp.SetReadDeadline(time.Now().Add(c.s.limits.FirstFrame))
	word, err := c.in.peek(4)
	if err != nil {
		return err
	}
	if answer, known := c.s.word(c, string(word)); known {
		c.tcp.SetWriteDeadline(time.Now().Add(c.s.limits.LastBytes))
		_, err := io.WriteString(c.tcp, answer)
		return errors.Join(errInfoProbe, err)
	}
	message, err := c.in.message()
	if err != nil {
		return err
	}
	req, err := DecodeConnectRequest(message)
	if err != nil {
		return err
	}
	req.RemoteIP = c.remote.Addr().String()
	c.tcp.SetReadDeadline(time.Time{})
	c.s.letLagPass()
	if !c.s.connect(c, &req) {
		return net.ErrClosed
	}
	for {
		message, err := c.in.message()
		if err != nil {
			return err
		}
		if err := c.handle(message); err != nil {
			return err
		}
	}
}

// batches are requests that are being handled. Connections that wait for some have
// none, for there may be thousands.
var batches = sync.Pool{New: func() any { return &[maxBatch]zookeeper.Request{} }}

// handle does the request of a message and those that came with it. An error is of
// what came after them.
func (c *conn) handle(message []byte) error {
	list := batches.Get().(*[maxBatch]zookeeper.Request)
	batch, err := c.fill(list[:0], message)
	c.s.letLagPass()
	for done := 0; done < len(batch); {
		c.out.awaitRoom(&c.s.limits)
		if c.s.faults.any.Load() {
			c.suffer(batch[done : done+1])
			done++
			continue
		}
		done += c.s.handle(c, batch[done:])
	}
	clear(batch)
	batches.Put(list)
	return err
}

// fill reads the request of a message and those that are there already.
func (c *conn) fill(batch []zookeeper.Request, message []byte) (_ []zookeeper.Request, err error) {
	for {
		n := len(batch)
		batch = batch[:n+1]
		if err := c.decoder.Request(message, &batch[n]); err != nil {
			return batch[:n], err
		}
		if len(batch) == maxBatch || !c.in.ready() {
			return batch, nil
		}
		if message, err = c.in.message(); err != nil {
			return batch, err
		}
	}
}

// write sends what is ready. When nothing more will be, it closes the connection, the
// last thing that happens to it. A client that was told all gets the time to read it:
// closing over its unread requests would make its kernel throw our last bytes away.
func (c *conn) write() {
	for {
		bytes, end := c.out.next()
		if end {
			break
		}
		if bytes == nil {
			return
		}
		if !c.writeAll(bytes) {
			return
		}
	}
	c.end()
}

// writeAll waits until bytes are sent. It reports false when that was the end of the
// connection.
func (c *conn) writeAll(bytes []byte) bool {
	if _, err := c.tcp.Write(bytes); err != nil {
		c.out.fail()
		c.s.left(c)
		return false
	}
	return true
}

// push is write for a caller that must not wait: what the socket does not take at once is
// left to a goroutine. The caller has no lock.
func (c *conn) push() {
	for {
		bytes, end := c.out.next()
		if end {
			go c.end()
			return
		}
		if bytes == nil {
			return
		}
		n, err := c.socket.offer(bytes)
		switch {
		case err != nil:
			c.out.fail()
			c.s.left(c)
			return
		case n < len(bytes):
			go c.writeRest(bytes[n:])
			return
		}
	}
}

// writeRest is write, beginning with bytes that were to be sent before.
func (c *conn) writeRest(bytes []byte) {
	if c.writeAll(bytes) {
		c.write()
	}
}

// end closes the connection after all was sent.
func (c *conn) end() {
	c.tcp.CloseWrite()
	c.discard()
	c.s.left(c)
}

// lastRead is how much more is read of a client that was told all.
const lastRead = 1 << 20

// discard reads what the client still sends until it closes too.
func (c *conn) discard() {
	if c.out.isBroken() {
		return
	}
	limit := c.s.limits.LastBytes
	if c.s.stopped() {
		limit = closingTime
	}
	c.tcp.SetReadDeadline(time.Now().Add(limit))
	io.CopyN(io.Discard, c.tcp, lastRead)
}

// cut closes the connection now. It does not wait.
func (c *conn) cut() {
	c.startWriter(c.out.abort())
	c.tcp.SetLinger(0)
	c.tcp.Close()
}

// hangUp closes the connection after what was sent to it. It does not wait.
func (c *conn) hangUp() {
	c.tcp.SetWriteDeadline(time.Now().Add(c.s.limits.LastBytes))
	c.startWriter(c.out.finish())
}
