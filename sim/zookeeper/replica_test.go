package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the leader's machine handles connections to followers correctly. Method: the tests call the
// leader's machine directly. Whole ensembles are tested in sim/zookeeper/node.

// remote makes a connection to a follower. It returns the leader's side and the outputs.
func (l *lab) remote(req ConnectRequest) (*Conn, []string) {
	l.conns++
	c := l.m.ConnectRemote(l.nowMs, l.conns, &req)
	return c, l.said()
}

// Goal: after a client has moved its session to another server, late writes on the older connection
// have no effect, and that connection is closed without an answer.
func TestWriteOnTheOlderConnectionOfAMovedSessionIsRefused(t *testing.T) { // ZK-24.5
	for _, c := range []struct {
		name string
		req  Request
	}{
		{"create", mk("/late")}, {"multi", multi(mk("/late"))}, {"closeSession", Request{Op: OpCloseSession}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, Config{})
			older, _ := l.remote(ConnectRequest{TimeoutMs: 10_000})
			password := Password(older.session.id)
			again := ConnectRequest{TimeoutMs: 10_000, SessionID: older.session.id, Password: password[:]}
			newer, said := l.remote(again)
			expect(t, said, []string{"2 connected session=0x100000000000000 timeout=10000"})
			expect(t, newer.session == older.session, true)
			zxid, writes := l.m.Zxid(), len(l.writes)

			l.m.Forward(older, &c.req, older)
			expect(t, l.said(), []string{"1 close"})
			expect(t, l.m.Zxid(), zxid)
			expect(t, len(l.writes), writes)

			l.m.Forward(newer, &Request{Op: OpCreate, Path: "/now", ACL: acl.Everyone}, newer)
			expect(t, l.said(), []string{"2 create OK zxid=2 /now"})
		})
	}
}
