package realrun

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/env"
)

// identity is what a client presents to continue its session. The zero value asks for a new
// session.
type identity struct {
	id       int64
	password []byte
	lastZxid int64
}

// link is one connection to a server, on which a zk.Conn speaks the protocol. By itself a zk.Conn
// would reconnect, continue the session and set its watches again, but not by kazoo's rules. So
// each zk.Conn gets a single connection, and link changes its connect request so that it asks for
// the right session.
//
// link is the net.Conn that the zk.Conn reads and writes. When the zk.Conn reads the next frame, it
// has handled the previous one completely.
type link struct {
	net.Conn
	zk  *zk.Conn
	who identity // session that the client asks for
	// speed is how much faster than the clock the client's time runs. 0 means 1. The server must
	// have the same speed, and timeouts in the protocol count in that time. The zk.Conn runs on
	// the clock, so it gets shortened timeouts.
	speed float64
	tell  func(news)
	// sent holds a token if a request was written since the latest call of ask.
	sent chan struct{}

	// opened is set while the session waits for the connection's end. Before that, for example
	// while a listener runs, kazoo sends no pings and checks no timeout.
	opened atomic.Bool

	// last is closed once the request of the latest ask is written. Only code that holds the
	// monitor uses it.
	last     chan struct{}
	inFlight sync.WaitGroup
	closed   sync.Once

	timeout time.Duration // session timeout that the client asks for
	asked   bool          // whether the session was asked for; only the writer touches it

	// Only the goroutine in which the zk.Conn reads may use the fields from here on.
	events []env.WatchEvent
	in     frames
	read   int // number of bytes read, counted until the granted timeout is known

	given     identity // session that the server granted, once greeted; frames has its last zxid
	timeoutMs int32
}

// news is an event that a link reports to its session.
type news struct {
	what  linkNews
	event env.WatchEvent
}

type linkNews uint8

const (
	linkGreeted linkNews = iota // the server granted a session
	linkRefused                 // the session that was asked for has expired
	linkDown                    // the connection is over
	linkEvent
)

// start begins the protocol; timeout is the session timeout to ask for.
func (l *link) start(timeout time.Duration) {
	l.speed = cmp.Or(l.speed, 1)
	l.timeout = timeout
	l.last = make(chan struct{})
	close(l.last)
	l.in.lastZxid.Store(l.who.lastZxid)
	dialed := false
	// Connect fails only for an empty list of servers.
	l.zk, _, _ = zk.Connect([]string{l.RemoteAddr().String()}, time.Duration(float64(timeout)/l.speed),
		zk.WithLogInfo(false), zk.WithLogger(silent{}),
		zk.WithHostProvider(&oneConnection{addr: l.RemoteAddr().String()}),
		zk.WithEventCallback(l.hear),
		zk.WithDialer(func(string, string, time.Duration) (net.Conn, error) {
			if dialed {
				return nil, errSpent
			}
			dialed = true
			return l, nil
		}))
}

var errSpent = errors.New("the link's only connection is over")

// hear receives the events of the zk.Conn, on the goroutines of the zk.Conn.
func (l *link) hear(e zk.Event) {
	if e.Type != zk.EventSession {
		if e.Type != zk.EventNotWatching {
			l.events = append(l.events, env.WatchEvent{Type: env.EventType(e.Type), Path: e.Path})
		}
		return
	}
	l.flush()
	switch e.State {
	case zk.StateHasSession:
		l.given, l.timeoutMs = l.in.given, l.in.timeoutMs
		l.tell(news{what: linkGreeted})
	case zk.StateExpired:
		l.tell(news{what: linkRefused})
	case zk.StateDisconnected:
		l.tell(news{what: linkDown})
	}
}

// flush reports the watch events that have arrived. By then the zk.Conn has also put them
// into the channels of their watches, see keepWatch.
func (l *link) flush() {
	for _, e := range l.events {
		l.tell(news{what: linkEvent, event: e})
	}
	l.events = nil
}

// Read reads for the zk.Conn and records what the frames say about the session.
func (l *link) Read(b []byte) (int, error) {
	l.flush()
	if l.speed == 1 || l.read >= givenEnd {
		n, err := l.Conn.Read(b)
		l.in.take(b[:n])
		return n, err
	}
	return l.readGiven(b)
}

// readGiven replaces Read until the granted timeout has arrived. It converts that timeout to
// wall time before the zk.Conn sees it.
func (l *link) readGiven(b []byte) (int, error) {
	n, err := io.ReadAtLeast(l.Conn, b, min(len(b), givenEnd-l.read))
	if from := givenAt - l.read; from >= 0 && n >= from+4 {
		ms := float64(binary.BigEndian.Uint32(b[from:])) / l.speed
		binary.BigEndian.PutUint32(b[from:], uint32(max(1, ms)))
	}
	l.read += n
	l.in.take(b[:n])
	return n, err
}

// Offsets of the granted timeout in the connect response. It follows the length and the
// protocol version (ZK-2.2).
const givenAt, givenEnd = 8, 12

// Offsets in the connect request: length, protocol version, last zxid, timeout, session id,
// and the password with its length (ZK-2.1).
const (
	lastZxidAt    = 8
	timeoutAt     = 16
	sessionAt     = 20
	passwordAt    = 32
	connectLength = 48
)

const pingXid = -2

// Write replaces the zk.Conn's connect request by a request for this link's session. It also
// drops pings at times when kazoo would send none.
func (l *link) Write(b []byte) (int, error) {
	switch {
	case !l.asked:
		l.asked = true
		if len(b) != connectLength {
			break
		}
		b = slices.Clone(b)
		binary.BigEndian.PutUint32(b[timeoutAt:], uint32(l.timeout.Milliseconds()))
		if l.who.id != 0 {
			binary.BigEndian.PutUint64(b[lastZxidAt:], uint64(l.who.lastZxid))
			binary.BigEndian.PutUint64(b[sessionAt:], uint64(l.who.id))
			copy(b[passwordAt:], l.who.password)
		}
	case int32(binary.BigEndian.Uint32(b[4:])) != pingXid:
		select {
		case l.sent <- struct{}{}:
		default:
		}
	case !l.opened.Load():
		return len(b), nil
	}
	return l.Conn.Write(b)
}

// SetReadDeadline sets the zk.Conn's limit for silence on the connection. Before the link is
// opened it does nothing, as kazoo checks no limit then.
func (l *link) SetReadDeadline(t time.Time) error {
	if !l.opened.Load() {
		return nil
	}
	return l.Conn.SetReadDeadline(t)
}

// begin is called when the session starts to wait for the connection's end. It sets the
// first read deadline.
func (l *link) begin() {
	l.opened.Store(true)
	silence := time.Duration(l.timeoutMs) * time.Millisecond * 2 / 3
	// The call fails only on a closed connection, which the reader notices by itself.
	_ = l.Conn.SetReadDeadline(time.Now().Add(silence))
}

// identity returns the session's identity, with the zxid of the last frame read. It is valid
// only once the server has granted a session.
func (l *link) identity() identity {
	who := l.given
	who.lastZxid = l.in.lastZxid.Load()
	return who
}

// ask calls the function request in a goroutine and passes its result to the function answer.
// request sends one request and waits for its answer. Requests are written in the order of the
// calls of ask, without waiting for the answers to earlier ones. The caller holds the monitor.
func (l *link) ask(request func() error, answer func(error)) {
	before, written := l.last, make(chan struct{})
	l.last = written
	l.inFlight.Go(func() {
		<-before
		result := make(chan error, 1)
		go func() { result <- request() }()
		var err error
		select {
		case <-l.sent:
			close(written)
			err = <-result
		case err = <-result:
			select { // sent may hold a token from just before the answer; if it does not, nothing was written
			case <-l.sent:
			default:
			}
			close(written)
		}
		answer(err)
	})
}

// endSession closes the session on the server once all earlier requests are answered. The
// caller holds the monitor.
func (l *link) endSession() {
	go func() {
		l.inFlight.Wait()
		l.zk.Close() // asks the server to end the session, and waits up to a second for the answer
		l.close()
	}()
}

// close closes the connection. The zk.Conn then tries in vain to close its session, so its
// Close runs in the background.
func (l *link) close() {
	l.closed.Do(func() {
		_ = l.Conn.Close() // the error is not looked at: the zk.Conn may have closed the connection
		go l.zk.Close()
	})
}

// oneConnection is the host provider of a zk.Conn whose dialer gives it only one connection. Before
// each later attempt, which the dialer refuses, the zk.Conn waits a second or until it is closed.
type oneConnection struct {
	addr string
	used bool
}

func (o *oneConnection) Init([]string) error { return nil }
func (o *oneConnection) Len() int            { return 1 }
func (o *oneConnection) Connected()          {}

// Next returns startOver from the second call on. That makes the zk.Conn drop unsent
// requests and check whether it was closed.
func (o *oneConnection) Next() (server string, startOver bool) {
	startOver, o.used = o.used, true
	return o.addr, startOver
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// frames parses the frames that pass, to learn the granted session and the last zxid.
type frames struct {
	greeted   bool
	given     identity
	timeoutMs int32
	lastZxid  atomic.Int64

	head []byte // first bytes of the present frame, with those of its length
	left int    // number of bytes of the frame that are still to come
}

// headBytes is how many bytes of a frame are kept. A connect response has 4 bytes of length
// and 36 or 37 more (ZK-2.2).
const headBytes = 40

func (f *frames) take(b []byte) {
	for len(b) > 0 {
		if n := len(f.head); n < 4 {
			k := min(4-n, len(b))
			f.head = append(f.head, b[:k]...)
			b = b[k:]
			if len(f.head) == 4 {
				f.left = int(binary.BigEndian.Uint32(f.head))
			}
		} else {
			k := min(f.left, len(b))
			f.head = append(f.head, b[:min(k, headBytes-n)]...)
			b = b[k:]
			f.left -= k
		}
		if len(f.head) >= 4 && f.left == 0 {
			f.frame(f.head[4:])
			f.head = f.head[:0]
		}
	}
}

func (f *frames) frame(b []byte) {
	switch {
	case !f.greeted:
		f.greeted = true
		if len(b) >= 36 {
			f.timeoutMs = int32(binary.BigEndian.Uint32(b[4:]))
			f.given = identity{id: int64(binary.BigEndian.Uint64(b[8:])), password: slices.Clone(b[20:36])}
		}
	case len(b) >= 12 && int32(binary.BigEndian.Uint32(b)) > 0:
		if zxid := int64(binary.BigEndian.Uint64(b[4:])); zxid > 0 {
			f.lastZxid.Store(zxid)
		}
	}
}
