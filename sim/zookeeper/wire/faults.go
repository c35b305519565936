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

// What may go wrong with a server that serves, when somebody asks for it.

// RequestFault is what befalls the next requests that it matches, beside or in place of
// what they ask for.
type RequestFault struct {
	// Next is how many requests it befalls; those are counted that match.
	Next int
	// Ops are the operations that it befalls; none are all but pings.
	Ops []zookeeper.OpCode
	// Session is whose requests it befalls; 0 is everybody's.
	Session int64
	// Delay is how long a request waits before it is done, in the wall clock's time. What
	// its connection sent behind it waits too.
	Delay time.Duration
	// Code is what a request is answered with in place of being done; 0 has it done.
	Code zookeeper.Code
	// Lose closes the connection in place of the answer.
	Lose Lose
}

// Lose says which part of a request is lost with its connection.
type Lose uint8

// What is lost: nothing, the request before it is done, or its answer after it was done.
const (
	LoseNothing Lose = iota
	LoseRequest
	LoseAnswer
)

// Absence is how a server serves nobody (ZK-24.1, ZK-24.3).
type Absence uint8

// A server is there, or it is without a leader, or it would only be read from.
const (
	Present Absence = iota
	Leaderless
	ReadOnly
)

func (a Absence) String() string {
	switch a {
	case Present:
		return "serving"
	case Leaderless:
		return "leaderless"
	case ReadOnly:
		return "read-only"
	}
	return fmt.Sprintf("Absence(%d)", uint8(a))
}

// faults are those of one server, by its lock.
type faults struct {
	// any is false while requests are done as they come; it may be asked without the lock.
	any     atomic.Bool
	lag     time.Duration
	pending []RequestFault
	absence Absence
}

func (f *faults) looked() { f.any.Store(f.lag > 0 || len(f.pending) > 0) }

// meet takes what befalls a request.
func (f *faults) meet(session int64, op zookeeper.OpCode) (met RequestFault) {
	i := slices.IndexFunc(f.pending, func(p RequestFault) bool { return p.befalls(session, op) })
	if i < 0 {
		return met
	}
	met = f.pending[i]
	if f.pending[i].Next--; f.pending[i].Next == 0 {
		f.pending = slices.Delete(f.pending, i, i+1)
		f.looked()
	}
	return met
}

func (f *RequestFault) befalls(session int64, op zookeeper.OpCode) bool {
	if f.Session != 0 && f.Session != session {
		return false
	}
	if len(f.Ops) == 0 {
		return op != zookeeper.OpPing
	}
	return slices.Contains(f.Ops, op)
}

// Befall has a fault befall requests from now on, behind those that still wait for
// theirs.
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
	s.faults.looked()
	return nil
}

// Heal ends all faults: requests are done as they come, and the server serves.
func (s *Server) Heal() {
	s.mu.Lock()
	s.faults.pending, s.faults.lag = nil, 0
	s.faults.looked()
	s.mu.Unlock()
	s.BeAbsent(Present)
}

// Lag makes whatever comes from a connection wait that long before it is read, in the wall
// clock's time; 0 ends it.
func (s *Server) Lag(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("found a lag of %v, want 0 or more", d)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.lag = d
	s.faults.looked()
	return nil
}

// Expire ends a session as if its client had been silent for too long, and reports
// whether there was one of that id.
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

// Drop cuts the connections of a session, of all sessions for 0, and says how many those
// were. Sessions live on.
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

// BeAbsent does nothing to a server of an ensemble. Of another it closes every connection, and every new one after its first request, until
// it is called with Present. Meanwhile nothing is written and no session expires; then
// sessions have their full timeouts again, and the next zxid is the first of a new epoch
// (ZK-24.2).
func (s *Server) BeAbsent(how Absence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.member != nil {
		return // its ensemble says when
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

// elected has the machine go on as a new leader's.
func (s *Server) elected() {
	saved := s.machine.Snapshot()
	saved.BeginEpoch()
	cfg := s.opt.Config
	cfg.OnWrite = s.wrote
	s.machine = zookeeper.Restore(cfg, s.clock.NowMs(), saved)
}

// refuse answers the first request of a connection to a server that is absent.
func (s *Server) refuse(c *conn, req *zookeeper.ConnectRequest) {
	if !req.ReadOnly || req.SessionID != 0 || s.faults.absence != ReadOnly {
		return
	}
	out := zookeeper.Out{Kind: zookeeper.OutReply, Reply: zookeeper.Reply{Zxid: s.zxid(), Err: zookeeper.CodeNotReadOnly}}
	s.send(c, &out, false)
	s.endTurn()
}

// zxid is the last that the server knows.
func (s *Server) zxid() int64 {
	if s.machine == nil {
		return 0
	}
	return s.machine.Zxid()
}

// suffer does a request to which something may happen; by the reader of its connection.
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
		s.handle(c, one)
		c.cut()
	case met.Code != 0:
		s.failRequest(c, &one[0], met.Code)
	default:
		s.handle(c, one)
	}
}

// failRequest answers a request with an error, and does nothing else for it.
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

// letLagPass lets the server's lag pass, for what a connection has sent.
func (s *Server) letLagPass() {
	if s.faults.any.Load() {
		s.mu.Lock()
		lag := s.faults.lag
		s.mu.Unlock()
		s.rest(lag)
	}
}

// rest lets time pass, or the server close.
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

// Look is what there is of a server at one instant.
type Look struct {
	Mode     string
	Zxid     int64
	NowMs    int64
	Znodes   int
	Sessions []SessionLook
	Watches  []WatchLook
	// Lag and Pending are what befalls requests.
	Lag     time.Duration
	Pending []RequestFault
}

// SessionLook is a session, and the client that is attached to it, if any.
type SessionLook struct {
	zookeeper.SessionInfo
	Client netip.AddrPort
	// LastOp is the last operation that was answered, as the word cons calls it.
	LastOp string
}

// WatchLook is a watch and whose it is.
type WatchLook struct {
	zookeeper.WatchInfo
	Session int64
}

// Look tells what there is. Sessions are ordered by id, watches by path.
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

// Node is a znode, with the names of its children in order; it reports false when there
// is none.
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

// ParseOps reads names of operations, as "getData"; the error lists those that there are.
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

// opNames are the operations that clients ask for.
func opNames() (names []string) {
	for _, op := range zookeeper.OpCodes() {
		if op > zookeeper.OpNotification || op == zookeeper.OpCloseSession {
			names = append(names, op.String())
		}
	}
	return names
}
