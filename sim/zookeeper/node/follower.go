package node

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/zookeeper"
)

// follower is another server of the ensemble, which serves the clients of one host. Whatever comes
// from the leader arrives with the delay lag: commits, and answers to writes, to sync and to
// connect requests. It answers reads from a replica of the leader's state. So reads may be stale
// until a sync or a write of the client has been answered (ZK-24.4).
type follower struct {
	s       *Server
	lag     time.Duration
	replica *zookeeper.Machine
	conns   map[zookeeper.ConnID]*followerConn
	// channel holds what is on its way from the leader.
	channel []fromLeader
	timer   vtime.Timer
}

// fromLeader is a message from the leader: a transaction, or output for one connection.
type fromLeader struct {
	at          time.Duration
	transaction *zookeeper.Transaction
	out         zookeeper.Out
}

// followerConn is a connection to a follower. Its requests are executed in sequence. A request that
// needs the leader delays the requests behind it.
type followerConn struct {
	c *serverConn
	// leader is the Conn of this connection in the leader's machine.
	leader  *zookeeper.Conn
	queue   []*request
	waiting bool
}

var kindFollower = vtime.NewKind("zookeeper.follower")

// newFollower makes a follower with a copy of the leader's present state.
func (s *Server) newFollower(lag time.Duration) *follower {
	return &follower{s: s, lag: lag, replica: s.machine.Replica(), conns: map[zookeeper.ConnID]*followerConn{}}
}

// connect passes the first request of a connection on to the leader. It does not have to check that
// the client has seen no later state than this server has (ZK-2.4), because the follower began with
// the leader's whole state.
func (f *follower) connect(c *serverConn, req *zookeeper.ConnectRequest) {
	if older := f.replica.ConnOf(req.SessionID); older != nil {
		// An older connection of the session to the same server is closed (ZK-2.5).
		f.conns[older.ID()].c.end()
	}
	leader := f.s.machine.ConnectRemote(f.s.nowMs(), c.id, req)
	f.conns[c.id] = &followerConn{c: c, leader: leader, waiting: true}
	f.s.flush(nil)
}

// receive handles a request. It tells the leader of every request, so that the leader knows that
// the session is alive.
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

// work executes the queued requests, up to one that must wait for the leader.
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

// send sends the replica's output to the clients.
func (f *follower) send() {
	out := f.replica.Drain()
	for i := range out {
		if fc := f.conns[out[i].Conn]; fc != nil {
			fc.c.send(&out[i])
		}
	}
}

// hears sends a message from the leader to the follower, with the delay.
func (f *follower) hears(what fromLeader) {
	what.at = f.s.proc.Elapsed() + f.lag
	f.channel = append(f.channel, what)
	if len(f.channel) == 1 {
		f.timer = f.s.proc.Schedule(what.at, kindFollower, f, 0)
	}
}

// Handle applies the messages from the leader that have arrived by now. The engine calls it.
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

// told passes output of the leader on to a connection, and continues with the requests that waited
// for it.
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

// stop ends the follower. It leaves the connections open.
func (f *follower) stop() {
	f.channel = nil
	f.timer.Cancel()
}
