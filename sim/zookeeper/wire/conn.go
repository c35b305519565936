package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// maxBatch is how many requests of one connection are handled in one turn. The limit prevents a
// client that sends without pause from starving others.
const maxBatch = 128

// conn is one connection. One goroutine reads from it and closes it. A second one writes while
// there are bytes to send.
type conn struct {
	s      *Server
	id     zookeeper.ConnID
	tcp    *net.TCPConn
	remote netip.AddrPort
	// sinceMs is the server's time at which the connection was accepted.
	sinceMs int64
	// deadlineMs is when the connection is closed if it stays silent, as the word dump prints it.
	deadlineMs int64
	out        outgoing
	// writer is the method value sendAll, stored so that starting a goroutine does not allocate a
	// closure each time.
	writer func()
	socket duplex

	// Only the reading goroutine uses these fields.
	in      incoming
	decoder Decoder

	// The server's lock guards these fields.
	touched      bool // touched means that its writer is woken at the end of the turn
	heldThisTurn bool // heldThisTurn means that it got a held message in this turn
	stuck        bool // stuck means that a request waits for a leader that commits nothing any more
	stats        connStats

	inBatch bool // inBatch means that it is in the committer's next batch; the committer's lock guards it
}

// errInfoProbe ends a connection that sent a four-letter word (ZK-11).
var errInfoProbe = errors.New("four-letter word answered")

// serve handles the connection's requests until it ends.
func (c *conn) serve() {
	defer c.s.wg.Done()
	err := c.read()
	c.s.ended(c, err)
	// Messages that are ready are still sent, because the client may have closed only its sending
	// side.
	c.startWriter(c.out.finish())
}

func (c *conn) startWriter(needed bool) {
	if needed {
		go c.writer()
	}
}

// read handles the first message, which is a four-letter word or a connect request, and then all
// requests. The returned error says why the connection ended.
func (c *conn) read() error {
	c.in.before = c.prolong
	word, err := c.in.peek(4)
	if err != nil {
		return err
	}
	if string(word) == "stmk" {
		if err := c.setTraceMask(); err != nil {
			return err
		}
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
	req.RemoteIP = javaAddr(c.remote.Addr())
	c.in.before = nil
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
		if err := c.serveBatch(message); err != nil {
			return err
		}
	}
}

// awaits reports whether this request, or an earlier one of the connection, needs a leader that no
// longer commits. Such a request gets no answer until the connection ends. A sync is an exception:
// a leader answers it at once.
func (c *conn) awaits(req *zookeeper.Request) bool {
	c.stuck = c.stuck || req.Op.NeedsLeader() && req.Op != zookeeper.OpSync
	return c.stuck
}

// prolong extends the time that a connection without a session may wait for more bytes. Deadlines
// are multiples of limits.FirstFrame since the server's start. The new one is between one and two
// intervals after the last byte (NIOServerCnxnFactory.java:628).
func (c *conn) prolong() {
	grid := c.s.limits.FirstFrame
	up := time.Since(c.s.startedAt)
	c.tcp.SetReadDeadline(c.s.startedAt.Add(((up+grid)/grid + 1) * grid))
}

// errNoTraceMask ends a connection that has sent the word stmk without a mask. A real server does
// not wait for the mask either.
var errNoTraceMask = errors.New("stmk without its mask")

// setTraceMask reads the mask after the word stmk.
func (c *conn) setTraceMask() error {
	b := c.in.buf[c.in.start:c.in.end]
	if len(b) < 12 {
		return errNoTraceMask
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.stats.traceMask = int64(binary.BigEndian.Uint64(b[4:]))
	return nil
}

// javaAddr formats an address as Java does, which abbreviates no zeros of an IPv6 address.
func javaAddr(a netip.Addr) string {
	if !a.Is6() {
		return a.String()
	}
	b := a.As16()
	var groups []string
	for i := 0; i < len(b); i += 2 {
		groups = append(groups, strconv.FormatUint(uint64(binary.BigEndian.Uint16(b[i:])), 16))
	}
	text := strings.Join(groups, ":")
	if a.Zone() != "" {
		text += "%" + a.Zone()
	}
	return text
}

// javaAddrPort formats an address with its port as Java does.
func javaAddrPort(a netip.AddrPort) string {
	return net.JoinHostPort(javaAddr(a.Addr()), strconv.Itoa(int(a.Port())))
}

// batches pools lists of requests in progress. A connection that waits for requests holds no list,
// because there may be thousands of such connections.
var batches = sync.Pool{New: func() any { return &[maxBatch]zookeeper.Request{} }}

// serveBatch handles the request in message and all requests that have already arrived after it. An
// error concerns the bytes that follow these requests.
func (c *conn) serveBatch(message []byte) error {
	list := batches.Get().(*[maxBatch]zookeeper.Request)
	batch, err := c.fill(list[:0], message)
	c.s.letLagPass()
	for done := 0; done < len(batch); {
		c.out.awaitRoom(&c.s.limits)
		if c.s.faults.any.Load() {
			// While faults are active, each request is handled separately, because a fault counts
			// requests.
			c.suffer(batch[done : done+1])
			done++
			continue
		}
		done += c.s.handleBatch(c, batch[done:])
	}
	clear(batch)
	batches.Put(list)
	return err
}

// fill decodes message and the requests that have already arrived after it into batch.
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

// sendAll sends the messages that are ready. It closes the connection if no more will follow. It
// then gives the client time to read the last messages, because closing a socket with unread
// requests makes the kernel discard the bytes sent last.
func (c *conn) sendAll() {
	for {
		bytes, end := c.out.next()
		if end {
			break
		}
		if bytes == nil || !c.sendBlocking(bytes) {
			return
		}
	}
	c.end()
}

// sendBlocking sends bytes and waits until they are written. It returns false if the connection is
// broken.
func (c *conn) sendBlocking(bytes []byte) bool {
	if _, err := c.tcp.Write(bytes); err != nil {
		c.out.fail()
		c.s.left(c)
		return false
	}
	return true
}

// push does what sendAll does, for a caller that must not block. It sends what the socket accepts
// at once, and leaves the rest to a new goroutine. The caller must hold no lock.
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
			go c.sendFrom(bytes[n:])
			return
		}
	}
}

// sendFrom sends bytes that were already taken from the queue, and then the rest of the queue.
func (c *conn) sendFrom(bytes []byte) {
	if c.sendBlocking(bytes) {
		c.sendAll()
	}
}

// end closes the connection after all messages are sent.
func (c *conn) end() {
	c.tcp.CloseWrite()
	c.discard()
	c.s.left(c)
}

// lastRead is the maximum number of bytes that discard reads.
const lastRead = 1 << 20

// discard reads and drops the client's further bytes, until the client closes too.
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

// cut closes the connection at once and drops its unsent messages. It does not block.
func (c *conn) cut() {
	c.startWriter(c.out.abort())
	c.tcp.SetLinger(0)
	c.tcp.Close()
}

// hangUp closes the connection after its queued messages are sent. It does not block.
func (c *conn) hangUp() {
	c.tcp.SetWriteDeadline(time.Now().Add(c.s.limits.LastBytes))
	c.startWriter(c.out.finish())
}
