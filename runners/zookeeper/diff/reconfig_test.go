package diff_test

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: a reconfig is refused, or leads to the configuration, as on real servers (ZK-24.6). Method: changes
// of three servers, each by itself, with what a real ensemble answered. The ports of its servers are
// <P1>, <E1> and <C1> in the file, all three <ALL>, and the first participants of an answer that are these
// are left out.
//
//	go test ./runners/zookeeper/diff -run Recorded -zookeeper 127.0.0.1:PORT
//
// records the answers of the leader of such an ensemble anew, whose addresses are all 127.0.0.1, with
// reconfigEnabled, and with superDigest for super:test.
var leader = flag.String("zookeeper", "", "host:port of the leader of a real ensemble of three, to record testdata/reconfigs-3.8.0.txt from")

const recordedFile = "testdata/reconfigs-3.8.0.txt"

func TestReconfigsAsRecorded(t *testing.T) {
	text, err := os.ReadFile(recordedFile)
	if err != nil {
		t.Fatal(err)
	}
	config := "server.1=127.0.0.1:2801:3801:participant;127.0.0.1:2181\nserver.2=127.0.0.1:2802:3802:participant;127.0.0.1:2182\n" +
		"server.3=127.0.0.1:2803:3803:participant;127.0.0.1:2183\nversion=0"
	change := changed
	if *leader != "" {
		client := dialLeader(t, *leader)
		config, change = client.config, client.change
	}
	ports, names := portsOf(config)
	var written strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			written.WriteString(line)
			continue
		}
		asked, want, _ := strings.Cut(strings.TrimSpace(line), " ->")
		kind, quoted, _ := strings.Cut(asked, " ")
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text = ports.Replace(strings.ReplaceAll(text, "<ALL>", config[:strings.LastIndexByte(config, '\n')]))
		c := members.Change{From: -1}
		switch kind {
		case "joining":
			c.Joining = &text
		case "leaving":
			c.Leaving = &text
		default:
			c.New = &text
		}
		got := names.Replace(change(config, &c))
		fmt.Fprintf(&written, "%s -> %s\n", asked, got)
		if *leader == "" && got != strings.TrimSpace(want) {
			t.Errorf("%s: got %s, want %s", asked, got, want)
		}
	}
	if *leader != "" {
		if err := os.WriteFile(recordedFile, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// portsOf makes the replacers of the names of ports in a configuration of three servers, and back.
func portsOf(config string) (ports, names *strings.Replacer) {
	var to, from []string
	for line := range strings.SplitSeq(config, "\n") {
		var id, p, e, c int
		if n, _ := fmt.Sscanf(line, "server.%d=127.0.0.1:%d:%d:participant;127.0.0.1:%d", &id, &p, &e, &c); n != 4 {
			continue
		}
		for i, port := range []int{p, e, c} {
			name, number := fmt.Sprintf("<%c%d>", "PEC"[i], id), strconv.Itoa(port)
			to, from = append(to, name, number), append(from, number, name)
		}
	}
	return strings.NewReplacer(to...), strings.NewReplacer(from...)
}

// shown formats an answer, without the version and without servers that are as before.
func shown(before, after string, code zkerrors.Code) string {
	if code != 0 {
		return zookeeper.CodeName(code)
	}
	var kept []string
	for line := range strings.SplitSeq(after, "\n") {
		if !strings.HasPrefix(line, "version=") && !strings.Contains(before, line+"\n") {
			kept = append(kept, line)
		}
	}
	return strconv.Quote(strings.Join(kept, "\n"))
}

// changed applies a change to a configuration, with the further checks of the leader.
func changed(config string, c *members.Change) string {
	first, code := members.List{}.Changed(&members.Change{New: &config})
	if code != 0 {
		panic(config)
	}
	next, code := first.Changed(c)
	if code == 0 && len(next.Voters()) < 2 {
		code = zkerrors.BadArguments
	}
	return shown(config, next.String(), code)
}

// recorder is a client of the leader of a real ensemble.
type recorder struct {
	t      *testing.T
	conn   net.Conn
	in     *bufio.Reader
	xid    int32
	config string
}

func dialLeader(t *testing.T, addr string) *recorder {
	conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	r := &recorder{t: t, conn: conn, in: bufio.NewReader(conn)}
	r.send(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 30_000}))
	r.receive()
	r.ask(zookeeper.Request{Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte("super:test")})
	r.config = string(r.ask(zookeeper.Request{Op: zookeeper.OpGetData, Path: "/zookeeper/config"}).Data)
	return r
}

func (r *recorder) send(frame []byte) {
	if _, err := r.conn.Write(frame); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recorder) receive() []byte {
	var length [4]byte
	if _, err := io.ReadFull(r.in, length[:]); err != nil {
		r.t.Fatal(err)
	}
	message := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r.in, message); err != nil {
		r.t.Fatal(err)
	}
	return message
}

func (r *recorder) ask(req zookeeper.Request) zookeeper.Reply {
	r.xid++
	req.Xid = r.xid
	r.send(wire.AppendRequest(nil, &req))
	reply, err := wire.DecodeReply(r.receive(), req.Op)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply
}

// change asks for a change, and for the first servers afterwards.
func (r *recorder) change(config string, c *members.Change) string {
	reply := r.ask(zookeeper.Request{Op: zookeeper.OpReconfig, Membership: c})
	if back := r.ask(zookeeper.Request{Op: zookeeper.OpReconfig, Membership: &members.Change{New: &config, From: -1}}); back.Err != 0 {
		r.t.Fatalf("back to the first servers: %s", zookeeper.CodeName(back.Err))
	}
	return shown(config, string(reply.Data), reply.Err)
}
