package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: writes make their checks in the right order and give the right answers (ZK-6).

func TestCreateAnswers(t *testing.T) { // ZK-6.1, ZK-13.19
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, mkFlags("/e", FlagEphemeral))
	l.must(c, Request{Op: OpCreate, Path: "/closed", ACL: []acl.Entry{{Perms: acl.Read, Scheme: "world", ID: "anyone"}}})
	l.must(c, Request{Op: OpCreate, Path: "/parentonly", ACL: []acl.Entry{{Perms: acl.Create, Scheme: "world", ID: "anyone"}}})
	noACL := func(path string) Request { return Request{Op: OpCreate, Path: path} }
	for _, s := range []struct {
		name string
		req  Request
		want Code
	}{
		{"path without slash", mk("nope"), badArguments},
		{"flags 99", mkFlags("/x", 99), badArguments},
		{"flags -1", mkFlags("/x", -1), badArguments},
		{"NUL in the path", mk("/a\x00"), badArguments},
		{"empty component", mk("/p//b"), noNode},
		{"trailing slash below nothing", mk("/p/t/"), noNode},
		{"trailing slash below a znode", mk("/p/"), badArguments},
		{"dots", mk("/p/.."), badArguments},
		{"double slash at the root", mk("//a"), badArguments},
		{"root", mk("/"), nodeExists},
		{"existing", mk("/p"), nodeExists},
		{"empty ACL list", noACL("/x"), invalidACL},
		{"missing parent", mk("/none/x"), noNode},
		{"child of an ephemeral", mk("/e/x"), noChildrenForEphemerals},
		{"no CREATE on the parent", mk("/closed/x"), noAuth},
		{"flags before path", mkFlags("nope", 99), badArguments},
		{"TTL not enabled before path", Request{Op: OpCreateTTL, Path: "nope", Flags: FlagTTL}, unimplemented},
		{"path before ACL", noACL("nope"), badArguments},
		{"ACL before parent", noACL("/none/x"), invalidACL},
		{"permission before path syntax", mk("/closed/.."), noAuth},
		{"path syntax before ephemeral parent", mk("/e/.."), badArguments},
		{"TTL flags on a plain create", mkFlags("/x", FlagTTL), unimplemented},
		{"allowed", mk("/parentonly/x"), CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, s.req).Err, s.want) })
	}
}

func TestCreateTTLAnswers(t *testing.T) { // ZK-3.7, ZK-13.18
	l := newLab(t, Config{ExtendedTypes: true})
	c := l.connect()
	ttlNode := func(flags int32, ttlMs int64) Request {
		return Request{Op: OpCreateTTL, Path: "/t", Flags: flags, TTLMs: ttlMs, ACL: acl.Everyone}
	}
	for _, s := range []struct {
		name string
		req  Request
		want Code
	}{
		{"zero", ttlNode(FlagTTL, 0), badArguments},
		{"negative", ttlNode(FlagTTL, -1), badArguments},
		{"too long", ttlNode(FlagTTL, 1<<40), badArguments},
		{"not a TTL flag", ttlNode(FlagPersistent, 5), badArguments},
		{"TTL flag on a plain create", mkFlags("/t", FlagTTL), badArguments},
		{"longest", ttlNode(flagPersistentSequentialTTL, 1<<40-1), CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, s.req).Err, s.want) })
	}
}

func TestCreateRepliesWithStatButForPlainCreate(t *testing.T) { // ZK-5.9
	l := newLab(t, Config{ExtendedTypes: true})
	c := l.connect()
	for _, op := range []OpCode{OpCreate2, OpCreateContainer, OpCreateTTL} {
		r := l.must(c, Request{Op: op, Path: "/" + op.String(), Flags: map[OpCode]int32{OpCreateContainer: 4, OpCreateTTL: 5}[op], TTLMs: 9, ACL: acl.Everyone})
		expect(t, r.Path, "/"+op.String())
		expect(t, r.Stat, l.stat(r.Path))
	}
	expect(t, l.must(c, mk("/plain")).Stat, Stat{})
}

func TestPlainCreateWithContainerFlagIsPersistent(t *testing.T) { // PrepRequestProcessor.java:699
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mkFlags("/c", flagContainer))
	n, _ := l.m.Lookup("/c")
	expect(t, n.Container, false)
}

func TestDeleteAnswers(t *testing.T) { // ZK-6.2
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, mk("/p/x"))
	l.must(c, Request{Op: OpCreate, Path: "/closed", ACL: []acl.Entry{{Perms: acl.All &^ acl.Delete, Scheme: "world", ID: "anyone"}}})
	l.must(c, mk("/closed/x"))
	l.must(c, Request{Op: OpCreate, Path: "/p/own", ACL: []acl.Entry{{Perms: acl.Read, Scheme: "world", ID: "anyone"}}})
	at := func(path string, version int32) Request { return Request{Op: OpDelete, Path: path, Version: version} }
	for _, s := range []struct {
		name string
		req  Request
		want Code
	}{
		{"root", del("/"), badArguments},
		{"/zookeeper", del("/zookeeper"), badArguments},
		{"/zookeeper/quota", del("/zookeeper/quota"), badArguments},
		{"/zookeeper/config", del("/zookeeper/config"), badArguments},
		{"without slash", del("x"), badArguments},
		{"missing parent", del("/none/x"), noNode},
		{"permission is asked of the parent", del("/closed/x"), noAuth},
		{"permission before existence", del("/closed/none"), noAuth},
		{"missing", del("/none"), noNode},
		{"version before children", at("/p", 3), badVersion},
		{"children", at("/p", 0), notEmpty},
		{"the node's own ACL does not matter", del("/p/own"), CodeOK},
		{"right version", at("/p/x", 0), CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, s.req).Err, s.want) })
	}
}

func TestSetDataAnswers(t *testing.T) { // ZK-6.3, ZK-13.19
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, Request{Op: OpCreate, Path: "/closed", ACL: []acl.Entry{{Perms: acl.Read, Scheme: "world", ID: "anyone"}}})
	at := func(path string, version int32) Request { return Request{Op: OpSetData, Path: path, Version: version} }
	for _, s := range []struct {
		name string
		req  Request
		want Code
	}{
		{"bad path", at("/p/", -1), badArguments},
		{"empty path", at("", -1), badArguments},
		{"missing", at("/none", -1), noNode},
		{"permission before version", at("/closed", 7), noAuth},
		{"wrong version", at("/p", 1), badVersion},
		{"right version", at("/p", 0), CodeOK},
		{"old version", at("/p", 0), badVersion},
		{"any version", at("/p", -1), CodeOK},
		{"root", at("/", -1), CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, s.req).Err, s.want) })
	}
}

func TestSetACLAnswers(t *testing.T) { // ZK-6.4
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, mk("/p"))
	l.must(c, Request{Op: OpCreate, Path: "/closed", ACL: []acl.Entry{{Perms: acl.Read, Scheme: "world", ID: "anyone"}}})
	at := func(path string, version int32, acl []acl.Entry) Request {
		return Request{Op: OpSetACL, Path: path, Version: version, ACL: acl}
	}
	for _, s := range []struct {
		name string
		req  Request
		want Code
	}{
		{"bad path", at("p", -1, acl.Everyone), badArguments},
		{"ACL before existence", at("/none", -1, nil), invalidACL},
		{"missing", at("/none", -1, acl.Everyone), noNode},
		{"no ADMIN", at("/closed", -1, acl.Everyone), noAuth},
		{"wrong aversion", at("/p", 1, acl.Everyone), badVersion},
		{"right aversion", at("/p", 0, acl.Everyone), CodeOK},
		{"any aversion", at("/p", -1, acl.Everyone), CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, s.req).Err, s.want) })
	}
}

func TestOnWriteSeesEveryWrite(t *testing.T) {
	l := newLab(t, Config{})
	c := l.connect()
	id := l.m.Sessions()[0].ID
	l.reply(c, mkFlags("/e", FlagEphemeralSequential))
	l.reply(c, mk("/none/x"))
	l.reply(c, set("/e0000000000", "v"))
	l.reply(c, multi(mk("/a"), set("/a", "x")))
	l.reply(c, multi(mk("/b"), mk("/b"), del("/b")))
	l.reply(c, multi())
	l.reply(c, Request{Op: OpGetData, Path: "/a"})
	l.do(c, Request{Op: OpCloseSession})
	expect(t, l.writes, []Write{
		{Op: OpCreateSession, Of: OpCreateSession, Session: id, Zxid: 1},
		{Op: OpCreate, Of: OpCreate, Path: "/e0000000000", Data: []byte{}, Ephemeral: true, Session: id, Zxid: 2},
		{Op: OpCreate, Of: OpCreate, Path: "/none/x", Data: []byte{}, Session: id, Zxid: 3, Err: noNode},
		{Op: OpSetData, Of: OpSetData, Path: "/e0000000000", Data: []byte("v"), Ephemeral: true, Session: id, Zxid: 4},
		{Op: OpCreate, Of: OpMulti, Path: "/a", Data: []byte{}, Session: id, Zxid: 5},
		{Op: OpSetData, Of: OpMulti, Path: "/a", Data: []byte("x"), Session: id, Zxid: 5},
		{Op: OpCreate, Of: OpMulti, Path: "/b", Data: []byte{}, Session: id, Zxid: 6, Err: -2},
		{Op: OpCreate, Of: OpMulti, Path: "/b", Data: []byte{}, Session: id, Zxid: 6, Err: nodeExists},
		{Op: OpDelete, Of: OpMulti, Path: "/b", Session: id, Zxid: 6, Err: -2},
		{Op: OpMulti, Of: OpMulti, Session: id, Zxid: 7},
		{Op: OpCloseSession, Of: OpCloseSession, Session: id, Zxid: 8},
		{Op: OpDelete, Of: OpCloseSession, Path: "/e0000000000", Ephemeral: true, Session: id, Zxid: 8},
	})
	counters := l.m.Counters()
	expect(t, counters.Writes, uint64(12))
	expect(t, counters.FailedWrites, uint64(4))
	expect(t, counters.Requests(OpMulti), uint64(3))
	expect(t, counters.AllRequests(), uint64(8))
}
