package zookeeper

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/sim/network"
)

// connectionEnd says why a connection is over.
type connectionEnd uint8

const (
	endNone    connectionEnd = iota
	endDropped               // kazoo: ConnectionDropped, or a time-out
	endClosed                // the answer to a close has come
	endExpired               // the server refused the session
)

// run is the connection task: it connects until it is told to stop
// (connection.py:492, zk_loop).
func (s *Session) run() {
	policy := recipes.CommandRetry()
	policy.Interrupt = s.stop
	policy.Site = "kazoo.reconnect"
	pauses := policy.Begin(s.e)
	for !s.stopped && !s.connectRound(pauses) {
		if pauses.Pause() != nil {
			break
		}
	}
	s.change(keeperClosed)
	s.ended.Set()
}

// connectRound tries each host once, in a drawn order (connection.py:524). It
// reports true when the loop is to end.
func (s *Session) connectRound(pauses *recipes.Pauses) (stop bool) {
	for _, host := range s.shuffled() {
		if s.stopped {
			return true
		}
		switch s.connect(host, pauses) {
		case endClosed:
			s.change(keeperClosed)
			return true
		case endExpired:
			pauses.Reset()
			s.change(keeperExpired)
		case endDropped:
			s.change(keeperConnecting)
		}
	}
	return false
}

func (s *Session) shuffled() []string {
	hosts := append([]string(nil), s.hosts...)
	for i := len(hosts) - 1; i > 0; i-- {
		j := s.p.Intn("kazoo.hosts", i+1)
		hosts[i], hosts[j] = hosts[j], hosts[i]
	}
	return hosts
}

// connect makes one connection and returns when it is over
// (connection.py:548).
func (s *Session) connect(host string, pauses *recipes.Pauses) connectionEnd {
	s.change(keeperConnecting)
	conn := s.dial(host)
	if conn == nil {
		return endDropped
	}
	defer conn.Close()
	s.conn, s.end, s.inbox = conn, endNone, nil
	s.xid = 0
	response := s.handshake()
	if response == nil {
		return endDropped
	}
	if response.TimeoutMs <= 0 {
		return endExpired
	}
	s.id, s.password = response.SessionID, response.Password
	negotiated := time.Duration(response.TimeoutMs) * time.Millisecond
	s.change(keeperConnected)
	s.authenticate()
	pauses.Reset()
	s.idle.begin(negotiated * 2 / 3)
	s.pump()
	for s.end == endNone {
		s.open = true
		s.send()
		s.p.Park("the end of the connection to zookeeper")
	}
	s.open = false
	s.idle.stop()
	return s.end
}

// dial connects within the session timeout; nil means it failed.
func (s *Session) dial(addr string) *network.Conn {
	var conn *network.Conn
	answered := false
	task := s.p.Current()
	cancel := s.host.Dial(network.OwnedBy(s.p), addr, func(c *network.Conn, err error) {
		answered = true
		if err == nil {
			conn = c
			c.SetReceiver((*sessionReceiver)(s))
		}
		task.Wake()
	})
	if !answered && !s.p.ParkFor(s.timeout, "connect to zookeeper") && !answered {
		cancel()
	}
	return conn
}

// handshake asks for the session and waits for the response, for the session
// timeout divided by the number of hosts (connection.py:640); nil means that
// none came.
func (s *Session) handshake() *ConnectResponse {
	s.conn.Send(&ConnectRequest{
		LastZxidSeen: s.lastZxid, TimeoutMs: int32(s.timeout.Milliseconds()), SessionID: s.id,
		Password: s.password[:], HasReadOnly: true, RemoteIP: remoteIP(s.host),
	}, 49)
	s.shaking = true
	s.p.ParkFor(s.timeout/time.Duration(len(s.hosts)), "zookeeper session")
	s.shaking = false
	if len(s.inbox) == 0 {
		return nil
	}
	response, _ := s.inbox[0].(*ConnectResponse)
	s.inbox = s.inbox[1:]
	return response
}

func remoteIP(h *network.Host) string {
	if ips := h.IPs(); len(ips) > 0 {
		return ips[0]
	}
	return ""
}

// authenticate sends the credentials (connection.py:691).
func (s *Session) authenticate() {
	for _, a := range s.auth {
		s.conn.Send(&Request{Xid: XidAuth, Op: OpAuth, Scheme: a[0], Data: []byte(a[1])}, 32+len(a[1]))
	}
}

// sessionReceiver takes what arrives on the connection.
type sessionReceiver Session

// Receive handles a message, or keeps it while the connection task is busy.
func (r *sessionReceiver) Receive(c *network.Conn, payload any) {
	s := (*Session)(r)
	if c != s.conn {
		return
	}
	if s.open {
		s.handle(payload)
		return
	}
	s.inbox = append(s.inbox, payload)
	if s.shaking {
		s.loop.Wake()
	}
}

// Closed ends the connection.
func (r *sessionReceiver) Closed(c *network.Conn, _ error) {
	s := (*Session)(r)
	if c == s.conn {
		s.over(endDropped)
	}
}

// over ends the connection and lets the connection task see to it.
func (s *Session) over(end connectionEnd) {
	if s.end != endNone {
		return
	}
	s.end = end
	if s.open || s.shaking {
		s.open = false
		s.loop.Wake()
	}
}

// pump handles what has arrived while the connection task was busy.
func (s *Session) pump() {
	for len(s.inbox) > 0 && s.end == endNone {
		payload := s.inbox[0]
		s.inbox = s.inbox[1:]
		s.handle(payload)
	}
}

// send sends the queued requests when the connection is open.
func (s *Session) send() {
	if !s.open {
		return
	}
	for _, c := range s.queue {
		s.xid++
		c.request.Xid = s.xid
		s.pending.push(c)
		s.conn.Send(&c.request, 44+len(c.request.Path)+len(c.request.Data))
	}
	if len(s.queue) > 0 {
		clear(s.queue)
		s.queue = s.queue[:0]
		s.idle.touch()
	}
}

// handle takes one message of an open connection (connection.py:420).
func (s *Session) handle(payload any) {
	switch m := payload.(type) {
	case *Reply:
		if m.Xid == XidPing {
			s.idle.pong()
			return
		}
		s.idle.touch()
		s.answered(m)
	case *Event:
		s.idle.touch()
		s.notify(*m)
	}
}

func (s *Session) answered(r *Reply) {
	if r.Xid == XidAuth {
		if r.Err != CodeOK {
			s.over(endDropped)
		}
		return
	}
	c := s.pending.pop()
	if r.Zxid > 0 {
		s.lastZxid = r.Zxid
	}
	code := r.Err
	if c.request.Op == OpExists && code == env.ZKNoNode {
		code = CodeOK // kazoo: a result of None
	}
	// A watch is kept when its request succeeded (connection.py:407).
	if c.watch != nil && code == CodeOK && !s.stopped {
		s.table(c.request.Op).add(c.request.Path, c.watch)
	}
	c.answered = true
	closing := c.request.Op == OpCloseSession
	c.finish(code) // its task may use it again
	if closing {
		s.over(endClosed)
	}
}

// change is kazoo's _session_callback (client.py:543): it runs on the connection
// task, and so do the listeners.
func (s *Session) change(keeper keeperState) {
	if keeper == s.keeper {
		return
	}
	before := s.keeper
	s.keeper = keeper
	switch {
	case before.over() && keeper == keeperConnecting:
		return
	case keeper == keeperConnected:
		s.live.Set()
		s.tell(env.Connected)
	case keeper.over():
		s.live.Clear()
		s.tell(env.Lost)
		s.failAll(keeper)
		s.reset()
	default:
		s.live.Clear()
		s.failAll(keeper)
		s.tell(env.Suspended)
		s.resetWatches()
	}
}

func (s *Session) tell(state env.SessionState) {
	if state == s.state {
		return
	}
	s.state = state
	s.onState(state)
}

// failAll ends all calls (client.py:585).
func (s *Session) failAll(keeper keeperState) {
	code := env.ZKConnectionLoss
	switch keeper {
	case keeperExpired:
		code = env.ZKSessionExpired
	case keeperAuthFailed:
		code = env.ZKAuthFailed
	}
	calls := append(s.pending.takeAll(), s.queue...)
	s.queue = nil
	for _, c := range calls {
		c.finish(code)
	}
}

// reset forgets the session (client.py:324).
func (s *Session) reset() {
	s.resetWatches()
	s.id, s.password, s.lastZxid = 0, [16]byte{}, 0
}
