package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/expiring"
)

// Server serves one ZooKeeper machine on one address. One lock guards the machine. Each connection
// has a goroutine that reads. While there are bytes to send, it has a second one that writes. One
// more goroutine calls Tick. With a data directory, another one commits writes to it.
type Server struct {
	opt     Options
	limits  Limits
	clock   *Clock
	ln      *net.TCPListener
	beganMs int64
	// startedAt is when the server started. Connections without a session are closed at multiples
	// of FirstFrame after it.
	startedAt time.Time

	// mu is the server's own lock. In an ensemble it is the lock that all servers of the ensemble
	// share.
	mu       *sync.Mutex
	machine  *zookeeper.Machine
	conns    map[zookeeper.ConnID]*conn
	nextConn zookeeper.ConnID
	// connSets are the sets in which a real server keeps its connections until they are closed for
	// their silence. Their grid is FirstFrame (NIOServerCnxnFactory.java:628).
	connSets expiring.Sets
	perAddr  map[netip.Addr]int
	sockets  map[*conn]bool // sockets holds conns, and connections that are still being closed
	touched  []*conn        // touched lists connections whose writers are woken at the end of the turn
	down     bool           // down means that requests are no longer executed
	stats    serverStats
	faults   faults
	writes   *writeLog
	events   eventLog
	commit   *committer // commit is nil without a data directory
	// clients holds the IP address of each session's client, by session id. over lists the sessions
	// that ended in this turn. from is the address of the client whose connect request is being
	// handled.
	clients map[int64]netip.Addr
	over    []int64
	from    netip.Addr

	// member is the server's part in an ensemble; nil for a standalone server.
	member *member

	closed bool // closed is true once Close was called
	stop   chan struct{}
	wg     sync.WaitGroup
	// failed is the error with which the server stopped by itself; done is then closed.
	failed error
	done   chan struct{}
}

// Listen starts a server on a TCP address, such as "127.0.0.1:2181"; port 0 picks any.
func Listen(addr string, opt Options) (*Server, error) {
	s := newServer(opt, &sync.Mutex{})
	if err := s.boot(); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		if s.commit != nil {
			s.commit.store.close()
		}
		return nil, err
	}
	s.start(ln)
	return s, nil
}

func newServer(opt Options, mu *sync.Mutex) *Server {
	limits := opt.Limits.withDefaults()
	return &Server{
		opt: opt, limits: limits, mu: mu, startedAt: time.Now(),
		connSets: expiring.NewSets(max(limits.FirstFrame.Milliseconds(), 1)),
		conns:    map[zookeeper.ConnID]*conn{}, perAddr: map[netip.Addr]int{}, sockets: map[*conn]bool{},
		clients: map[int64]netip.Addr{}, stats: serverStats{traceMask: usualTraceMask},
		stop: make(chan struct{}), done: make(chan struct{}),
	}
}

func (s *Server) start(ln net.Listener) {
	s.ln = ln.(*net.TCPListener)
	s.wg.Add(2)
	go s.accept(s.ln)
	go s.passTime()
	if s.commit != nil {
		s.wg.Add(1)
		go s.commitLoop()
	}
}

// boot makes the machine from the data directory, the given snapshot or an empty tree.
func (s *Server) boot() error {
	snapshot, snapshotMs := s.opt.Snapshot, s.opt.SnapshotMs
	if s.opt.DataDir != "" {
		var err error
		if s.commit, snapshot, snapshotMs, err = openCommitter(&s.opt, snapshot, snapshotMs); err != nil {
			return err
		}
	}
	s.clock = s.opt.Clock
	if s.clock == nil {
		speed := s.opt.Speed
		if speed == 0 {
			speed = 1
		}
		s.clock = WallClock(speed, snapshotMs)
	}
	s.beganMs = s.clock.NowMs()
	cfg := s.opt.Config
	cfg.OnWrite, cfg.ShowWatches, cfg.Digests = s.wrote, true, true
	if snapshot == nil {
		s.machine = zookeeper.New(cfg, s.beganMs)
	} else {
		s.machine = zookeeper.Restore(cfg, s.beganMs, snapshot)
	}
	s.writes, s.events = newWriteLog(s.opt.WriteLog, s.beganMs), newEventLog(s.opt.EventLog)
	if s.commit == nil {
		return nil
	}
	s.machine.KeepNotes()
	s.commit.recorder.zxid = s.machine.Zxid()
	if snapshot == nil {
		if err := s.commit.store.first(s.beganMs, s.machine.Snapshot()); err != nil {
			s.commit.store.close()
			return fmt.Errorf("data directory %s: %w", s.opt.DataDir, err)
		}
		return nil
	}
	// A real server writes a snapshot whenever it starts. The next start fills the sets of
	// children's names from that snapshot, so the snapshot decides the order of the names (ZK-5.8).
	if s.commit.store.hasRecords() {
		if err := s.commit.store.rotate(s.beganMs, s.machine.Snapshot()); err != nil {
			s.commit.store.close()
			return fmt.Errorf("data directory %s: %w", s.opt.DataDir, err)
		}
	}
	return nil
}

// wrote is called by the machine for each write. It passes the write to the recorder and the logs.
func (s *Server) wrote(w zookeeper.Write) {
	if s.commit != nil {
		s.commit.recorder.note(&w)
	}
	if s.writes.on() || s.events.on() {
		from := s.addrOf(&w)
		s.writes.observe(s.machine.NowMs(), &w, from)
		s.events.event(&w, from)
	}
	if w.Op == zookeeper.OpCloseSession {
		s.over = append(s.over, w.Session)
	}
}

// addrOf returns the last known IP address of the client that wrote. The address is invalid for a
// write by the server itself, and for a session that has not reconnected since the server's
// restart.
func (s *Server) addrOf(w *zookeeper.Write) netip.Addr {
	if w.Op == zookeeper.OpCreateSession {
		return s.from
	}
	return s.clients[w.Session]
}

// Addr returns the address that the server listens on, such as "127.0.0.1:2181".
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Done returns a channel that is closed when the server has stopped by itself; Err then returns
// the reason. Close does not close the channel.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns the error with which the server stopped by itself; nil if it has not.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Snapshot returns the present state and the server's time in ms.
func (s *Server) Snapshot() (snapshot *zookeeper.Snapshot, nowMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.machine.Snapshot(), s.machine.NowMs()
}

// closingTime is how long Close waits for clients to close their side.
const closingTime = 100 * time.Millisecond

func (s *Server) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// Close stops the server. It sends the answers that are ready, and closes all connections.
// Sessions stay in the data directory and in Snapshot.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.wg.Wait()
		return nil
	}
	s.closed, s.down = true, true
	close(s.stop)
	err := s.ln.Close()
	for c := range s.sockets {
		c.hangUp()
		c.tcp.SetReadDeadline(time.Now().Add(closingTime))
	}
	if s.commit != nil {
		s.commit.finish()
	}
	s.mu.Unlock()
	s.wg.Wait()
	if s.commit != nil {
		err = errors.Join(err, s.commit.store.close())
	}
	return errors.Join(err, s.writes.flush(), s.events.flush())
}

func (s *Server) accept(ln *net.TCPListener) {
	defer s.wg.Done()
	for {
		tcp, err := ln.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Most likely the process has too many open files. Retrying helps, because connections
			// that end free file descriptors.
			s.opt.log("accept: %v", err)
			select {
			case <-s.stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		if c := s.admit(tcp); c != nil {
			go c.serve()
		} else {
			tcp.Close()
		}
	}
}

// admit registers an accepted connection. It returns nil if the server is closing, or if the
// client's address has too many connections.
func (s *Server) admit(tcp *net.TCPConn) *conn {
	remote, ok := tcp.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	c := &conn{s: s, tcp: tcp, sinceMs: s.clock.NowMs()}
	c.remote = netip.AddrPortFrom(remote.AddrPort().Addr().Unmap(), remote.AddrPort().Port())
	c.out.init()
	c.writer, c.socket = c.sendAll, newSocket(tcp)
	c.in.from, c.in.longest = c.socket, s.limits.FrameBytes
	s.mu.Lock()
	defer s.mu.Unlock()
	addr := c.remote.Addr()
	if s.down {
		return nil
	}
	if limit := s.limits.ConnsPerAddr; limit > 0 && s.perAddr[addr] >= limit {
		s.stats.rejected++
		s.opt.log("too many connections from /%s - max is %d", addr, limit)
		return nil
	}
	s.perAddr[addr]++
	s.nextConn++
	c.id = s.nextConn
	s.conns[c.id], s.sockets[c] = c, true
	s.postpone(c)
	s.wg.Add(2)
	return c
}

// ended removes a connection from the machine, after its last byte was read. err says why reading
// ended.
func (s *Server) ended(c *conn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, ErrMalformed) || errors.Is(err, errFrameLength) {
		s.opt.log("connection of /%s closed: %v", c.remote, err)
	}
	if s.faults.absence == Present {
		s.drop(c.id)
		s.deliver()
		s.endTurn()
	}
	delete(s.conns, c.id)
}

// left closes and removes a connection whose reader and writer have both ended.
func (s *Server) left(c *conn) {
	defer s.wg.Done()
	c.tcp.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, c)
	if addr := c.remote.Addr(); s.perAddr[addr] > 1 {
		s.perAddr[addr]--
	} else {
		delete(s.perAddr, addr)
	}
}

// passTime calls Tick whenever a timer of the machine is due.
func (s *Server) passTime() {
	defer s.wg.Done()
	if s.clock.manual != nil {
		return
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
			timer.Reset(s.clock.until(s.Tick()))
		}
	}
}

// Tick runs due timers. It returns the server's time in ms at which to call it again. This is at or
// before the next instant of the tick grid, on which sessions expire (ZK-3.1).
func (s *Server) Tick() (nextMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	nowMs := s.clock.NowMs()
	tickMs := s.tickMs()
	nextMs = (nowMs/tickMs + 1) * tickMs
	if s.faults.absence != Present {
		return nextMs
	}
	if s.member.follows() {
		return nextMs // the sessions are expired by the leader, not by this server
	}
	s.machine.Tick(s.nowMs())
	s.deliver()
	s.endTurn()
	if dueMs, ok := s.machine.NextExpiryMs(); ok {
		nextMs = min(nextMs, dueMs)
	}
	return nextMs
}

// nowMs returns the time of the server's machine. For a leader that a reconfig has removed, the
// time stands still.
func (s *Server) nowMs() int64 {
	if s.member.retires() {
		return s.member.retiredMs
	}
	return s.clock.NowMs()
}

func (s *Server) tickMs() int64 {
	if s.opt.Config.TickMs == 0 {
		return 2000
	}
	return s.opt.Config.TickMs
}
