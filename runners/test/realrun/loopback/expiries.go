package loopback

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/runners/test/realrun/wiretap"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// expiries detects two kinds of changes that clients' traffic does not show: sessions that
// ZooKeeper ends by itself, and creates that succeeded although their answers were lost. It has a
// ZooKeeper client of its own, which watches every ephemeral and the path of every create without
// an answer. For a silent session without ephemerals, it asks the server.
type expiries struct {
	c      *Cluster
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu   sync.Mutex
	conn *zk.Conn // nil while ZooKeeper is down
}

func newExpiries(c *Cluster) *expiries {
	x := &expiries{c: c}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// begin connects to the server, which has just started, and begins to check sessions.
func (x *expiries) begin() {
	x.connect()
	x.wg.Go(x.askForTheSilent)
}

// observerTimeout is the session timeout of this program's own client, in the server's time.
const observerTimeout = 30 * time.Second

// connect opens a session for this program's own client with a server that has just started.
func (x *expiries) connect() {
	x.disconnect()
	x.c.tap.Lives(0)
	scale := x.c.zk.clockScale()
	conn, _, err := zk.Connect(x.c.zk.addrs(), time.Duration(float64(observerTimeout)*scale),
		zk.WithLogInfo(false), zk.WithLogger(silent{}),
		zk.WithDialer(func(network, addr string, limit time.Duration) (net.Conn, error) {
			conn, err := net.DialTimeout(network, addr, limit)
			return &scaledConn{Conn: conn, scale: scale}, err
		}))
	if err != nil {
		return // happens only for a server without an address
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.conn = conn
}

// disconnect closes the session of this program's own client. It is called before the server is
// stopped.
func (x *expiries) disconnect() {
	x.mu.Lock()
	conn := x.conn
	x.conn = nil
	x.mu.Unlock()
	if conn != nil {
		conn.Close()
	}
}

func (x *expiries) close() {
	x.cancel()
	x.disconnect()
	x.wg.Wait()
}

func (x *expiries) client() *zk.Conn {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.conn
}

// watch watches an ephemeral until it is deleted.
func (x *expiries) watch(e *wiretap.Ephemeral) {
	x.until(false, e.Path, e.Session, e.Over, func(int64) { x.c.tap.Gone(e) })
}

// await watches the path of a create without an answer until its znode is there.
func (x *expiries) await(c *wiretap.Create) {
	x.until(true, c.Path, c.Owner, c.Over, func(czxid int64) { x.c.tap.Made(c, czxid) })
}

// until waits until a znode that belongs to owner exists (if there is true), or until no such znode
// exists (if it is false). It then calls its last parameter with the znode's czxid. Once over is
// closed, it returns without this call.
func (x *expiries) until(there bool, path string, owner int64, over <-chan struct{}, then func(czxid int64)) {
	x.wg.Go(func() {
		for {
			found, czxid, changes, err := x.look(path, owner)
			again := (<-chan time.Time)(nil)
			switch {
			case err != nil:
				changes, again = nil, time.After(lookEvery)
			case found == there:
				then(czxid)
				return
			}
			select {
			case <-changes:
			case <-again:
			case <-over:
				return
			case <-x.ctx.Done():
				return
			}
		}
	})
}

// look reports whether a znode exists and is an ephemeral of the session owner. If owner is 0, the
// znode must be persistent. It sets a watch on the path.
func (x *expiries) look(path string, owner int64) (there bool, czxid int64, changes <-chan zk.Event, err error) {
	conn := x.client()
	if conn == nil {
		return false, 0, nil, zk.ErrConnectionClosed
	}
	there, stat, changes, err := conn.ExistsW(path)
	if err != nil || !there {
		return false, 0, changes, err
	}
	return stat.EphemeralOwner == owner, stat.Czxid, changes, nil
}

// askForTheSilent asks the server about sessions that have been silent for longer than their
// timeout, as far as the tap has seen.
func (x *expiries) askForTheSilent() {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	scale := x.c.zk.clockScale()
	for {
		select {
		case <-x.ctx.Done():
			return
		case now := <-again.C:
			for id, password := range x.c.tap.Silent(now, scale, x.c.wall(2*debianTick)) {
				x.ask(id, password)
			}
		}
	}
}

// ask asks the server whether a session has ended, by continuing it. A session that still
// lives thereby gets its whole timeout again.
func (x *expiries) ask(id int64, password [16]byte) {
	conn, err := x.c.dialZooKeeper("", "")
	if err != nil {
		x.c.tap.Lives(id) // a server that cannot be reached now ends no session, either
		return
	}
	defer conn.Close()
	switch resp, err := handshake(conn, id, password[:]); {
	case err == nil && resp.SessionID == 0:
		x.c.tap.Expired(id)
	default:
		x.c.tap.Lives(id)
	}
}

// handshake opens a session, or continues session id. If the server refuses to continue it, the
// session id in the response is 0.
func handshake(conn net.Conn, id int64, password []byte) (zookeeper.ConnectResponse, error) {
	if password == nil {
		password = make([]byte, 16)
	}
	if err := conn.SetDeadline(time.Now().Add(dialLimit)); err != nil {
		return zookeeper.ConnectResponse{}, err
	}
	ask := zookeeper.ConnectRequest{TimeoutMs: 10_000, SessionID: id, Password: password}
	if _, err := conn.Write(wire.AppendConnectRequest(nil, &ask)); err != nil {
		return zookeeper.ConnectResponse{}, err
	}
	frame, err := readFrame(conn)
	if err != nil {
		return zookeeper.ConnectResponse{}, err
	}
	return wire.DecodeConnectResponse(frame[4:])
}

// scaledConn connects a client on the wall clock to a server whose time runs faster. It
// scales the session timeouts in the protocol, which count in the server's time.
type scaledConn struct {
	net.Conn
	scale          float64
	asked, greeted bool
	rest           []byte // what remains unread of the server's first message
}

// Offsets of the session timeout in the client's and in the server's first message.
const askedAt, grantedAt = 4 + 12, 4 + 4

func (s *scaledConn) Write(b []byte) (int, error) {
	if !s.asked && len(b) >= askedAt+4 {
		s.asked = true
		b = append([]byte{}, b...)
		scale(b[askedAt:askedAt+4], 1/s.scale)
	}
	return s.Conn.Write(b)
}

func (s *scaledConn) Read(b []byte) (int, error) {
	if !s.greeted {
		frame, err := readFrame(s.Conn)
		if err != nil {
			return 0, err
		}
		if s.greeted = true; len(frame) >= grantedAt+4 {
			scale(frame[grantedAt:grantedAt+4], s.scale)
		}
		s.rest = frame
	}
	if len(s.rest) == 0 {
		return s.Conn.Read(b)
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}
