package zookeeper

import (
	"strings"
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

// Goal: what a follower sends to the leader, and the leader to followers, is encoded on the way, so
// that a character beyond the basic plane arrives as two U+FFFD (ZK-24.11). Method: the requests that
// a follower and the leader of a real ensemble got, and its answers.
func TestTextBeyondTheBasicPlaneOnAFollower(t *testing.T) {
	const pair, lost = "\xed\xa0\xbd\xed\xb8\x80", "\ufffd\ufffd"
	hash := strings.TrimPrefix(acl.DigestID("😀:p"), pair)
	l := newLab(t, Config{})
	follower := l.m.Replica()
	l.m.OnCommit(func(tr Transaction) { follower.Follow(tr) })
	ids := func(path string) []string {
		return []string{l.m.tree.nodes[path].acl[0].ID, follower.tree.nodes[path].acl[0].ID}
	}
	own := l.connect()
	l.must(own, Request{Op: OpAuth, Scheme: "digest", Data: []byte("😀:p")})
	remote, _ := l.remote(ConnectRequest{TimeoutMs: 10_000})
	there := &Conn{ids: []identity{{"ip", "127.0.0.1"}, {"digest", pair + hash}}}
	auth := []acl.Entry{{Perms: acl.All, Scheme: "auth"}}

	l.must(own, Request{Op: OpCreate, Path: "/own", ACL: auth})
	l.m.Forward(remote, &Request{Op: OpCreate, Path: "/remote", ACL: auth}, there)
	expect(t, l.said(), []string{"2 create OK zxid=4 /remote"})
	expect(t, ids("/own"), []string{pair + hash, lost + hash})
	expect(t, ids("/remote"), []string{lost + hash, lost + hash})

	l.m.Forward(remote, &Request{Op: OpSetData, Path: "/own", Version: -1}, there)
	expect(t, l.said(), []string{"2 setData NoAuthError zxid=5"})
	expect(t, l.reply(own, set("/remote", "x")).Err, noAuth)
	l.must(own, Request{Op: OpSetACL, Path: "/own", ACL: auth, Version: -1})
	expect(t, ids("/own"), []string{pair + hash, lost + hash})

	restarted := Restore(Config{}, 0, l.m.Snapshot())
	expect(t, restarted.tree.nodes["/own"].acl[0].ID, lost+hash)
}
