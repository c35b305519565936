package wire

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// This file has what may go wrong with a running server when somebody asks for it.

// RequestFault is a fault of the next requests that match it. It delays them, fails them or
// loses them.
type RequestFault struct {
	// Next is how many matching requests have the fault.
	Next int
	// Ops are the operations that match; an empty list is all of them but pings.
	Ops []zookeeper.OpCode
	// Session is the session whose requests match; 0 is every session.
	Session int64
	// Delay is how long a request waits before it is done, in wall time. What its
	// connection sent behind it waits too.
	Delay time.Duration
	// Code is the error that answers a request in place of doing it; 0 has it done.
	Code zookeeper.Code
	// Lose closes the connection in place of the answer.
	Lose Lose
}

// Lose says which part of a request is lost with its connection.
type Lose uint8

// A fault loses nothing, the request before it is done, or the answer after it is done.
const (
	LoseNothing Lose = iota
	LoseRequest
	LoseAnswer
)

// Absence says whether a server serves nobody (ZK-24.1, ZK-24.3).
type Absence uint8

// A server serves, has no leader, or serves read-only clients alone.
const (
	Present Absence = iota
	Leaderless
	ReadOnly
)

func (a Absence) String() string {
	if names := [...]string{"serving", "leaderless", "read-only"}; int(a) < len(names) {
		return names[a]
	}
	return fmt.Sprintf("Absence(%d)", uint8(a))
}

// faults are the faults of one server, guarded by its lock.
type faults struct {
	// any is false when requests have no fault. It may be read without the lock.
	any     atomic.Bool
	lag     time.Duration
	pending []RequestFault
	absence Absence
}

// changed updates any after a change of the faults.
func (f *faults) changed() { f.any.Store(f.lag > 0 || len(f.pending) > 0) }

// meet returns the fault of a request and counts it; the zero fault when it has none.
func (f *faults) meet(session int64, op zookeeper.OpCode) (met RequestFault) {
	i := slices.IndexFunc(f.pending, func(p RequestFault) bool { return p.befalls(session, op) })
	if i < 0 {
		return met
	}
	met = f.pending[i]
	if f.pending[i].Next--; f.pending[i].Next == 0 {
		f.pending = slices.Delete(f.pending, i, i+1)
		f.changed()
	}
	return met
}

// befalls reports whether a request matches the fault.
func (f *RequestFault) befalls(session int64, op zookeeper.OpCode) bool {
	if f.Session != 0 && f.Session != session {
		return false
	}
	if len(f.Ops) == 0 {
		return op != zookeeper.OpPing
	}
	return slices.Contains(f.Ops, op)
}

// Befall adds a fault for coming requests, behind the pending ones. It returns an error
// for a fault that would do nothing or two things at once.
func (s *Server) Befall(f RequestFault) error {
	switch {
	case f.Next <= 0:
		return fmt.Errorf("found %d requests, want 1 or more", f.Next)
	case f.Delay < 0:
		return fmt.Errorf("found a delay of %v, want 0 or more", f.Delay)
	case f.Delay == 0 && f.Code == 0 && f.Lose == LoseNothing:
		return fmt.Errorf("found nothing to befall requests, want a delay, a code or something to lose")
	case f.Code != 0 && f.Lose != LoseNothing:
		return fmt.Errorf("found a code and something to lose, want one of them")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.pending = append(s.faults.pending, f)
	s.faults.changed()
	return nil
}

// Heal ends all faults and makes the server serve again.
func (s *Server) Heal() {
	s.mu.Lock()
	s.faults.pending, s.faults.lag = nil, 0
	s.faults.changed()
	s.mu.Unlock()
	s.BeAbsent(Present)
}

// Lag delays whatever comes from a connection before it is handled, in wall time; 0 ends
// that.
func (s *Server) Lag(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("found a lag of %v, want 0 or more", d)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.lag = d
	s.faults.changed()
	return nil
}

// Expire ends a session as if its client had been silent for too long. It reports whether
// there is a session with that id.
func (s *Server) Expire(session int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	machine := s.machine
	if s.member != nil {
		machine = s.member.ensemble.leaderMachine()
	}
	if machine == nil || s.faults.absence != Present {
		return false
	}
	known := slices.ContainsFunc(machine.Sessions(), func(i zookeeper.SessionInfo) bool { return i.ID == session })
	if known {
		machine.KillSession(s.clock.NowMs(), session)
		s.deliver()
		s.endTurn()
	}
	return known
}

// Drop cuts the connections of a session, or of all sessions for 0. It returns how many it
// cut. The sessions live on.
func (s *Server) Drop(session int64) (dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.connsByID() {
		if c.stats.session != 0 && (session == 0 || c.stats.session == session) {
			c.cut()
			dropped++
		}
	}
	return dropped
}

// BeAbsent takes the server away until it is called with Present. Meanwhile it closes every
// connection, and each new one after its first request; nothing is written and no session
// expires. Afterwards sessions have their full timeouts again, and the next zxid is the
// first of a new epoch (ZK-24.2). BeAbsent does nothing to a server of an ensemble.
func (s *Server) BeAbsent(how Absence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.member != nil {
		return // its ensemble decides whether it serves
	}
	was := s.faults.absence
	if how == was {
		return
	}
	s.faults.absence = how
	if how == Present {
		s.elected()
		return
	}
	for _, c := range s.connsByID() {
		s.machine.Drop(s.machine.NowMs(), c.id)
		c.hangUp()
	}
}

// elected restarts the machine as that of a new leader.
func (s *Server) elected() {
	saved := s.machine.Snapshot()
	saved.BeginEpoch()
	cfg := s.opt.Config
	cfg.OnWrite = s.wrote
	s.machine = zookeeper.Restore(cfg, s.clock.NowMs(), saved)
}

// refuse answers the first request of a connection to an absent server.
func (s *Server) refuse(c *conn, req *zookeeper.ConnectRequest) {
	if !req.ReadOnly || req.SessionID != 0 || s.faults.absence != ReadOnly {
		return
	}
	out := zookeeper.Out{Kind: zookeeper.OutReply, Reply: zookeeper.Reply{Zxid: s.zxid(), Err: zookeeper.CodeNotReadOnly}}
	s.send(c, &out, false)
	s.endTurn()
}

// zxid returns the last zxid that the server knows, 0 without a machine.
func (s *Server) zxid() int64 {
	if s.machine == nil {
		return 0
	}
	return s.machine.Zxid()
}

// suffer does one request that may have a fault. The connection's reading goroutine calls
// it.
func (c *conn) suffer(one []zookeeper.Request) {
	s := c.s
	s.mu.Lock()
	met := s.faults.meet(c.stats.session, one[0].Op)
	s.mu.Unlock()
	s.rest(met.Delay)
	switch {
	case met.Lose == LoseRequest:
		c.cut()
	case met.Lose == LoseAnswer:
		c.startWriter(c.out.abort())
		s.handleBatch(c, one)
		c.cut()
	case met.Code != 0:
		s.failRequest(c, &one[0], met.Code)
	default:
		s.handleBatch(c, one)
	}
}

// failRequest answers a request with an error and does nothing else for it.
func (s *Server) failRequest(c *conn, req *zookeeper.Request, code zookeeper.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down || !s.established(c) {
		return
	}
	s.received(c)
	if s.member.follows() {
		s.member.heard(c.id, req.Op)
	} else {
		s.machine.Heard(s.clock.NowMs(), s.machine.Conn(c.id), req.Op)
	}
	s.deliver()
	out := zookeeper.Out{Conn: c.id, Kind: zookeeper.OutReply,
		Reply: zookeeper.Reply{Xid: req.Xid, Zxid: s.machine.Zxid(), Op: req.Op, Err: code}}
	s.send(c, &out, false)
	s.endTurn()
}

// letLagPass waits for the server's lag before it handles what a connection has sent.
func (s *Server) letLagPass() {
	if s.faults.any.Load() {
		s.mu.Lock()
		lag := s.faults.lag
		s.mu.Unlock()
		s.rest(lag)
	}
}

// rest waits for a time, or until the server closes.
func (s *Server) rest(d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stop:
	}
}

// Look describes a server at one instant.
type Look struct {
	Mode     string
	Zxid     int64
	NowMs    int64
	Znodes   int
	Sessions []SessionLook
	Watches  []WatchLook
	// Lag and Pending are the faults of coming requests.
	Lag     time.Duration
	Pending []RequestFault
}

// SessionLook describes a session and the client that is attached to it, if any.
type SessionLook struct {
	zookeeper.SessionInfo
	Client netip.AddrPort
	// LastOp is the last operation that was answered, under the name that the word cons
	// has for it.
	LastOp string
}

// WatchLook describes a watch and the session that set it.
type WatchLook struct {
	zookeeper.WatchInfo
	Session int64
}

// Look describes the server now. Sessions are ordered by id, watches by path.
func (s *Server) Look() Look {
	s.mu.Lock()
	defer s.mu.Unlock()
	look := Look{Mode: s.faults.absence.String(), NowMs: s.clock.NowMs(), Lag: s.faults.lag, Pending: slices.Clone(s.faults.pending)}
	if s.member != nil {
		look.Mode = s.member.mode()
	}
	if s.machine == nil {
		return look
	}
	look.Zxid, look.Znodes = s.machine.Zxid(), s.nodeCount()
	for _, info := range s.machine.Sessions() {
		one := SessionLook{SessionInfo: info}
		if c := s.conns[info.Conn]; info.Attached && c != nil {
			one.Client, one.LastOp = c.remote, c.stats.lastOp
		}
		look.Sessions = append(look.Sessions, one)
	}
	for _, w := range s.machine.Watches() {
		one := WatchLook{WatchInfo: w}
		if c := s.conns[w.Conn]; c != nil {
			one.Session = c.stats.session
		}
		look.Watches = append(look.Watches, one)
	}
	return look
}

// Node returns a znode and the sorted names of its children; ok is false when there is none.
func (s *Server) Node(path string) (node zookeeper.Node, children []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.machine == nil {
		return node, nil, false
	}
	if node, ok = s.machine.Lookup(path); ok {
		children = s.machine.Children(path)
	}
	return node, children, ok
}

// ParseOps returns the operations with the given names, such as "getData". The error lists
// the names that there are.
func ParseOps(names []string) (ops []zookeeper.OpCode, err error) {
	for _, name := range names {
		i := slices.IndexFunc(zookeeper.OpCodes(), func(op zookeeper.OpCode) bool { return op.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("operation %q, want some of %s", name, strings.Join(opNames(), ", "))
		}
		ops = append(ops, zookeeper.OpCodes()[i])
	}
	return ops, nil
}

// opNames returns the names of the operations that clients can ask for.
func opNames() (names []string) {
	for _, op := range zookeeper.OpCodes() {
		if op > zookeeper.OpNotification || op == zookeeper.OpCloseSession {
			names = append(names, op.String())
		}
	}
	return names
}
