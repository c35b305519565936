package jaas_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/digestmd5"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: the server answers clients with and without SASL authentication as a real ZooKeeper does
// (ZK-27). Method: scripts were played on a real server and its answers recorded. Where a real
// server is installed, the test plays them on it again.

var update = flag.Bool("update", false, "record what the real server answers")

// users maps the user names in testdata/jaas.conf to their passwords.
var users = map[string]string{"joe": "joe password", "ann": `a"n\n,=`, "jörg": "geheim ß", "Ωmega": "漢字", "super": "s"}

// settings maps the name of each script to the configuration of the server that it is played on.
var settings = map[string]struct {
	properties []string
	config     func(*zookeeper.Config)
}{
	"exchange": {nil, func(*zookeeper.Config) {}},
	"acls": {[]string{"zookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider", "zookeeper.superUser=ann"},
		func(c *zookeeper.Config) { c.SASLScheme, c.SuperUsers = true, []string{"ann"} }},
	"many": {[]string{"zookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider", "zookeeper.superUser=joe",
		"zookeeper.superUser.second=ann", "zookeeper.letAnySaslUserDoX=anyone"},
		func(c *zookeeper.Config) {
			c.SASLScheme, c.SuperUsers, c.AnyUser = true, []string{"joe", "ann"}, "anyone"
		}},
	"required": {[]string{"zookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider", "zookeeper.sessionRequireClientSASLAuth=true"},
		func(c *zookeeper.Config) { c.SASLScheme, c.EnforceAuth = true, []string{"sasl"} }},
	"enforced": {[]string{"zookeeper.enforce.auth.enabled=true", "zookeeper.enforce.auth.schemes=digest"},
		func(c *zookeeper.Config) { c.EnforceAuth = []string{"digest"} }},
}

func TestConversations(t *testing.T) {
	for name, with := range settings {
		t.Run(name, func(t *testing.T) {
			script := read(t, filepath.Join("testdata", name+".script"))
			golden := filepath.Join("testdata", name+".real-3.8.0.txt")
			if server.Installed() == nil && !testing.Short() || *update {
				cfg := diff.RealConfig()
				conf, err := filepath.Abs(filepath.Join("testdata", "jaas.conf"))
				if err != nil {
					t.Fatal(err)
				}
				cfg.Properties = append(with.properties, "java.security.auth.login.config="+conf)
				answers := play(t, server.ForTest(t, cfg).Addr(), script)
				if *update {
					if err := os.WriteFile(golden, []byte(answers), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(read(t, golden), answers); d != "" {
					t.Errorf("a real server (-recorded +now):\n%s", d)
				}
			}
			config := diff.Config(zookeeper.V38)
			config.SASLUsers = users
			with.config(&config)
			s, err := wire.Listen("127.0.0.1:0", wire.Options{Config: config, Limits: wire.Limits{ConnsPerAddr: -1}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if d := cmp.Diff(read(t, golden), play(t, s.Addr(), script)); d != "" {
				t.Errorf("(-real +ours):\n%s", d)
			}
		})
	}
}

// Goal: from 3.9 on the login of an unknown user fails. Before 3.9 the server compares it with the
// password of the user who logged in last.
func TestAnUnknownUserOfLaterServers(t *testing.T) { // ZK-27.2
	for _, c := range []struct {
		profile zookeeper.Profile
		want    string
	}{{zookeeper.V38, "err 0 rspauth=RIGHT"}, {zookeeper.V39, "err -115"}} {
		config := diff.Config(c.profile)
		config.SASLUsers = users
		s, err := wire.Listen("127.0.0.1:0", wire.Options{Config: config})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		got := play(t, s.Addr(), "a login joe \"joe password\"\nb login nobody \"joe password\"\n")
		if _, b, _ := strings.Cut(got, "\nb login"); !strings.Contains(b, c.want) {
			t.Errorf("%s: got %s, want %s", c.profile, b, c.want)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// player plays a script. Each line holds the name of a connection, a verb and its arguments.
type player struct {
	*testing.T
	addr  string
	conns map[string]*client
	out   strings.Builder
}

type client struct {
	diff.Conn
	xid     int32
	session zookeeper.ConnectResponse
	nonce   string
	secret  digestmd5.Secret
}

func play(t *testing.T, addr, script string) string {
	p := &player{T: t, addr: addr, conns: map[string]*client{}}
	for line := range strings.Lines(script) {
		p.out.WriteString(line)
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, what, _ := strings.Cut(line, " ")
		verb, rest, _ := strings.Cut(what, " ")
		p.do(name, verb, rest)
	}
	for _, c := range p.conns {
		c.Close()
	}
	return p.out.String()
}

func (p *player) do(name, verb, rest string) {
	c := p.conns[name]
	if c == nil {
		conn, err := diff.TCP{Label: "server", Addr: p.addr}.Dial()
		if err != nil {
			p.Fatal(err)
		}
		c = &client{Conn: conn}
		p.conns[name] = c
		req := zookeeper.ConnectRequest{TimeoutMs: 10_000}
		if other := p.conns[rest]; verb == "again" && other != nil {
			req.SessionID, req.Password = other.session.SessionID, other.session.Password[:]
		}
		p.send(c, wire.AppendConnectRequest(nil, &req))
		message, err := c.Receive()
		if err != nil {
			p.Fatal(err)
		}
		if c.session, err = wire.DecodeConnectResponse(message); err != nil || c.session.SessionID == 0 {
			p.Fatalf("session %#x: %v", c.session.SessionID, err)
		}
	}
	path, entry, _ := strings.Cut(rest, " ")
	switch verb {
	case "again", "open":
	case "token":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte(rest)})
	case "login":
		p.login(c, rest)
	case "auth":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpAuth, Xid: zookeeper.XidAuth, Scheme: path, Data: []byte(entry)})
	case "create":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpCreate, Path: path, Data: []byte("x"), ACL: entries(entry)})
	case "setacl":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpSetACL, Path: path, Version: -1, ACL: entries(entry)})
	case "getacl":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpGetACL, Path: path})
	case "get":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpGetData, Path: path})
	case "set":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpSetData, Path: path, Data: []byte("y"), Version: -1})
	case "delete":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1})
	case "whoami":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpWhoAmI})
	case "ping":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpPing, Xid: zookeeper.XidPing})
	case "sync":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpSync, Path: path})
	case "close":
		p.ask(c, zookeeper.Request{Op: zookeeper.OpCloseSession})
	default:
		p.Fatalf("found %q", verb)
	}
}

// entries parses ACL entries of the form scheme:id:permissions, separated by spaces. The id may
// contain colons.
func entries(text string) (list []acl.Entry) {
	for one := range strings.FieldsSeq(text) {
		scheme, rest, _ := strings.Cut(one, ":")
		end := strings.LastIndex(rest, ":")
		var perms acl.Perm
		if _, err := fmt.Sscan(rest[end+1:], &perms); err != nil {
			panic(err)
		}
		list = append(list, acl.Entry{Perms: perms, Scheme: scheme, ID: rest[:end]})
	}
	return list
}

// login authenticates by SASL DIGEST-MD5. text holds the user and the password, which may be quoted
// as in Go, and then changes to the directives of the response. A change is name=value to replace
// a directive, name= to omit it, or +text to append text.
func (p *player) login(c *client, text string) {
	p.ask(c, zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte{}})
	var fields []string
	for _, f := range regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\S+`).FindAllString(text, -1) {
		if f[0] == '"' {
			var s string
			if _, err := fmt.Sscanf(f, "%q", &s); err != nil {
				p.Fatalf("%s: %v", f, err)
			}
			f = s
		}
		fields = append(fields, f)
	}
	c.secret = digestmd5.Secret{User: fields[0], Realm: digestmd5.Realm, Password: fields[1], Nonce: c.nonce, ClientNonce: "c0ffee", URI: "zookeeper/" + digestmd5.Realm}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	order := []string{"charset", "username", "realm", "nonce", "nc", "cnonce", "digest-uri", "maxbuf", "response", "qop", "authzid"}
	d := map[string]string{
		"charset": "utf-8", "username": `"` + quote(fields[0]) + `"`, "realm": `"` + c.secret.Realm + `"`, "nonce": `"` + c.nonce + `"`, "nc": "00000001",
		"cnonce": `"c0ffee"`, "digest-uri": `"` + c.secret.URI + `"`, "maxbuf": "65536", "qop": "auth",
	}
	more := ""
	for _, f := range fields[2:] {
		if f[0] == '+' {
			more += "," + f[1:]
			continue
		}
		name, value, _ := strings.Cut(f, "=")
		d[name] = value
		switch name {
		case "authzid":
			c.secret.AuthzID = strings.Trim(value, `"`)
		case "digest-uri":
			c.secret.URI = strings.Trim(value, `"`)
		case "realm":
			c.secret.Realm = strings.Trim(value, `"`)
		case "cnonce":
			c.secret.ClientNonce = strings.Trim(value, `"`)
		}
	}
	if _, ok := d["response"]; !ok {
		d["response"] = c.secret.Response("AUTHENTICATE:")
	}
	var list []string
	for _, name := range order {
		if d[name] != "" {
			list = append(list, name+"="+d[name])
		}
	}
	p.ask(c, zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte(strings.Join(list, ",") + more)})
}

func (p *player) send(c *client, frame []byte) {
	p.Helper()
	if err := c.Send(frame); err != nil {
		p.Fatal(err)
	}
}

var challenge = regexp.MustCompile(`nonce="([A-Za-z0-9+/=]{40})"`)

// ask sends a request and writes the answer to the output. Placeholders replace the random nonce
// and the server's proof (NONCE and RIGHT), so that recordings of different runs are equal.
func (p *player) ask(c *client, req zookeeper.Request) {
	if req.Xid == 0 {
		c.xid++
		req.Xid = c.xid
	}
	p.send(c, wire.AppendRequest(nil, &req))
	message, err := c.Receive()
	if errors.Is(err, diff.ErrClosed) {
		p.out.WriteString("\tclosed\n")
		return
	} else if err != nil || len(message) < 16 {
		fmt.Fprintf(&p.out, "\t%v %d bytes\n", err, len(message))
		return
	}
	code := int32(binary.BigEndian.Uint32(message[12:]))
	fmt.Fprintf(&p.out, "\t%s: xid %d zxid %d err %d", req.Op, int32(binary.BigEndian.Uint32(message)), binary.BigEndian.Uint64(message[4:]), code)
	reply, err := wire.DecodeReply(message, req.Op)
	switch {
	case code != 0:
		fmt.Fprintf(&p.out, " body %x", message[16:])
	case err != nil:
		fmt.Fprintf(&p.out, " %v", err)
	case req.Op == zookeeper.OpSASL && reply.Data == nil:
		p.out.WriteString(" null")
	case req.Op == zookeeper.OpSASL:
		if m := challenge.FindSubmatch(reply.Data); m != nil {
			c.nonce = string(m[1])
			reply.Data = bytes.Replace(reply.Data, m[1], []byte("NONCE"), 1)
		}
		fmt.Fprintf(&p.out, " %s", strings.Replace(string(reply.Data), c.secret.Response(":"), "RIGHT", 1))
	case req.Op == zookeeper.OpWhoAmI:
		fmt.Fprintf(&p.out, " %q", message[16:])
	default:
		for _, a := range reply.ACL {
			fmt.Fprintf(&p.out, " %s", a)
		}
	}
	p.out.WriteString("\n")
	if code == -115 || code == -124 || req.Op == zookeeper.OpCloseSession {
		if _, ended := c.Ends(); ended {
			p.out.WriteString("\tclosed\n")
		}
	}
}
