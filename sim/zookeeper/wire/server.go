package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Server serves one machine on one address. The machine is behind one lock; each
// connection has a goroutine that reads and, while there is something to send, one that
// writes, and there is one that lets time pass and, with a data directory, one that
// writes to it.
type Server struct {
	opt     Options
	limits  Limits
	clock   *Clock
	ln      *net.TCPListener
	beganMs int64

	// mu is the server's own, or that of its ensemble.
	mu       *sync.Mutex
	machine  *zookeeper.Machine
	conns    map[zookeeper.ConnID]*conn
	nextConn zookeeper.ConnID
	perAddr  map[netip.Addr]int
	sockets  map[*conn]bool // conns, and those that are only being closed
	touched  []*conn        // to be woken at the end of the turn
	down     bool           // no request is taken any more
	stats    serverStats
	faults   faults
	writes   *writeLog
	events   eventLog
	commit   *committer // nil without a data directory
	// clients are the addresses of sessions; over are those that have ended in
	// this input, and from is who connects.
	clients map[int64]netip.Addr
	over    []int64
	from    netip.Addr

	// member is its place in an ensemble, nil for a server by itself.
	member *member

	closed bool // by Close
	stop   chan struct{}
	wg     sync.WaitGroup
	// failed is what made the server stop by itself; done is closed then.
	failed error
	done   chan struct{}
}

// Listen starts a server on a TCP address, as "127.0.0.1:2181"; port 0 is any.
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
	return &Server{
		opt: opt, limits: opt.Limits.withDefaults(), mu: mu,
		conns: map[zookeeper.ConnID]*conn{}, perAddr: map[netip.Addr]int{}, sockets: map[*conn]bool{},
		clients: map[int64]netip.Addr{},
		stop:    make(chan struct{}), done: make(chan struct{}),
	}
}

// start serves on a listener.
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

// boot makes the machine from what there is of it.
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
	cfg.OnWrite = s.wrote
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
	}
	return nil
}

// wrote is the machine's OnWrite.
func (s *Server) wrote(w zookeeper.Write) {
	if s.commit != nil {
		s.commit.recorder.note(&w)
	}
	if s.writes.on() || s.events.on() {
		from := s.addrOf(&w)
		s.writes.write(s.machine.NowMs(), &w, from)
		s.events.write(&w, from)
	}
	if w.Op == zookeeper.OpCloseSession {
		s.over = append(s.over, w.Session)
	}
}

// addrOf is the address of the client that wrote, as it was last seen. It is not
// valid for the server itself, and for a session that nobody has attached to
// since a restart.
func (s *Server) addrOf(w *zookeeper.Write) netip.Addr {
	if w.Op == zookeeper.OpCreateSession {
		return s.from
	}
	return s.clients[w.Session]
}

// Addr is where the server listens, as "127.0.0.1:2181".
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Done returns a channel that is closed when the server has stopped by itself; Err then
// says why. Close does not close it.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err is why the server has stopped by itself, nil when it has not.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Snapshot is the state as it is now, with the server's clock.
func (s *Server) Snapshot() (snapshot *zookeeper.Snapshot, nowMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.machine.Snapshot(), s.machine.NowMs()
}

// closingTime is how long clients have to close when the server stops.
const closingTime = 100 * time.Millisecond

// stopped reports whether Close was called.
func (s *Server) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// Close stops the server: connections get what was answered before and are
// closed; sessions stay in the data directory and in what Snapshot gives.
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
		err = errors.Join(err, s.commit.close())
	}
	return errors.Join(err, s.writes.flush(), s.events.flush())
}

// accept takes connections until the listener is closed.
func (s *Server) accept(ln *net.TCPListener) {
	defer s.wg.Done()
	for {
		tcp, err := ln.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of file descriptors, as a rule: some will come back.
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

// admit makes the connection; nil when its address has too many.
func (s *Server) admit(tcp *net.TCPConn) *conn {
	remote, ok := tcp.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return nil
	}
	c := &conn{s: s, tcp: tcp, sinceMs: s.clock.NowMs()}
	c.remote = netip.AddrPortFrom(remote.AddrPort().Addr().Unmap(), remote.AddrPort().Port())
	c.out.init()
	c.writer, c.socket = c.write, newSocket(tcp)
	c.in.from = c.socket
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
	c.stats.reset()
	s.conns[c.id], s.sockets[c] = c, true
	s.wg.Add(2)
	return c
}

// ended takes a connection off that has nothing more to say.
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

// left forgets a connection whose writer is done too, the last thing that
// happens to it.
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

// passTime lets the machine do what is due at its instant.
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

// Tick does what is due and returns when to look again: at the next instant of the tick
// grid, where all sessions expire, or before it (ZK-3.1).
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
		return nextMs // sessions expire at the leader
	}
	s.machine.Tick(nowMs)
	s.deliver()
	s.endTurn()
	if dueMs, ok := s.machine.NextExpiryMs(); ok {
		nextMs = min(nextMs, dueMs)
	}
	return nextMs
}

func (s *Server) tickMs() int64 {
	if s.opt.Config.TickMs == 0 {
		return 2000
	}
	return s.opt.Config.TickMs
}
