package node

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// This file has what an ensemble does that a single server does not. The whole ensemble has one
// address. The leader serves the clients of a host, unless Place has moved them to a follower.
// Facts without a source were observed on three servers 3.8.0.

// placement assigns the clients of a host to a follower that lags.
type placement struct {
	host string
	lag  time.Duration
	// follower is created when the first client connects, and nil before.
	follower *follower
}

// LoseLeader leaves the ensemble without a leader until ElectLeader (ZK-24.1). Every connection is
// closed, and every new connection is closed after its first request. Nothing is written, and no
// session expires. It does nothing if the server is down or has no leader.
func (s *Server) LoseLeader() { s.dismiss(false) }

// BeReadOnly leaves the ensemble without a quorum until ElectLeader. Its servers may serve reads
// (readonlymode.enabled). Connections of clients that do not ask for read-only mode, such as
// agents, are closed. By default a server has no local sessions, and then also refuses clients that
// do ask; see [RefuseReadOnly].
func (s *Server) BeReadOnly() { s.dismiss(true) }

func (s *Server) dismiss(readOnly bool) {
	if s.proc == nil || s.leaderless {
		return
	}
	s.save()
	s.leaderless, s.readOnly = true, readOnly
	s.timer.Cancel()
	s.closeWhere(func(*serverConn) bool { return true })
	s.stopFollowers()
}

// RefuseReadOnly returns the answer of a read-only server to the first request of a client that
// accepts read-only mode. It refuses a new session, because that would have to be written: the
// answer is the header of a reply with NotReadOnly, without a body. For a client that re-attaches,
// ok is false, and there is no answer. The server then closes the connection (ZK-24.3).
func RefuseReadOnly(req *zookeeper.ConnectRequest, zxid int64) (reply zookeeper.Reply, ok bool) {
	return zookeeper.Reply{Zxid: zxid, Err: zookeeper.CodeNotReadOnly}, req.ReadOnly && req.SessionID == 0
}

// ElectLeader gives a leader to an ensemble that has none, after LoseLeader or BeReadOnly.
// Connections are accepted again, sessions have their full timeouts, and the next zxid is the first
// of a new epoch (ZK-24.2, ZK-4.4). It does nothing if there is a leader.
func (s *Server) ElectLeader() {
	if s.proc == nil || !s.leaderless {
		return
	}
	s.leaderless = false
	s.saved.BeginEpoch()
	s.lead(zookeeper.Restore(s.cfg, s.nowMs(), s.saved))
}

// Place moves the clients of a host to a follower of their own. The follower receives each
// transaction with the delay lag. A second Place for the host replaces the first. The clients'
// connections are closed; their sessions stay.
func (s *Server) Place(host string, lag time.Duration) {
	s.unplace(host)
	s.placements = append(s.placements, &placement{host: host, lag: lag})
	s.closeHost(host)
}

// Unplace ends Place for a host: its clients move back to the leader. Their connections are closed;
// their sessions stay.
func (s *Server) Unplace(host string) {
	if s.unplace(host) {
		s.closeHost(host)
	}
}

func (s *Server) unplace(host string) (was bool) {
	i := slices.IndexFunc(s.placements, func(p *placement) bool { return p.host == host })
	if i < 0 {
		return false
	}
	if f := s.placements[i].follower; f != nil {
		s.closeHost(host)
		f.stop()
	}
	s.placements = slices.Delete(s.placements, i, i+1)
	return true
}

func (s *Server) closeHost(host string) {
	s.closeWhere(func(c *serverConn) bool { return c.client == host })
}

// closeWhere closes each connection c for which which(c) is true, the oldest first.
func (s *Server) closeWhere(which func(*serverConn) bool) {
	for _, id := range slices.Sorted(maps.Keys(s.conns)) {
		if c := s.conns[id]; c != nil && which(c) {
			c.end()
		}
	}
	if s.machine != nil && s.proc != nil && !s.leaderless {
		s.flush(nil)
	}
}

// followerOf returns the follower that serves a host; nil if the leader serves it.
func (s *Server) followerOf(host *network.Host) *follower {
	for _, p := range s.placements {
		if p.host == host.Name() {
			if p.follower == nil {
				p.follower = s.newFollower(p.lag)
				s.machine.OnCommit(s.committed)
			}
			return p.follower
		}
	}
	return nil
}

func (s *Server) stopFollowers() {
	for _, p := range s.placements {
		if p.follower != nil {
			p.follower.stop()
			p.follower = nil
		}
	}
}

// lead makes the server serve with the machine m.
func (s *Server) lead(m *zookeeper.Machine) {
	s.machine, s.usual = m, nil
	for _, p := range s.placements {
		if p.follower != nil {
			m.OnCommit(s.committed)
		}
	}
	s.schedule()
}

// committed sends a transaction to the followers. The machine reports transactions only if there is
// a follower.
func (s *Server) committed(t zookeeper.Transaction) {
	for _, p := range s.placements {
		if p.follower != nil {
			p.follower.hears(fromLeader{transaction: &t})
		}
	}
}

// refuse closes a connection that was made while there is no leader.
func (s *Server) refuse(c *serverConn, req *zookeeper.ConnectRequest) {
	if reply, ok := RefuseReadOnly(req, s.machine.Zxid()); ok && s.readOnly {
		c.reply(&reply)
	}
	c.end()
}
