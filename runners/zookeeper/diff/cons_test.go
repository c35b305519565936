package diff_test

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: the word cons describes a connection as the real server does after each kind of request:
// its last operation, last xid and last zxid, and its packets. Method: the same requests in the same
// order go to Debian's server and to the simulated one, each kind in a session of its own. After
// each answer the word is asked on another connection.
func TestConsBesideTheRealServer(t *testing.T) {
	if server.Profile() != "zookeeper-3.8" {
		t.Skipf("Debian's server is %s: want 3.8", server.Profile())
	}
	real := server.ForTest(t, diff.RealConfig())
	ours, err := diff.ServeMachine(zookeeper.V38)
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	want, got := consAfter(t, real.Addr()), consAfter(t, ours.Addr())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-real +ours:\n%s", diff)
	}
}

// consAfter returns the lines of cons about the session, one after each request, for each kind.
func consAfter(t *testing.T, addr string) (lines []string) {
	t.Helper()
	for _, c := range consKinds {
		p := dialSession(t, addr)
		lines = append(lines, c.name+": connected: "+p.cons(t, addr, 0, 1))
		queued := 0
		for i, req := range c.requests {
			if req.Xid == 0 {
				req.Xid = int32(i + 1)
			}
			if err := p.Send(wire.AppendRequest(nil, &req)); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Receive(); err != nil {
				t.Fatalf("%s: %s: %v", c.name, req.Op, err)
			}
			if req.Op == zookeeper.OpCreateSession {
				queued++
			}
			lines = append(lines, fmt.Sprintf("%s: %s: %s", c.name, req.Op, p.cons(t, addr, queued, i+2)))
		}
		p.Close()
		p.greet(t, addr)
		lines = append(lines, c.name+": connected again: "+p.cons(t, addr, 0, 1))
		word(t, addr, "crst")
		lines = append(lines, c.name+": reset: "+p.cons(t, addr, 0, 0))
		p.Close()
	}
	return lines
}

// consClient is a session whose line in cons is asked for.
type consClient struct {
	diff.Conn
	session zookeeper.ConnectResponse
	id      string
}

func dialSession(t *testing.T, addr string) *consClient {
	t.Helper()
	p := &consClient{}
	p.greet(t, addr)
	return p
}

// greet connects, for the first time or again.
func (p *consClient) greet(t *testing.T, addr string) {
	t.Helper()
	conn, err := diff.TCP{Label: addr, Addr: addr}.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := conn.Send(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{
		TimeoutMs: 30_000, SessionID: p.session.SessionID, Password: p.session.Password[:],
	})); err != nil {
		t.Fatal(err)
	}
	message, err := conn.Receive()
	if err != nil {
		t.Fatal(err)
	}
	if p.session, err = wire.DecodeConnectResponse(message); err != nil {
		t.Fatal(err)
	}
	p.Conn, p.id = conn, fmt.Sprintf("sid=%#x,", p.session.SessionID)
}

// times are the parts of a line of cons that depend on the clock.
var times = regexp.MustCompile(`,(est|lresp|llat|minlat|avglat|maxlat)=\d+|,sid=0x[0-9a-f]+|^ /.*\(`)

// cons asks for the session's line. The real server counts a packet only after it is sent, so cons
// asks until the line tells of the given numbers of requests that wait and packets that are sent. A
// createSession waits for ever.
func (p *consClient) cons(t *testing.T, addr string, queued, sent int) (line string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		for _, line = range strings.Split(word(t, addr, "cons"), "\n") {
			if strings.Contains(line, p.id) && strings.Contains(line, fmt.Sprintf("(queued=%d,", queued)) &&
				strings.Contains(line, fmt.Sprintf(",sent=%d,", sent)) {
				return times.ReplaceAllString(line, "")
			}
		}
	}
	t.Fatalf("cons of %s for a minute: want a line of %s with %d requests queued and %d packets sent", addr, p.id, queued, sent)
	return ""
}

func word(t *testing.T, addr, word string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, word); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var consKinds = func() (kinds []struct {
	name     string
	requests []zookeeper.Request
}) {
	add := func(name string, requests ...zookeeper.Request) {
		kinds = append(kinds, struct {
			name     string
			requests []zookeeper.Request
		}{name, requests})
	}
	create := func(path string, flags int32) zookeeper.Request {
		return zookeeper.Request{Op: zookeeper.OpCreate, Path: path, ACL: acl.Everyone, Flags: flags}
	}
	ping := zookeeper.Request{Op: zookeeper.OpPing, Xid: zookeeper.XidPing}
	auth := zookeeper.Request{Op: zookeeper.OpAuth, Xid: zookeeper.XidAuth, Scheme: "digest", Data: []byte("u:p")}
	sasl := zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte{1, 2}}
	del := zookeeper.Request{Op: zookeeper.OpDelete, Path: "/a", Version: -1}
	get := zookeeper.Request{Op: zookeeper.OpGetData, Path: "/a"}
	none := zookeeper.Request{Op: zookeeper.OpGetData, Path: "/none"}
	add("auth first", auth)
	add("sasl first", sasl)
	add("ping first", ping)
	add("ordinary", create("/a", 0), get, auth, sasl, ping, none, auth)
	add("failing", create("/a", 0), get, create("/none/a", 0), none,
		zookeeper.Request{Op: zookeeper.OpSetData, Path: "/a", Version: 9},
		zookeeper.Request{Op: zookeeper.OpSetACL, Path: "/none", ACL: acl.Everyone},
		zookeeper.Request{Op: zookeeper.OpDelete, Path: "/none"},
		zookeeper.Request{Op: zookeeper.OpCreate2, Path: "bad", ACL: acl.Everyone},
		zookeeper.Request{Op: zookeeper.OpCreate, Path: "/b"},
		zookeeper.Request{Op: zookeeper.OpReconfig},
		zookeeper.Request{Op: zookeeper.OpDeleteContainer, Path: "/a"},
		zookeeper.Request{Op: zookeeper.OpCheckWatches, Path: "/a", Mode: 3},
		zookeeper.Request{Op: zookeeper.OpRemoveWatches, Path: "/a", Mode: 3},
		ping)
	add("multis", zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{create("/m", 0), del}},
		zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{create("/a", 0), create("/a", 0)}},
		zookeeper.Request{Op: zookeeper.OpMulti},
		zookeeper.Request{Op: zookeeper.OpMultiRead, Ops: []zookeeper.Request{get}},
		zookeeper.Request{Op: zookeeper.OpMultiRead, Ops: []zookeeper.Request{del}})
	add("others", create("/o", 0), zookeeper.Request{Op: zookeeper.OpSync, Path: "/o"}, zookeeper.Request{Op: zookeeper.OpWhoAmI},
		zookeeper.Request{Op: zookeeper.OpGetEphemerals}, zookeeper.Request{Op: zookeeper.OpGetAllChildrenNumber, Path: "/"},
		zookeeper.Request{Op: zookeeper.OpAddWatch, Path: "/o"}, zookeeper.Request{Op: zookeeper.OpSetWatches, Xid: zookeeper.XidSetWatches},
		zookeeper.Request{Op: zookeeper.OpGetACL, Path: "/o"}, zookeeper.Request{Op: zookeeper.OpExists, Path: "/x", Watch: true},
		zookeeper.Request{Op: zookeeper.OpGetChildren2, Path: "/"},
		zookeeper.Request{Op: zookeeper.OpCreateContainer, Path: "/c", Flags: 4, ACL: acl.Everyone})
	add("createSession", zookeeper.Request{Op: zookeeper.OpCreateSession, TimeoutMs: 20_000}, ping, create("/s", 0))
	return kinds
}()
