package wire

import (
	"net"
	"slices"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// review updates the servers' roles: it dismisses a leader without a majority and elects a new
// one. It is called after every change of the connected servers, and when the alarm fires.
func (e *Ensemble) review() {
	majority := e.majority(e.quorum.Members.Voters())
	if e.leader != nil && !majority {
		e.dismiss()
	}
	now := time.Now()
	switch {
	case e.leader != nil:
		for _, m := range e.members {
			if m.connected() && m.role != leading && m.role != following {
				e.join(m)
			}
		}
	case !majority:
		e.electionAt = time.Time{}
		for _, m := range e.members {
			if m.role == retiring {
				e.leave(m)
			}
		}
	case e.electionAt.IsZero():
		e.electionAt = now.Add(e.opt.Election)
	case !now.Before(e.electionAt):
		e.elect()
	}
	for _, m := range e.members {
		if e.opt.ReadOnly && m.role == looking && e.electionAt.IsZero() && !now.Before(m.lookingSince.Add(readersAfter)) {
			e.serveReaders(m)
		}
	}
	e.setAlarm()
}

// dismiss removes the leader's role, which leaves the ensemble without a leader (ZK-24.1).
func (e *Ensemble) dismiss() {
	e.state = e.leader.s.machine.Snapshot()
	e.leader = nil
	for _, m := range e.members {
		if m.role == leading || m.role == following {
			e.leave(m)
		}
	}
}

// handOver begins the hand-over by a leader that a reconfig has removed. The first voter that
// follows it leads next (Leader.java getDesignatedLeader). Until then the removed leader keeps its
// clients, but commits nothing (Leader.java allowedToCommit, ZK-24.6).
func (e *Ensemble) handOver(voters []int64) {
	for _, id := range voters {
		if m, err := e.member(id); err == nil && m.role == following {
			e.designated = m
			break
		}
	}
	e.leader.role, e.leader.retiredMs = retiring, e.clock.NowMs()
	e.dismiss()
}

// leave disconnects a server from its leader, so that it looks for a new one.
func (e *Ensemble) leave(m *member) {
	m.quit()
	m.role, m.lookingSince, m.s.faults.absence = looking, time.Now(), Leaderless
}

// elect makes the connected voter with the highest zxid the leader. Among equal zxids the highest
// id wins (FastLeaderElection.java, totalOrderPredicate). If the last leader has handed over to a
// designated server, that server leads instead. The other servers follow the new leader.
func (e *Ensemble) elect() {
	e.electionAt = time.Time{}
	voters := e.quorum.Members.Voters()
	var chosen *member
	for _, m := range e.members {
		if m.connected() && slices.Contains(voters, m.id) && (chosen == nil || m.s.zxid() >= chosen.s.zxid()) {
			chosen = m
		}
	}
	if m := e.designated; m != nil && m.connected() && slices.Contains(voters, m.id) {
		chosen = m
	}
	e.designated = nil
	if chosen.role == reading {
		e.leave(chosen)
	}
	e.state.BeginEpoch()
	if e.quorum.Members.Version == 0 && e.opt.Server.Config.ReconfigEnabled {
		e.quorum.Members.Version = 1 << 32 // the zxid of the first leader's first epoch
	}
	machine := zookeeper.Restore(e.config(chosen), e.clock.NowMs(), e.state)
	machine.OnCommit(e.committed)
	chosen.s.machine, chosen.role, chosen.s.faults.absence = machine, leading, Present
	e.leader, e.state, e.ledSinceMs = chosen, nil, e.clock.NowMs()
	for _, m := range e.members {
		if m.connected() && m != chosen {
			e.join(m)
		}
	}
}

func (e *Ensemble) join(m *member) {
	if m.role == reading || m.role == retiring {
		e.leave(m)
	}
	m.s.machine = e.leader.s.machine.Replica()
	m.role, m.s.faults.absence = following, Present
}

// serveReaders switches a server without a quorum to read-only mode.
func (e *Ensemble) serveReaders(m *member) {
	m.role = reading
	if !e.opt.LocalSessions {
		m.s.faults.absence = ReadOnly
		return
	}
	m.s.machine.ServeReaders(e.clock.NowMs(), uint8(m.id))
	m.s.faults.absence = Present
}

// followChange applies a reconfig to the servers. They listen on their new ports, and a leader
// that is no longer a voter steps down. A server that is no longer a member still follows, without
// a vote.
func (e *Ensemble) followChange() {
	if e.changed == nil {
		return
	}
	next := *e.changed
	e.changed = nil
	for _, one := range next.Servers() {
		if m, err := e.member(one.ID); err == nil && one.Client != "" && m.role != stopped && port(one.Client) != port(m.addr) {
			e.relisten(m, one.Client)
		}
	}
	if e.leaderLeaves(next) {
		e.handOver(next.Voters())
	}
	e.review()
}

// leaderLeaves reports whether the leader has no vote among the given members.
func (e *Ensemble) leaderLeaves(next members.List) bool {
	return e.leader != nil && !slices.Contains(next.Voters(), e.leader.id)
}

// relisten moves a server to another port of its present host, because a served ensemble stays on
// this machine. Open connections stay open. If the new port is taken, the server listens on no
// port, as a real server does (NIOServerCnxnFactory.java, reconfigure).
func (e *Ensemble) relisten(m *member, client string) {
	m.s.ln.Close()
	host, _, _ := net.SplitHostPort(m.addr)
	_, number, _ := net.SplitHostPort(client)
	m.addr = net.JoinHostPort(host, number)
	ln, err := net.Listen("tcp", m.addr)
	if err != nil {
		m.s.opt.log("server %d: reconfigured to a port that it cannot have: %v", m.id, err)
		return
	}
	m.s.ln = ln.(*net.TCPListener)
	m.s.wg.Add(1)
	go m.s.accept(m.s.ln)
}
