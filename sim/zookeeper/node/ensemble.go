package node

import (
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// What an ensemble of servers does that one server does not. All of it has one
// address: the clients of a host are served by the leader unless they were placed
// on a follower. Facts without a source were seen on three servers 3.8.0.

// placement is the follower that serves a host.
type placement struct {
	host string
	lag  time.Duration
	// follower is made when the first client comes.
	follower *follower
}

// LoseLeader leaves the ensemble without a leader (ZK-24.1): every connection is closed,
// and so is every new one after its first request, until ElectLeader. Nothing is written
// and no session expires. It does nothing to a server that is down or has no leader.
func (s *Server) LoseLeader() { s.dismiss(false) }

// BeReadOnly leaves the ensemble without a quorum, with servers that are allowed to
// serve reads (readonlymode.enabled), until ElectLeader. The connections of clients that
// do not ask for that, as the agents, are closed. A server without local sessions, the
// default, refuses also those that do: see [RefuseReadOnly].
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

// RefuseReadOnly is what a read-only server answers to the first request of a
// client that would read only: the header of a reply, with NotReadOnly and no body,
// to a new session, as that would have to be written; nothing, ok being false, to
// one that re-attaches. Then it closes the connection (ZK-24.3).
func RefuseReadOnly(req *zookeeper.ConnectRequest, zxid int64) (reply zookeeper.Reply, ok bool) {
	return zookeeper.Reply{Zxid: zxid, Err: zookeeper.CodeNotReadOnly}, req.ReadOnly && req.SessionID == 0
}

// ElectLeader has a leader take over an ensemble that has none, after LoseLeader or
// BeReadOnly: connections are taken again, sessions have their full timeouts, and the
// next zxid is the first one of a new epoch (ZK-24.2, ZK-4.4). It does nothing when
// there is a leader.
func (s *Server) ElectLeader() {
	if s.proc == nil || !s.leaderless {
		return
	}
	s.leaderless = false
	s.saved.BeginEpoch()
	s.lead(zookeeper.Restore(s.cfg, s.nowMs(), s.saved))
}

// Place moves the clients of a host to a follower of their own, which learns of each
// transaction lag later than the leader did; a second Place replaces the first. Their
// connections are closed; their sessions stay.
func (s *Server) Place(host string, lag time.Duration) {
	s.unplace(host)
	s.placements = append(s.placements, &placement{host: host, lag: lag})
	s.closeHost(host)
}

// Unplace moves the clients of a host that were placed at a follower back to the leader.
// Their connections are closed; their sessions stay.
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

// closeWhere closes connections in the order of their making.
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

// followerOf is the follower of a host, nil for the leader.
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

// lead begins to serve with a machine.
func (s *Server) lead(m *zookeeper.Machine) {
	s.machine, s.usual = m, nil
	for _, p := range s.placements {
		if p.follower != nil {
			m.OnCommit(s.committed)
		}
	}
	s.schedule()
}

// committed tells the followers of a transaction. The machine takes transactions
// down from the first follower on.
func (s *Server) committed(t zookeeper.Transaction) {
	for _, p := range s.placements {
		if p.follower != nil {
			p.follower.hears(fromLeader{transaction: &t})
		}
	}
}

// refuse ends a connection that was made while there is no leader.
func (s *Server) refuse(c *serverConn, req *zookeeper.ConnectRequest) {
	if reply, ok := RefuseReadOnly(req, s.machine.Zxid()); ok && s.readOnly {
		c.reply(&reply)
	}
	c.end()
}
