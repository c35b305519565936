package zookeeper

import "github.com/monosim/monosim/sim/zookeeper/members"

// Quorum makes a machine a server of an ensemble (ZK-24). The znode /zookeeper/config lists the
// members. The leader's machine executes reconfig.
type Quorum struct {
	Members members.List
	// Synced reports whether a majority of the voters with these ids follows the leader. The leader
	// itself counts as a follower.
	Synced func(voters []int64) bool
	// Changed is called with the new members after a reconfig, before the reconfig is answered.
	Changed func(members.List)
}

// reconfig replaces the members (ZK-24.6). It makes the checks in the order of
// PrepRequestProcessor.java:360.
func (m *Machine) reconfig(c *Conn, req *Request, _ bool) outcome {
	if !m.cfg.ReconfigEnabled {
		return outcome{code: CodeReconfigDisabled}
	}
	q := m.cfg.Quorum
	if q == nil {
		return outcome{code: unimplemented} // a standalone server has no reconfig (ZK-1.6)
	}
	change := req.Membership
	if change == nil {
		change = &members.Change{From: -1}
	}
	if change.From != -1 && change.From != q.Members.Version {
		return outcome{code: badVersion}
	}
	next, code := q.Members.Changed(change)
	if code != CodeOK {
		return outcome{code: code}
	}
	if len(next.Voters()) < 2 {
		return outcome{code: badArguments}
	}
	if !q.Synced(next.Voters()) {
		return outcome{code: newConfigNoQuorum}
	}
	n := m.tree.lookup(configPath)
	if !m.permitted(c, n, OpSetData) {
		return outcome{code: noAuth}
	}
	next.Version = m.zxid
	data := []byte(next.String())
	m.contentChanges(n.parent, n)
	m.changes = append(m.changes, savedBefore(n, int64(len(data)-len(n.data))))
	n.data, n.mzxid, n.mtimeMs, n.version = data, m.zxid, m.wallMs(), -1
	q.Members = next
	q.Changed(next)
	return outcome{node: n}
}

const configPath = "/zookeeper/config"

// savedBefore returns a record of a change of a znode's data, with the old values for a rollback.
func savedBefore(n *znode, bytes int64) change {
	return change{kind: nodeDataSet, node: n, bytes: bytes, data: n.data, mzxid: n.mzxid, mtimeMs: n.mtimeMs, version: n.version}
}

// tellMembers writes the members into /zookeeper/config, as a server does when it joins its
// ensemble. This is not a transaction (ZKDatabase.java, initConfigInZKDatabase).
func (m *Machine) tellMembers() {
	q := m.cfg.Quorum
	if q == nil {
		return
	}
	n := m.tree.lookup(configPath)
	n.data, n.mzxid, n.mtimeMs, n.version = []byte(q.Members.String()), q.Members.Version, m.wallMs(), -1
}
