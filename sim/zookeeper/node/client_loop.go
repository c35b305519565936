package node

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// connect makes one connection (connection.py:548) and returns how it ended. Once the task has
// nothing to do but wait for the end of the connection, connect returns EndNone, and the task waits
// without a stack (stay).
func (s *Session) connect(host string, pauses *recipes.Pauses) recipes.ConnectionEnd {
	s.life.Change(recipes.KeeperConnecting)
	conn := s.dial(host)
	if conn == nil {
		return recipes.EndDropped
	}
	stays := false
	defer func() {
		if !stays {
			conn.Close()
		}
	}()
	s.conn, s.end, s.inbox = conn, recipes.EndNone, nil
	s.xid = 0
	response := s.handshake()
	if response == nil {
		return recipes.EndDropped
	}
	if response.TimeoutMs <= 0 {
		return recipes.EndExpired
	}
	s.id, s.password = response.SessionID, response.Password
	negotiated := time.Duration(response.TimeoutMs) * time.Millisecond
	s.life.Change(recipes.KeeperConnected)
	s.authenticate()
	pauses.Reset()
	s.idle.begin(negotiated * 2 / 3)
	s.pump()
	stays = s.stay()
	return s.end
}

// stay makes the task wait, without a stack, until the connection ends. It returns false if the
// connection has already ended.
func (s *Session) stay() bool {
	if s.end != recipes.EndNone {
		s.open = false
		s.idle.stop()
		s.history.End(s.number)
		return false
	}
	s.open = true
	s.send()
	s.p.Rest("the end of the connection to zookeeper", s.goOn, s.conn.Close)
	return true
}

// goOn continues the connection task when its wait in stay is over.
func (s *Session) goOn() {
	if s.stay() {
		return
	}
	s.conn.Close()
	s.life.GoOn(s.end)
}

// dial connects to addr within the session timeout. It returns nil if that fails.
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
	if !answered && !s.p.ParkFor(s.life.Timeout, "connect to zookeeper") && !answered {
		cancel()
	}
	return conn
}

// handshake requests the session and waits for the response. It waits for the session timeout
// divided by the number of hosts (connection.py:640), and returns nil if no response arrives.
func (s *Session) handshake() *zookeeper.ConnectResponse {
	s.conn.Send(&zookeeper.ConnectRequest{
		LastZxidSeen: s.lastZxid, TimeoutMs: int32(s.life.Timeout.Milliseconds()), SessionID: s.id,
		Password: s.password[:], HasReadOnly: true, RemoteIP: remoteIP(s.host),
	}, 49)
	s.shaking = true
	s.p.ParkFor(s.life.Timeout/time.Duration(len(s.hosts)), "zookeeper session")
	s.shaking = false
	if len(s.inbox) == 0 {
		return nil
	}
	response, _ := s.inbox[0].(*zookeeper.ConnectResponse)
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
		s.conn.Send(&request{Request: zookeeper.Request{Xid: zookeeper.XidAuth, Op: zookeeper.OpAuth, Scheme: a[0], Data: []byte(a[1])}}, 32+len(a[1]))
	}
}

// sessionReceiver receives the messages that arrive on the session's connection.
type sessionReceiver Session

// Receive handles a message. While the connection task is busy, it stores the message for later.
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

// Closed handles the end of the connection by the other side or the network.
func (r *sessionReceiver) Closed(c *network.Conn, _ error) {
	s := (*Session)(r)
	if c == s.conn {
		s.over(recipes.EndDropped)
	}
}

// over ends the connection for a reason, and wakes the connection task to handle that.
func (s *Session) over(end recipes.ConnectionEnd) {
	if s.end != recipes.EndNone {
		return
	}
	s.end = end
	if s.open || s.shaking {
		s.open = false
		s.loop.Wake()
	}
}

// pump handles the messages that arrived while the connection task was busy.
func (s *Session) pump() {
	for len(s.inbox) > 0 && s.end == recipes.EndNone {
		payload := s.inbox[0]
		s.inbox = s.inbox[1:]
		s.handle(payload)
	}
}

// send sends the queued requests if the connection is open.
func (s *Session) send() {
	if !s.open {
		return
	}
	for _, c := range s.queue {
		s.sendOne(c)
	}
	if len(s.queue) > 0 {
		clear(s.queue)
		s.queue = s.queue[:0]
		s.idle.touch()
	}
}

func (s *Session) sendOne(c *call) {
	s.conn.WakeSleepers() // the requests of sleeping loops need their xids before this request gets one
	s.xid++
	c.request.Xid = s.xid
	s.pending.push(c)
	s.conn.SendStep(c.request.loop, &c.request, requestBytes(c.request.Path)+len(c.request.Data))
}

// requestBytes estimates the size in bytes of a request without data.
func requestBytes(path string) int { return 44 + len(path) }

// handle handles one message of an open connection (connection.py:420).
func (s *Session) handle(payload any) {
	switch m := payload.(type) {
	case *zookeeper.Reply:
		if m.Xid == zookeeper.XidPing {
			s.idle.pong()
			return
		}
		s.idle.touch()
		s.answered(m)
	case *zookeeper.Event:
		s.idle.forward.sleeper.CatchUp() // loops sleep on
		s.idle.touch()
		s.history.Event(s.number, *m)
		s.life.Watches.Notify(env.WatchEvent{Type: m.Type, Path: m.Path})
	}
}

func (s *Session) answered(r *zookeeper.Reply) {
	if r.Xid == zookeeper.XidAuth {
		if r.Err != zookeeper.CodeOK {
			s.over(recipes.EndAuthFailed)
		}
		return
	}
	c := s.pending.pop()
	if r.Zxid > 0 {
		s.lastZxid = r.Zxid
	}
	s.history.Answered(s.number, c.began, &c.request.Request, r)
	code := r.Err
	if c.request.Op == zookeeper.OpExists && code == zkerrors.NoNode {
		code = zookeeper.CodeOK // for kazoo this is not an error: it returns None
	}
	if c.watch != nil && code == zookeeper.CodeOK && !s.life.Stopped() {
		s.keepWatch(c)
	}
	c.answered = true
	closing := c.request.Op == zookeeper.OpCloseSession
	c.finish(code) // from here on, the task that made the call may reuse its memory
	if closing {
		s.over(recipes.EndClosed)
	}
}

// failAll ends all calls with an error code (client.py:585).
func (s *Session) failAll(code zookeeper.Code) {
	calls := append(s.pending.takeAll(), s.queue...)
	s.queue = nil
	for _, c := range calls {
		c.finish(code)
	}
}

// forget discards the session's id, password and last zxid, so that the next connection makes a new
// session (client.py:324).
func (s *Session) forget() { s.id, s.password, s.lastZxid = 0, [16]byte{}, 0 }

// keepWatch registers the watcher of a call that has succeeded (connection.py:407).
func (s *Session) keepWatch(c *call) {
	if c.request.Op == zookeeper.OpGetChildren {
		s.life.Watches.AddChildren(c.request.Path, c.watch)
	} else {
		s.life.Watches.AddData(c.request.Path, c.watch)
	}
}
