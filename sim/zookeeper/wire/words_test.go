package wire

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Goal: the answers to four-letter words have the texts of the real server 3.8.0. Method: the
// texts were recorded from a server with two connections, one of them without a session. The
// session has one ephemeral, and watches on /a (data and children) and on /zookeeper. Only the
// version (ZK-11.1) and the number of values in mntr differ.

// populatedForWords starts a server in the state of the recorded real server. Its clock shows the
// time of the recording.
func populatedForWords(t *testing.T, opt Options) (*lab, *peer) {
	l := serveAt(t, time.Date(2026, 11, 21, 16, 25, 12, 0, time.UTC).UnixMilli(), opt)
	p := l.connect()
	p.ok(mk("/a", 'x'))
	p.ok(mkFlags("/a/e", zookeeper.FlagEphemeral))
	p.ok(zookeeper.Request{Op: zookeeper.OpGetData, Path: "/a", Watch: true})
	p.ok(zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/a", Watch: true})
	p.ok(zookeeper.Request{Op: zookeeper.OpGetData, Path: "/zookeeper", Watch: true})
	l.dial()
	l.await("the connection without a session", func() bool { return l.conns() == 2 })
	l.settle()
	return l, p
}

// blank replaces the values that differ between two runs, such as ports and latencies.
func blank(s string) string {
	s = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(s, "127.0.0.1:PORT")
	s = regexp.MustCompile(`(llat|minlat|avglat|maxlat)=\d+`).ReplaceAllString(s, "$1=N")
	s = regexp.MustCompile(`max: \d+/[\d.]+/\d+`).ReplaceAllString(s, "max: MIN/AVG/MAX")
	s = regexp.MustCompile(`zk_(\w+_latency|uptime|\w+_file_descriptor_count)\t[\d.]+`).ReplaceAllString(s, "zk_$1\tN")
	return regexp.MustCompile(`0x1[0-9a-f]{14}\b`).ReplaceAllString(s, "SESSION")
}

func TestWords(t *testing.T) { // ZK-11, ZK-11.1, ZK-11.2
	for _, c := range []struct{ word, want string }{
		{"ruok", "imok"},
		{"isro", "rw"},
		{"gtmk", "306"},
		{"hash", ""},
		{"srvr", `Zookeeper version: 3.8.0-sim, built on 02/25/2022 08:49 UTC
Latency min/avg/max: MIN/AVG/MAX
Received: 7
Sent: 6
Connections: 3
Outstanding: 0
Zxid: 0x3
Mode: standalone
Node count: 7
`},
		{"stat", `Zookeeper version: 3.8.0-sim, built on 02/25/2022 08:49 UTC
Clients:
 /127.0.0.1:PORT[1](queued=0,recved=6,sent=6)
 /127.0.0.1:PORT[1](queued=0,recved=0,sent=0)
 /127.0.0.1:PORT[0](queued=0,recved=1,sent=0)

Latency min/avg/max: MIN/AVG/MAX
Received: 7
Sent: 6
Connections: 3
Outstanding: 0
Zxid: 0x3
Mode: standalone
Node count: 7
`},
		{"cons", ` /127.0.0.1:PORT[1](queued=0,recved=6,sent=6,sid=SESSION,lop=GETD,est=1795278312000,to=10000,lcxid=0x5,lzxid=0x3,lresp=0,llat=N,minlat=N,avglat=N,maxlat=N)
 /127.0.0.1:PORT[1](queued=0,recved=0,sent=0)
 /127.0.0.1:PORT[0](queued=0,recved=1,sent=0)

`},
		{"wchs", "1 connections watching 2 paths\nTotal watches:2\n"},
		{"wchc", "SESSION\n\t/a\n\t/zookeeper\n\n"},
		{"wchp", "/a\n\tSESSION\n/zookeeper\n\tSESSION\n\n"},
		{"dump", `SessionTracker dump:
Session Sets (1)/(1):
1 expire at Sat Nov 21 16:25:24 UTC 2026:
	SESSION
ephemeral nodes dump:
Sessions with Ephemerals (1):
SESSION:
	/a/e
Connections dump:
Connections Sets (1)/(3):
3 expire at Sat Nov 21 16:25:30 UTC 2026:
	ip: /127.0.0.1:PORT sessionId: SESSION
	ip: /127.0.0.1:PORT sessionId: 0x0
	ip: /127.0.0.1:PORT sessionId: 0x0
`},
		{"crst", "Connection stats reset.\n"},
		{"srst", "Server stats reset.\n"},
		{"dirs", "datadir_size: 0\nlogdir_size: 0\n"},
		{"mntr", `zk_version	3.8.0-sim, built on 02/25/2022 08:49 UTC
zk_server_state	standalone
zk_ephemerals_count	1
zk_num_alive_connections	3
zk_avg_latency	N
zk_outstanding_requests	0
zk_znode_count	7
zk_global_sessions	1
zk_packets_sent	6
zk_packets_received	7
zk_watch_count	3
zk_min_latency	N
zk_max_file_descriptor_count	N
zk_approximate_data_size	51
zk_open_file_descriptor_count	N
zk_local_sessions	0
zk_uptime	N
zk_max_latency	N
zk_connection_rejected	0
`},
		{"conf", `clientPort=PORT
secureClientPort=-1
dataDir=
dataDirSize=0
dataLogDir=
dataLogSize=0
tickTime=2000
maxClientCnxns=60
minSessionTimeout=4000
maxSessionTimeout=40000
clientPortListenBacklog=-1
serverId=0
`},
		{"ruin", ""},
	} {
		t.Run(c.word, func(t *testing.T) {
			l, p := populatedForWords(t, Options{})
			got := blank(l.word(c.word))
			got = regexp.MustCompile(`clientPort=\d+`).ReplaceAllString(got, "clientPort=PORT")
			expect(t, got, c.want)
			p.ok(get("/a"))
		})
	}
}

// Goal: dump lists sets that have lost all members, and sessions whose ephemerals are gone
// (ExpiryQueue.java, DataTree.java dumpEphemerals). Method: a session makes an ephemeral and deletes
// it after two ticks. Meanwhile the connection of another word comes and goes.
func TestDumpListsEmptySets(t *testing.T) { // ZK-11
	l, p := populatedForWords(t, Options{})
	l.advance(4_000)
	p.send(del("/a/e"))
	p.event()
	p.reply(zookeeper.OpDelete)
	l.advance(4_000)
	expect(t, blank(l.word("dump")), `SessionTracker dump:
Session Sets (2)/(1):
0 expire at Sat Nov 21 16:25:24 UTC 2026:
1 expire at Sat Nov 21 16:25:28 UTC 2026:
	SESSION
ephemeral nodes dump:
Sessions with Ephemerals (1):
SESSION:
Connections dump:
Connections Sets (2)/(3):
2 expire at Sat Nov 21 16:25:30 UTC 2026:
	ip: /127.0.0.1:PORT sessionId: SESSION
	ip: /127.0.0.1:PORT sessionId: 0x0
1 expire at Sat Nov 21 16:25:40 UTC 2026:
	ip: /127.0.0.1:PORT sessionId: 0x0
`)
	p.ok(get("/a"))
	expect(t, strings.Contains(l.word("dump"), `Session Sets (3)/(1):
0 expire at Sat Nov 21 16:25:24 UTC 2026:
0 expire at Sat Nov 21 16:25:28 UTC 2026:
1 expire at Sat Nov 21 16:25:32 UTC 2026:
`), true)
}

// Goal: cons tells of a connection what the real server 3.8 tells. Method: the parts of its line
// after each request were recorded from a real one (see TestConsBesideTheRealServer).
func TestConsAfterEachRequest(t *testing.T) { // ZK-11
	l := serve(t, Options{})
	p := l.connect()
	line := func() string {
		l.settle()
		_, line, _ := strings.Cut(l.word("cons"), "(")
		line, _, _ = strings.Cut(line, ",lresp")
		return regexp.MustCompile(`,(sid|est)=[^,]*`).ReplaceAllString(line, "")
	}
	expect(t, line(), "queued=0,recved=1,sent=1,lop=SESS,to=10000,lcxid=0x0,lzxid=0x1")
	p.do(zookeeper.Request{Op: zookeeper.OpAuth, Xid: zookeeper.XidAuth, Scheme: "digest", Data: []byte("u:p")})
	expect(t, line(), "queued=0,recved=2,sent=2,lop=SESS,to=10000,lcxid=0x0,lzxid=0x1")
	p.do(mk("/a"))
	expect(t, line(), "queued=0,recved=3,sent=3,lop=CREA,to=10000,lcxid=0x1,lzxid=0x2")
	p.do(zookeeper.Request{Op: zookeeper.OpSASL, Data: []byte{1}})
	expect(t, line(), "queued=0,recved=4,sent=4,lop=CREA,to=10000,lcxid=0x1,lzxid=0x2")
	p.do(mk("/a"))
	expect(t, line(), "queued=0,recved=5,sent=5,lop=NA,to=10000,lcxid=0x3,lzxid=0x3")
	p.do(get("/none"))
	expect(t, line(), "queued=0,recved=6,sent=6,lop=GETD,to=10000,lcxid=0x4,lzxid=0x3")
	p.do(zookeeper.Request{Op: zookeeper.OpMulti, Ops: []zookeeper.Request{mk("/a")}})
	expect(t, line(), "queued=0,recved=7,sent=7,lop=MULT,to=10000,lcxid=0x5,lzxid=0x4")
	p.send(zookeeper.Request{Op: zookeeper.OpCreateSession, TimeoutMs: 10_000})
	p.message()
	expect(t, line(), "queued=1,recved=8,sent=8,lop=SESS,to=10000,lcxid=0x6,lzxid=0x5")
	p.Close()
	l.await("the end of the connection", func() bool { return l.conns() == 0 })
	again := l.dial()
	again.greet(p.again())
	expect(t, line(), "queued=0,recved=1,sent=1,lop=null,to=10000,lcxid=0x0,lzxid=0x0")
	l.word("crst")
	expect(t, line(), "queued=0,recved=0,sent=0,lop=NA,to=10000,lzxid=0xffffffffffffffff")
}

func TestEnviBeginsWithTheVersion(t *testing.T) { // ZK-11.3
	l := serve(t, Options{})
	lines := strings.Split(l.word("envi"), "\n")
	expect(t, lines[0], "Environment:")
	expect(t, lines[1], "zookeeper.version=3.8.0-sim, built on 02/25/2022 08:49 UTC")
	for _, line := range lines[2 : len(lines)-1] {
		if !strings.Contains(line, "=") {
			t.Errorf("line %q is no key=value", line)
		}
	}
}

func TestResets(t *testing.T) {
	l, _ := populatedForWords(t, Options{})
	l.word("srst")
	l.word("crst")
	got := blank(l.word("stat"))
	for _, want := range []string{"Received: 2\nSent: 2\n", "[1](queued=0,recved=0,sent=0)"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want it to hold %q", got, want)
		}
	}
}

func TestTheTraceMask(t *testing.T) {
	l := serve(t, Options{})
	expect(t, l.word("gtmk"), "306")
	expect(t, l.word("stmk\x00\x00\x00\x00\x00\x00\x00\x05"), "5")
	expect(t, l.word("stmk"), "")
	expect(t, l.word("gtmk"), "5")
}

// Goal: addresses are printed as Java prints them, with all parts of an IPv6 address.
func TestAddressesAreJavas(t *testing.T) {
	for _, c := range []struct{ addr, want string }{
		{"[::1]:2181", "[0:0:0:0:0:0:0:1]:2181"}, {"[fe80::1:0:2%eth0]:1", "[fe80:0:0:0:0:1:0:2%eth0]:1"}, {"127.0.0.1:80", "127.0.0.1:80"},
	} {
		expect(t, javaAddrPort(netip.MustParseAddrPort(c.addr)), c.want)
	}
}

func TestWordsThatAreNotOnTheWhitelist(t *testing.T) {
	l := serve(t, Options{Words: []string{"ruok"}})
	expect(t, l.word("ruok"), "imok")
	expect(t, l.word("mntr"), "mntr is not executed because it is not in the whitelist.\n")
	if got := l.word("srvr"); !strings.Contains(got, "Mode: standalone\n") { // always there
		t.Errorf("got %q", got)
	}
	expect(t, l.word("nope"), "")
}

func TestWordsWithBytesAfterThem(t *testing.T) { // ZK-11: ignored
	l := serve(t, Options{})
	expect(t, l.word("ruok\r\n"), "imok")
	expect(t, l.word("isro and a lot of other things"), "rw")
}

func TestJavaDouble(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{0, "0.0"}, {3, "3.0"}, {1.025, "1.025"}, {1.0 / 3, "0.3333"}} {
		expect(t, javaDouble(c.v), c.want)
	}
}
