package wire

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// EnsembleOptions configures an ensemble.
type EnsembleOptions struct {
	// Server configures each server. It must have no Clock, DataDir or Snapshot: an ensemble keeps
	// its state in memory, including that of stopped servers.
	Server Options
	// Listen holds the TCP addresses on which servers 1, 2 and so on listen.
	Listen []string
	// Observers is the number of servers without a vote, counted from the last server backwards.
	Observers int
	// Election is the duration of a leader's election, in wall time; 0 means 300 ms.
	Election time.Duration
	// ReadOnly makes servers without a quorum serve read-only clients (readonlymode.enabled), once
	// they have looked for a leader for two seconds without success.
	ReadOnly bool
	// LocalSessions allows read-only servers to create sessions (localSessionsEnabled). Without it
	// they refuse read-only clients too (ZK-24.3).
	LocalSessions bool
	// Stopped starts the ensemble with all servers stopped; the caller starts them one by one.
	Stopped bool
}

// readersAfter is how long a server looks for a leader before it serves read-only clients
// (QuorumPeer.java, Math.max(2000, tickTime)).
const readersAfter = 2 * time.Second

// Ensemble is several servers, each on its own address. One of them is the leader, and the others
// copy the leader's writes. Committed state is on a majority, so it survives the loss of any single
// server.
type Ensemble struct {
	opt    EnsembleOptions
	clock  *Clock
	writes *writeLog
	events eventLog

	mu      sync.Mutex
	quorum  *zookeeper.Quorum
	members []*member
	leader  *member // leader is nil if there is none
	// designated is the next leader after a reconfig that has removed the present one; else nil.
	// ledSinceMs is when the present leader began to lead.
	designated *member
	ledSinceMs int64
	// state is the committed state while there is no leader.
	state *zookeeper.Snapshot
	// clients holds the IP address of each session's client, by session id, as in Server.
	clients map[int64]netip.Addr
	// electionAt is the time of the next election. It is zero if no election is due, for example
	// because there is no majority.
	electionAt time.Time
	alarm      *time.Timer
	// changed is the membership after a reconfig that followChange has not applied yet.
	changed *members.List
	closed  bool
}

// ListenEnsemble starts an ensemble; the caller must call Close. If one server cannot listen, it
// closes all of them and returns the error.
func ListenEnsemble(opt EnsembleOptions) (*Ensemble, error) {
	if opt.Election == 0 {
		opt.Election = 300 * time.Millisecond
	}
	if voters := len(opt.Listen) - opt.Observers; opt.Observers < 0 || voters < 1 {
		return nil, fmt.Errorf("ensemble: found %d servers of which %d are observers, want one voter at least", len(opt.Listen), opt.Observers)
	}
	if opt.Server.Speed == 0 {
		opt.Server.Speed = 1
	}
	e := &Ensemble{opt: opt, clock: WallClock(opt.Server.Speed, 0), clients: map[int64]netip.Addr{}}
	e.writes, e.events = newWriteLog(opt.Server.WriteLog, e.clock.NowMs()), newEventLog(opt.Server.EventLog)
	e.alarm = time.AfterFunc(time.Hour, e.wake)
	for i, addr := range opt.Listen {
		e.members = append(e.members, &member{ensemble: e, id: int64(i + 1), addr: addr, conns: map[zookeeper.ConnID]*followed{}})
	}
	if err := e.bindAll(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// bindAll starts all servers, because an address with port 0 gets its port only then. With the
// option Stopped it stops the servers again.
func (e *Ensemble) bindAll() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.members {
		if err := e.bind(m); err != nil {
			return err
		}
	}
	e.quorum = &zookeeper.Quorum{Members: members.New(e.first()), Synced: e.majority, Changed: func(next members.List) { e.changed = &next }}
	machine := zookeeper.New(e.config(e.members[0]), e.clock.NowMs())
	e.state = machine.Snapshot()
	for _, m := range e.members {
		m.s.machine = machine.Replica()
		if e.opt.Stopped {
			e.halt(m)
		}
	}
	e.review()
	return nil
}

// first returns the members of the ensemble's first configuration. Each member has an address for
// clients, as if a configuration file named it. Real servers talk to each other on the peer and
// election ports, but here nobody listens on those ports.
func (e *Ensemble) first() (list []members.Server) {
	for i, m := range e.members {
		host, _, _ := net.SplitHostPort(m.addr)
		list = append(list, members.Server{
			ID: m.id, Host: host, PeerPort: port(m.addr) + 10_000, ElectionPort: port(m.addr) + 20_000, Client: m.addr,
			Observer: i >= len(e.members)-e.opt.Observers,
		})
	}
	return list
}

// config returns the configuration for a server's machine.
func (e *Ensemble) config(m *member) zookeeper.Config {
	cfg := e.opt.Server.Config
	cfg.ServerID, cfg.Quorum, cfg.ShowWatches, cfg.Digests = uint8(m.id), e.quorum, true, true
	if m.s != nil {
		cfg.OnWrite = m.s.wrote
	}
	return cfg
}

// bind opens a server's port and puts the server into the role "looking". The caller sets its
// machine.
func (e *Ensemble) bind(m *member) error {
	ln, err := net.Listen("tcp", m.addr)
	if err != nil {
		return fmt.Errorf("server %d: %w", m.id, err)
	}
	m.addr = ln.Addr().String()
	s := newServer(e.opt.Server, &e.mu)
	s.member, s.clock, s.writes, s.events, s.clients = m, e.clock, e.writes, e.events, e.clients
	s.beganMs, s.nextConn = e.clock.NowMs(), zookeeper.ConnID(m.id)<<48|zookeeper.ConnID(time.Now().UnixNano()&(1<<40-1))
	s.faults.absence = Leaderless
	m.s, m.role, m.lookingSince = s, looking, time.Now()
	s.start(ln)
	return nil
}

// halt ends a server as kill -9 does. Its machine is kept for its next start.
func (e *Ensemble) halt(m *member) {
	s := m.s
	m.role = stopped
	s.closed, s.down, s.faults.absence = true, true, Leaderless
	close(s.stop)
	s.ln.Close()
	for c := range s.sockets {
		c.cut()
	}
}

// Start starts a stopped server on addr. If addr is "", it uses the server's last address.
func (e *Ensemble) Start(id int64, addr string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.member(id)
	if err != nil {
		return err
	}
	if m.role != stopped {
		return fmt.Errorf("server %d runs already, on %s", id, m.addr)
	}
	machine, had := m.s.machine, m.addr
	if addr != "" {
		m.addr = addr
	}
	if err := e.bind(m); err != nil {
		m.addr = had
		return err
	}
	m.s.machine = machine
	e.review()
	return nil
}

// Stop ends a server as kill -9 does. For a stopped server it does nothing.
func (e *Ensemble) Stop(id int64) error {
	e.mu.Lock()
	m, err := e.member(id)
	if err != nil || m.role == stopped {
		e.mu.Unlock()
		return err
	}
	s := m.s
	if m.role == leading {
		e.dismiss()
	}
	m.quit()
	e.halt(m)
	e.review()
	e.mu.Unlock()
	s.wg.Wait()
	return nil
}

// Cut separates a server from the other servers. With cut false it reconnects the server. Clients
// can reach the server in both states.
func (e *Ensemble) Cut(id int64, cut bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.member(id)
	if err != nil || m.cut == cut {
		return err
	}
	m.cut = cut
	if m.role == leading {
		e.dismiss()
	} else if m.role == following || m.role == retiring {
		e.leave(m)
	}
	e.review()
	return nil
}

// Lag delays the messages from the leader to a server, in wall time. Until they arrive the
// server's clients read old state.
func (e *Ensemble) Lag(id int64, lag time.Duration) error {
	if lag < 0 {
		return fmt.Errorf("found a lag of %v, want 0 or more", lag)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.member(id)
	if err == nil {
		m.lag = lag
	}
	return err
}

// LoseLeader takes the leader's role from the leading server. The servers then elect a leader
// again.
func (e *Ensemble) LoseLeader() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.leader == nil {
		return errors.New("there is no leader")
	}
	e.dismiss()
	e.review()
	return nil
}

func (e *Ensemble) member(id int64) (*member, error) {
	if id < 1 || id > int64(len(e.members)) {
		return nil, fmt.Errorf("found server %d, want 1 to %d", id, len(e.members))
	}
	return e.members[id-1], nil
}

// Server returns the server with an id, running or not; nil when there is none.
func (e *Ensemble) Server(id int64) *Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	m, err := e.member(id)
	if err != nil {
		return nil
	}
	return m.s
}

// AwaitLeader waits until all connected servers follow one leader. It returns an error if that
// takes longer than limit.
func (e *Ensemble) AwaitLeader(limit time.Duration) error {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(limit); ; <-again.C {
		e.mu.Lock()
		all := e.leader != nil && e.count(func(m *member) bool { return m.connected() && m.role != leading && m.role != following }) == 0
		e.mu.Unlock()
		if all {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("ensemble: found no leader after %v", limit)
		}
	}
}

// MemberLook describes one server of an ensemble at one instant.
type MemberLook struct {
	ID   int64
	Addr string
	// Mode is leader, follower, observer, read-only, looking or stopped.
	Mode string
	Cut  bool
	Lag  time.Duration
	Zxid int64
}

// Servers describes all servers, ordered by id.
func (e *Ensemble) Servers() (looks []MemberLook) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.members {
		looks = append(looks, MemberLook{ID: m.id, Addr: m.addr, Mode: m.mode(), Cut: m.cut, Lag: m.lag, Zxid: m.s.zxid()})
	}
	return looks
}

// Close stops all servers.
func (e *Ensemble) Close() error {
	e.mu.Lock()
	e.closed = true
	e.alarm.Stop()
	var servers []*Server
	for _, m := range e.members {
		if m.role != stopped {
			e.halt(m)
		}
		if m.s != nil {
			servers = append(servers, m.s)
		}
	}
	e.leader = nil
	e.mu.Unlock()
	for _, s := range servers {
		s.wg.Wait()
	}
	return errors.Join(e.writes.flush(), e.events.flush())
}

func (e *Ensemble) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	e.settle()
	e.review()
	e.endTurn()
}

// endTurn wakes the writers of all connections with new messages.
func (e *Ensemble) endTurn() {
	e.events.flush()
	for _, m := range e.members {
		m.s.wakeTouched()
	}
	e.writes.flush()
}

// settle delivers the machines' output to connections and followers. It repeats this until no
// machine has output and no message is due.
func (e *Ensemble) settle() {
	for again := true; again; {
		again = e.flushLeader()
		now := time.Now()
		for _, m := range e.members {
			switch m.role {
			case following:
				again = m.arrive(now) || again
			case reading, retiring:
				m.sendOwn()
			}
		}
	}
	e.followChange()
	e.setAlarm()
}

// flushLeader delivers the output of the leader's machine, and reports whether there was any.
func (e *Ensemble) flushLeader() bool {
	if e.leader == nil {
		return false
	}
	s := e.leader.s
	out := s.machine.Drain()
	for i := range out {
		at := e.members[out[i].Conn>>48-1]
		switch {
		case at == e.leader:
			at.send(&out[i])
		case at.role == following && !e.unanswered(&out[i]):
			at.enqueue(fromLeader{out: out[i]})
		}
	}
	for _, id := range s.over {
		delete(e.clients, id)
	}
	s.over = s.over[:0]
	return len(out) > 0
}

// unanswered reports whether out is an answer that a follower does not pass on to its client. This
// is the case for the answer to the reconfig that removes the leader (ZK-24.6).
func (e *Ensemble) unanswered(out *zookeeper.Out) bool {
	return e.changed != nil && out.Kind == zookeeper.OutReply && out.Reply.Op == zookeeper.OpReconfig &&
		out.Reply.Err == zookeeper.CodeOK && e.leaderLeaves(*e.changed)
}

func (e *Ensemble) committed(t zookeeper.Transaction) {
	for _, m := range e.members {
		if m.role == following {
			m.enqueue(fromLeader{transaction: &t})
		}
	}
}

// leaderMachine returns the leader's machine; nil without a leader.
func (e *Ensemble) leaderMachine() *zookeeper.Machine {
	if e.leader == nil {
		return nil
	}
	return e.leader.s.machine
}

// setAlarm sets the alarm to the next event: the arrival of a delayed message, an election, or a
// server without a leader becoming read-only.
func (e *Ensemble) setAlarm() {
	at := e.electionAt
	sooner := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	for _, m := range e.members {
		if len(m.channel) > 0 {
			sooner(m.channel[0].at)
		}
		if m.role == looking && e.opt.ReadOnly && e.electionAt.IsZero() {
			sooner(m.lookingSince.Add(readersAfter))
		}
	}
	if !at.IsZero() {
		e.alarm.Reset(max(time.Until(at), time.Millisecond))
	}
}

func (e *Ensemble) count(which func(*member) bool) (n int) {
	for _, m := range e.members {
		if which(m) {
			n++
		}
	}
	return n
}

// majority reports whether more than half of the given voters are connected.
func (e *Ensemble) majority(voters []int64) bool {
	have := e.count(func(m *member) bool { return m.connected() && slices.Contains(voters, m.id) })
	return have > len(voters)/2
}
