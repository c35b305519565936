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

// This file injects faults into a running server on request.

// RequestFault delays, fails or loses the next requests that match it.
type RequestFault struct {
	// Next is how many matching requests are affected.
	Next int
	// Ops lists the operations that match; an empty list matches all but pings.
	Ops []zookeeper.OpCode
	// Session is the id of the session whose requests match; 0 matches every session.
	Session int64
	// Delay is how long a request waits before it is executed, in wall time. Later requests of its
	// connection wait too.
	Delay time.Duration
	// Code is the error with which the server answers instead of executing the request; 0 executes
	// it.
	Code zookeeper.Code
	// Lose says whether the connection is closed before or after the request is executed, so that
	// no answer arrives.
	Lose Lose
}

// Lose says whether a fault loses a request or its answer by closing the connection.
type Lose uint8

// These are the values of Lose. LoseRequest loses a request before it is executed. LoseAnswer loses
// the answer after the request was executed.
const (
	LoseNothing Lose = iota
	LoseRequest
	LoseAnswer
)

// Absence says whether a server is unavailable (ZK-24.1, ZK-24.3).
type Absence uint8

// These are the values of Absence. A Leaderless server serves nobody, a ReadOnly one only
// read-only clients.
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

// faults holds the faults injected into one server; the server's lock guards them.
type faults struct {
	// any is false when no request is affected. It may be read without the lock.
	any     atomic.Bool
	lag     time.Duration
	pending []RequestFault
	absence Absence
}

// changed sets the field any anew. It must be called after each change of lag or pending.
func (f *faults) changed() { f.any.Store(f.lag > 0 || len(f.pending) > 0) }

// meet returns the first pending fault that affects a request, and counts the request against the
// fault's Next. It returns the zero fault if no fault matches.
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

func (f *RequestFault) befalls(session int64, op zookeeper.OpCode) bool {
	if f.Session != 0 && f.Session != session {
		return false
	}
	if len(f.Ops) == 0 {
		return op != zookeeper.OpPing
	}
	return slices.Contains(f.Ops, op)
}

// Befall adds a fault for later requests, behind the faults that are still pending. It returns an
// error for a fault without effect, or with two contradicting effects.
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

// Heal removes all injected faults, and makes the server available again.
func (s *Server) Heal() {
	s.mu.Lock()
	s.faults.pending, s.faults.lag = nil, 0
	s.faults.changed()
	s.mu.Unlock()
	s.BeAbsent(Present)
}

// Lag sets a delay for the handling of all bytes that clients send, in wall time. 0 ends the delay.
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

// Expire ends a session as if its client had been silent for its timeout. It returns false if
// there is no session with that id.
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

// Drop closes the connections of a session, or of all sessions for 0. It returns how many it
// closed. The sessions live on.
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

// BeAbsent makes the server unavailable until it is called with Present. Meanwhile the server
// closes every connection, and each new one after its first request; it writes nothing and expires
// no session. Afterwards sessions have their full timeouts again, and the next zxid is the first
// of a new epoch (ZK-24.2). For a server of an ensemble BeAbsent does nothing.
func (s *Server) BeAbsent(how Absence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.member != nil {
		return // whether the server serves is for its ensemble to decide
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

// elected restarts the machine in a new epoch, as a newly elected leader does.
func (s *Server) elected() {
	saved := s.machine.Snapshot()
	saved.BeginEpoch()
	cfg := s.opt.Config
	cfg.OnWrite = s.wrote
	s.machine = zookeeper.Restore(cfg, s.clock.NowMs(), saved)
}

// refuse answers the first request of a connection while the server is unavailable. Only a
// ReadOnly server answers a new read-only client; all other clients get no answer.
func (s *Server) refuse(c *conn, req *zookeeper.ConnectRequest) {
	if !req.ReadOnly || req.SessionID != 0 || s.faults.absence != ReadOnly {
		return
	}
	out := zookeeper.Out{Kind: zookeeper.OutReply, Reply: zookeeper.Reply{Zxid: s.zxid(), Err: zookeeper.CodeNotReadOnly}}
	s.send(c, &out, false)
	s.endTurn()
}

// zxid returns the last zxid that the server knows; 0 without a machine.
func (s *Server) zxid() int64 {
	if s.machine == nil {
		return 0
	}
	return s.machine.Zxid()
}

// suffer executes one request, with the effects of the fault that matches it, if any. The
// connection's reading goroutine calls it.
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

// failRequest answers a request with an error instead of executing it.
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
		s.machine.Heard(s.nowMs(), s.machine.Conn(c.id), req.Op)
	}
	s.deliver()
	out := zookeeper.Out{Conn: c.id, Kind: zookeeper.OutReply,
		Reply: zookeeper.Reply{Xid: req.Xid, Zxid: s.machine.Zxid(), Op: req.Op, Err: code}}
	s.send(c, &out, false)
	s.endTurn()
}

// letLagPass sleeps for the duration that Lag has set, if any.
func (s *Server) letLagPass() {
	if s.faults.any.Load() {
		s.mu.Lock()
		lag := s.faults.lag
		s.mu.Unlock()
		s.rest(lag)
	}
}

// rest sleeps for the duration d in wall time, or until the server closes.
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
	// Lag and Pending are the injected faults that will affect later requests.
	Lag     time.Duration
	Pending []RequestFault
}

// SessionLook describes a session and its connected client, if any.
type SessionLook struct {
	zookeeper.SessionInfo
	Client netip.AddrPort
	// LastOp is the last answered operation, as the four-letter word cons names it.
	LastOp string
}

// WatchLook describes a watch and the id of the session that set it.
type WatchLook struct {
	zookeeper.WatchInfo
	Session int64
}

// Look describes the present state of the server. Sessions are sorted by id, watches by path.
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

// Counters holds new values for a znode's counters, as SetCounters takes them. A nil field leaves
// its counter unchanged.
type Counters struct {
	// Sequence is the internal cversion. The name of the next sequential child ends with it.
	Sequence *int32
	// Version counts the changes of the znode's data, Aversion those of its access control list.
	Version, Aversion *int32
}

// SetCounters sets counters of a znode, so that clients can be tested where the counters overflow.
// It takes no zxid and fires no watch. With a data directory, the values become durable only with
// the next write. It returns false if there is no such znode.
func (s *Server) SetCounters(path string, to Counters) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	machines := []*zookeeper.Machine{s.machine}
	if s.member != nil {
		machines = nil
		for _, m := range s.member.ensemble.members {
			machines = append(machines, m.s.machine)
		}
	}
	found := false
	for _, m := range machines {
		if m != nil {
			found = m.SetCounters(path, to.Sequence, to.Version, to.Aversion) || found
		}
	}
	return found
}

// ParseOps returns the operations with the given names, such as "getData". The error lists all
// valid names.
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

// opNames returns the names of the operations that clients can request.
func opNames() (names []string) {
	for _, op := range zookeeper.OpCodes() {
		if op > zookeeper.OpNotification || op == zookeeper.OpCloseSession {
			names = append(names, op.String())
		}
	}
	return names
}
