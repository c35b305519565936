package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: what the leader's machine does for connections to followers. Method: the
// leader's side is driven by hand; whole ensembles are in sim/zookeeper/node.

// remote connects to a follower.
func (l *lab) remote(req ConnectRequest) (*Conn, []string) {
	l.conns++
	c := l.m.ConnectRemote(l.nowMs, l.conns, &req)
	return c, l.said()
}

// A session whose client has gone to another server is not written for by what comes
// late from the older one, which is closed without an answer.
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
