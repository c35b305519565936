package node

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/zookeeper"
)

// follower is another server of the ensemble, with the clients of one host. All
// that comes from the leader is late by its lag: commits, answers to writes, to
// sync and to connects. It has a replica of the leader's state, and so its reads
// are stale, until a sync or a write of the client has come back (ZK-24.4).
type follower struct {
	s       *Server
	lag     time.Duration
	replica *zookeeper.Machine
	conns   map[zookeeper.ConnID]*followerConn
	// channel is what is on its way from the leader.
	channel []fromLeader
	timer   vtime.Timer
}

// fromLeader is a transaction or something for one connection.
type fromLeader struct {
	at          time.Duration
	transaction *zookeeper.Transaction
	out         zookeeper.Out
}

// followerConn is a connection to a follower. Its requests are done one after the
// other: one that the leader is asked for holds up those behind it.
type followerConn struct {
	c *serverConn
	// leader is the leader's side of it.
	leader  *zookeeper.Conn
	queue   []*request
	waiting bool
}

var kindFollower = vtime.NewKind("zookeeper.follower")

// newFollower makes a follower that knows all that the leader does now.
func (s *Server) newFollower(lag time.Duration) *follower {
	return &follower{s: s, lag: lag, replica: s.machine.Replica(), conns: map[zookeeper.ConnID]*followerConn{}}
}

// connect hands the first request of a connection to the leader. No client knows
// more than its follower (ZK-2.4), which began with all that the leader knew.
func (f *follower) connect(c *serverConn, req *zookeeper.ConnectRequest) {
	if older := f.replica.ConnOf(req.SessionID); older != nil {
		// The older connection to the same server goes (ZK-2.5).
		f.conns[older.ID()].c.end()
	}
	leader := f.s.machine.ConnectRemote(f.s.nowMs(), c.id, req)
	f.conns[c.id] = &followerConn{c: c, leader: leader, waiting: true}
	f.s.flush(nil)
}

// receive takes a request; whatever it is, the leader hears that the session
// lives.
func (f *follower) receive(id zookeeper.ConnID, req *request) {
	fc := f.conns[id]
	if fc == nil || !fc.leader.Attached() {
		return
	}
	f.s.machine.Heard(f.s.nowMs(), fc.leader, req.Op)
	fc.queue = append(fc.queue, req)
	f.work(fc)
	f.s.flush(nil)
}

// work does the queued requests up to one that has to wait.
func (f *follower) work(fc *followerConn) {
	for len(fc.queue) > 0 && !fc.waiting && f.conns[fc.c.id] == fc {
		req := fc.queue[0]
		fc.queue = fc.queue[1:]
		fc.c.answer, fc.c.loop, fc.c.asked = req.reply, req.loop, req.Path
		if !req.Op.NeedsLeader() {
			f.replica.Serve(f.s.nowMs(), fc.c.id, &req.Request)
			f.send()
			continue
		}
		fc.waiting = true
		f.s.machine.Forward(fc.leader, &req.Request, f.replica.Conn(fc.c.id))
		f.s.flush(nil)
	}
}

// send sends what the replica has put out.
func (f *follower) send() {
	out := f.replica.Drain()
	for i := range out {
		if fc := f.conns[out[i].Conn]; fc != nil {
			fc.c.send(&out[i])
		}
	}
}

// hears puts something on the way from the leader.
func (f *follower) hears(what fromLeader) {
	what.at = f.s.proc.Elapsed() + f.lag
	f.channel = append(f.channel, what)
	if len(f.channel) == 1 {
		f.timer = f.s.proc.Schedule(what.at, kindFollower, f, 0)
	}
}

// Handle applies what has come from the leader by now. The engine calls it.
func (f *follower) Handle(uint64) {
	now := f.s.proc.Elapsed()
	for len(f.channel) > 0 && f.channel[0].at <= now {
		next := f.channel[0]
		f.channel = f.channel[1:]
		if next.transaction != nil {
			f.replica.Follow(*next.transaction)
			f.send()
		} else {
			f.told(&next.out)
		}
	}
	if len(f.channel) > 0 {
		f.timer = f.s.proc.Schedule(f.channel[0].at, kindFollower, f, 0)
	}
}

// told passes on what the leader has for a connection, and goes on with the
// requests that waited for it.
func (f *follower) told(out *zookeeper.Out) {
	fc := f.conns[out.Conn]
	if fc == nil {
		return
	}
	if out.Kind == zookeeper.OutConnected && f.replica.Conn(out.Conn) == nil {
		f.replica.Adopt(fc.leader, out.Connected.SessionID)
	}
	fc.waiting = false
	fc.c.send(out)
	f.work(fc)
}

// closed forgets a connection.
func (f *follower) closed(id zookeeper.ConnID) {
	fc := f.conns[id]
	if fc == nil {
		return
	}
	delete(f.conns, id)
	f.replica.Leave(id)
	fc.leader.Detach()
}

// stop ends the follower, not its connections.
func (f *follower) stop() {
	f.channel = nil
	f.timer.Cancel()
}
