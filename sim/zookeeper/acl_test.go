package zookeeper

import (
	"testing"

	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: identities get exactly their permissions, and refusals have the right codes (ZK-9).

const superDigest = "super:D/InIHSb7yEEbrWz8b9l71RjZJU="

func login(credential string) Request {
	return Request{Op: OpAuth, Xid: XidAuth, Scheme: "digest", Data: []byte(credential)}
}

func with(path string, acl ...acl.Entry) Request {
	return Request{Op: OpCreate, Path: path, Data: []byte{}, ACL: acl}
}

func TestDigestID(t *testing.T) { // ZK-9.3
	expect(t, acl.DigestID("u:p"), "u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=")
	expect(t, acl.DigestID("super:test"), superDigest)
	expect(t, acl.DigestID("nocolon"), "nocolon:Ra+cHr2ZoHvBjtNArFGNGlVie4g=")
}

func TestAuthAnswers(t *testing.T) { // ZK-9.6, ZK-13.21
	for _, s := range []struct {
		name string
		req  Request
		want []string
	}{
		{"digest", login("u:p"), []string{"1 auth OK zxid=0"}},
		{"no colon", login("nocolon"), []string{"1 auth OK zxid=0"}},
		{"ip", Request{Op: OpAuth, Scheme: "ip"}, []string{"1 auth OK zxid=0"}},
		{"unknown scheme", Request{Op: OpAuth, Scheme: "kerberos"}, []string{"1 auth AuthFailedError zxid=0", "1 close"}},
		{"world is no scheme to log in with", Request{Op: OpAuth, Scheme: "world"}, []string{"1 auth AuthFailedError zxid=0", "1 close"}},
		{"unreadable", Request{Op: OpAuth, Malformed: true}, []string{"1 close"}},
		{"sasl without SASL", Request{Op: OpSASL, Data: []byte{}}, []string{"1 sasl OK zxid=0"}},
		{"sasl without a token", Request{Op: OpSASL}, []string{"1 close"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			l := newLab(t, Config{})
			expect(t, l.do(l.connect(), s.req), s.want)
			expect(t, len(l.m.Sessions()), 1)
		})
	}
}

func TestWhoAmIListsUsersWithoutSecrets(t *testing.T) { // ZK-1.8, ZK-9.3
	l := newLab(t, Config{SuperDigest: superDigest})
	c := l.connect()
	l.must(c, login("u:p"))
	l.must(c, login("u:p"))
	expect(t, l.reply(c, Request{Op: OpWhoAmI}).Clients, []ClientInfo{{"ip", "127.0.0.1"}, {"digest", "u"}})
	l.must(c, login("super:test"))
	expect(t, l.reply(c, Request{Op: OpWhoAmI}).Clients,
		[]ClientInfo{{"super", ""}, {"ip", "127.0.0.1"}, {"digest", "super"}, {"digest", "u"}})
}

func TestACLsThatAreRefused(t *testing.T) { // ZK-9.2, ZK-13.21
	l := newLab(t, Config{})
	c := l.connect()
	for _, s := range []struct {
		name string
		acl  []acl.Entry
		want Code
	}{
		{"empty list", nil, invalidACL},
		{"unknown scheme", []acl.Entry{{Perms: acl.All, Scheme: "kerberos", ID: "u"}}, invalidACL},
		{"auth without authentication", []acl.Entry{{Perms: acl.All, Scheme: "auth", ID: ""}}, invalidACL},
		{"world but not anyone", []acl.Entry{{Perms: acl.All, Scheme: "world", ID: "me"}}, invalidACL},
		{"digest without a colon", []acl.Entry{{Perms: acl.All, Scheme: "digest", ID: "u"}}, invalidACL},
		{"digest with an empty hash", []acl.Entry{{Perms: acl.All, Scheme: "digest", ID: "u:"}}, invalidACL},
		{"not an address", []acl.Entry{{Perms: acl.All, Scheme: "ip", ID: "10.0.0"}}, invalidACL},
		{"bad mask", []acl.Entry{{Perms: acl.All, Scheme: "ip", ID: "10.0.0.0/33"}}, invalidACL},
		{"one bad among good", []acl.Entry{{Perms: acl.All, Scheme: "world", ID: "anyone"}, {Perms: acl.All, Scheme: "x", ID: ""}}, invalidACL},
		{"network", []acl.Entry{{Perms: acl.All, Scheme: "ip", ID: "10.0.0.0/8"}}, CodeOK},
	} {
		t.Run(s.name, func(t *testing.T) { expect(t, l.reply(c, with("/x", s.acl...)).Err, s.want) })
	}
}

func TestAuthExpandsToOwnIdentitiesAndRepeatsAreDropped(t *testing.T) { // ZK-9.2
	l := newLab(t, Config{})
	c := l.connect()
	l.must(c, login("u:p"))
	l.must(c, login("v:q"))
	world := acl.Entry{Perms: acl.Read, Scheme: "world", ID: "anyone"}
	l.must(c, with("/a", acl.Entry{Perms: acl.All, Scheme: "auth", ID: ""}, world, world))
	n, _ := l.m.Lookup("/a")
	expect(t, n.ACL, []acl.Entry{{Perms: acl.All, Scheme: "digest", ID: acl.DigestID("u:p")}, {Perms: acl.All, Scheme: "digest", ID: acl.DigestID("v:q")}, world})
}

// Goal: digestAlg changes the digest, and skipACL permits everything. The expected digest was made
// by a real server 3.8.0 with digestAlg=SHA-256.
func TestOtherDigestsAndNoLists(t *testing.T) { // ZK-9.8
	l := newLab(t, Config{DigestAlg: "SHA-256", SkipACL: true})
	owner, stranger := l.connect(), l.connect()
	l.must(owner, login("u:p"))
	l.must(owner, with("/a", acl.Entry{Perms: acl.All, Scheme: "auth"}))
	want := []acl.Entry{{Perms: acl.All, Scheme: "digest", ID: "u:/Y8xRBngpX5duYn15uUqIRaIaCviy5TEwSk419hCwuA="}}
	expect(t, l.must(stranger, Request{Op: OpGetACL, Path: "/a"}).ACL, want)
	l.must(stranger, set("/a", "x"))
	l.must(stranger, mk("/a/b"))
	expect(t, l.reply(stranger, Request{Op: OpCreate, Path: "/c"}).Err, invalidACL) // even as part of a list, the ACL is checked
}

func TestWithoutRights(t *testing.T) { // ZK-9.5, ZK-9.4, ZK-14.4
	mine := acl.Entry{Perms: acl.All, Scheme: "digest", ID: acl.DigestID("u:p")}
	ops := []struct {
		req      Request
		v38, v39 Code
	}{
		{Request{Op: OpGetData, Path: "/a"}, noAuth, noAuth},
		{set("/a", ""), noAuth, noAuth},
		{Request{Op: OpGetChildren, Path: "/a"}, noAuth, noAuth},
		{Request{Op: OpGetChildren2, Path: "/a"}, noAuth, noAuth},
		{Request{Op: OpGetAllChildrenNumber, Path: "/a"}, noAuth, noAuth},
		{Request{Op: OpGetACL, Path: "/a"}, noAuth, noAuth},
		{Request{Op: OpSetACL, Path: "/a", ACL: acl.Everyone, Version: -1}, noAuth, noAuth},
		{mk("/a/x"), noAuth, noAuth},
		{Request{Op: OpExists, Path: "/a"}, CodeOK, noAuth},
		{Request{Op: OpSync, Path: "/a"}, CodeOK, CodeOK},
	}
	for _, profile := range []Profile{V38, V39} {
		l := newLab(t, Config{Profile: profile, SuperDigest: superDigest})
		owner, stranger, super := l.connect(), l.connect(), l.connect()
		l.must(super, login("super:test"))
		l.must(owner, login("u:p"))
		l.must(owner, with("/a", mine))
		for _, op := range ops {
			want := op.v38
			if profile == V39 {
				want = op.v39
			}
			t.Run(profile.String()+" "+op.req.Op.String(), func(t *testing.T) {
				if op.req.Op != OpSetACL {
					expect(t, l.reply(owner, op.req).Err, CodeOK)
					if op.req.Op == OpCreate {
						l.must(owner, del(op.req.Path))
					}
					expect(t, l.reply(super, op.req).Err, CodeOK)
					if op.req.Op == OpCreate {
						l.must(owner, del(op.req.Path))
					}
				}
				expect(t, l.reply(stranger, op.req).Err, want)
			})
		}
		// A check operation needs READ: as a single request on 3.8, and in a multi on both
		// versions.
		expect(t, l.must(stranger, multi(check("/a", -1))).Results[0].Err, noAuth)
		if profile == V38 {
			expect(t, l.reply(stranger, check("/a", -1)).Err, noAuth)
		}
		l.must(stranger, del("/a"))
	}
}

func TestGetACLMasksDigestsWithoutAdmin(t *testing.T) { // ZK-9.4, ZK-13.21
	l := newLab(t, Config{})
	owner, reader := l.connect(), l.connect()
	l.must(owner, login("u:p"))
	mine, world := acl.Entry{Perms: acl.All, Scheme: "digest", ID: acl.DigestID("u:p")}, acl.Entry{Perms: acl.Read, Scheme: "world", ID: "anyone"}
	l.must(owner, with("/a", mine, world))
	expect(t, l.must(owner, Request{Op: OpGetACL, Path: "/a"}).ACL, []acl.Entry{mine, world})
	expect(t, l.must(reader, Request{Op: OpGetACL, Path: "/a"}).ACL, []acl.Entry{{Perms: acl.All, Scheme: "digest", ID: "u:x"}, world})
	expect(t, l.reply(owner, Request{Op: OpGetACL, Path: "/none"}).Err, noNode)
	n, _ := l.m.Lookup("/a")
	expect(t, n.ACL, []acl.Entry{mine, world})
}

func TestAddressMatching(t *testing.T) { // IPAuthenticationProvider.java
	for _, c := range []struct {
		addr, network string
		want          bool
	}{
		{"10.1.2.3", "10.1.2.3", true}, {"10.1.2.4", "10.1.2.3", false}, {"10.1.2.4", "10.1.2.3/31", false},
		{"10.1.2.2", "10.1.2.3/31", true}, {"10.9.9.9", "10.0.0.0/8", true}, {"11.0.0.0", "10.0.0.0/8", false},
		{"1.2.3.4", "0.0.0.0/0", true}, {"::1", "0.0.0.0/0", false}, {"10.0.0.1", "nonsense", false},
	} {
		if got := acl.InNetwork(c.addr, c.network); got != c.want {
			t.Errorf("%s in %s: got %t, want %t", c.addr, c.network, got, c.want)
		}
	}
}

func TestConfigurationNodeIsReadOnly(t *testing.T) { // DataTree.java addConfigNode
	l := newLab(t, Config{})
	expect(t, l.reply(l.connect(), set("/zookeeper/config", "x")).Err, noAuth)
}

func TestAddressGivesRights(t *testing.T) { // ZK-9.1
	l := newLab(t, Config{})
	near := l.connect()
	far, _ := l.dial(ConnectRequest{TimeoutMs: 10_000, RemoteIP: "10.0.0.9"})
	nowhere, _ := l.dial(ConnectRequest{TimeoutMs: 10_000})
	l.must(near, with("/a", acl.Entry{Perms: acl.All, Scheme: "ip", ID: "127.0.0.0/8"}))
	//lint:ordered reads leave nothing behind
	for conn, want := range map[ConnID]Code{near: CodeOK, far: noAuth, nowhere: noAuth} {
		expect(t, l.reply(conn, Request{Op: OpGetData, Path: "/a"}).Err, want)
	}
}

func TestOpenACLIsACopy(t *testing.T) {
	acl.Open()[0].Perms = acl.Read
	expect(t, acl.Open(), []acl.Entry{{Perms: acl.All, Scheme: "world", ID: "anyone"}})
}

// Method: the requests to servers 3.8.0 and 3.9.3 with DigestAuthenticationProvider.enabled=false, and what they answered.
func TestAServerWithoutTheSchemeDigest(t *testing.T) { // ZK-9.8
	l := newLab(t, Config{NoDigest: true, SuperDigest: acl.DigestID("super:test")})
	c := l.connect()
	for id, want := range map[string]Code{"u:p": invalidACL, acl.Null: invalidACL, "nocolon": invalidACL} { //lint:ordered each is refused
		expect(t, l.reply(c, with("/x", acl.Entry{Perms: acl.All, Scheme: "digest", ID: id})).Err, want)
	}
	expect(t, l.reply(c, with("/x", acl.Entry{Perms: acl.All, Scheme: "ip", ID: acl.Null})).Err, marshallingError)
	expect(t, l.do(c, login("super:test")), []string{"1 auth AuthFailedError zxid=0", "1 close"})
}
