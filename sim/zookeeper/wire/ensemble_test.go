package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/members"
)

// Goal: several served servers behave to clients as three real ZooKeeper servers do (ZK-24).
// Method: clients speak the protocol byte by byte to servers that end, are cut off and lag. The
// expected answers were observed on three servers 3.8.0.

// ensembleLab is an ensemble under test, with helpers that fail the test.
type ensembleLab struct {
	testing.TB
	e *Ensemble
}

func serveEnsemble(t testing.TB, change func(*EnsembleOptions)) *ensembleLab {
	t.Helper()
	opt := EnsembleOptions{
		Server: Options{Config: zookeeper.Config{ReconfigEnabled: true, SuperDigest: "super:D/InIHSb7yEEbrWz8b9l71RjZJU="}},
		Listen: []string{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}, Election: 10 * time.Millisecond,
	}
	if change != nil {
		change(&opt)
	}
	e, err := ListenEnsemble(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &ensembleLab{TB: t, e: e}
}

// at returns the lab for the server with an id, so that clients can connect to it.
func (l *ensembleLab) at(id int64) *lab {
	return &lab{TB: l.TB, addr: l.e.Servers()[id-1].Addr}
}

// modes waits until the servers have the wanted modes, in the order of their ids.
func (l *ensembleLab) modes(want ...string) {
	l.Helper()
	got := func() (modes []string) {
		for _, s := range l.e.Servers() {
			modes = append(modes, s.Mode)
		}
		return modes
	}
	limit, again := time.After(time.Minute), time.NewTicker(5*time.Millisecond)
	defer again.Stop()
	for strings.Join(got(), " ") != strings.Join(want, " ") {
		select {
		case <-again.C:
		case <-limit:
			l.Fatalf("modes: got %v, want %v", got(), want)
		}
	}
}

func (l *ensembleLab) ok(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func TestWritesAreKnownEverywhere(t *testing.T) { // ZK-24.4
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one, two, three := l.at(1).connect(), l.at(2).connect(), l.at(3).connect()
	expect(t, two.do(zookeeper.Request{Op: zookeeper.OpExists, Path: "/a", Watch: true}).Err, -101)
	one.ok(mk("/a", 'x'))
	expect(t, two.event(), zookeeper.Event{Type: 1, Path: "/a", Zxid: -1})
	for _, p := range []*peer{one, two, three} {
		expect(t, string(p.ok(get("/a")).Data), "x")
	}
	three.ok(mkFlags("/e", zookeeper.FlagEphemeral))
	expect(t, one.do(get("/e")).Err, 0)
	three.ok(zookeeper.Request{Op: zookeeper.OpCloseSession})
	expect(t, one.do(get("/e")).Err, -101)
	if zxid := one.ok(set("/a", "y")).Zxid; zxid>>32 != 1 {
		t.Errorf("zxid %#x, want one of the first epoch", zxid)
	}
}

func TestFollowerThatLags(t *testing.T) { // ZK-24.4
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one, three := l.at(1).connect(), l.at(3).connect()
	three.ok(mk("/a", 'x'))
	expect(t, string(one.ok(get("/a")).Data), "x")
	l.ok(l.e.Lag(1, time.Hour))
	three.ok(set("/a", "y"))
	expect(t, string(one.ok(get("/a")).Data), "x")
	one.send(zookeeper.Request{Op: zookeeper.OpSync, Path: "/a"}, get("/a"))
	l.e.mu.Lock()
	for i := range l.e.members[0].channel {
		l.e.members[0].channel[i].at = time.Now() // the hour is over
	}
	l.e.members[0].lag = 300 * time.Millisecond
	l.e.mu.Unlock()
	l.e.wake()
	expect(t, one.reply(zookeeper.OpSync).Path, "/a")
	expect(t, string(one.reply(zookeeper.OpGetData).Data), "y")
	began := time.Now()
	one.ok(set("/a", "z"))
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("a write took %v at a follower that lags by 300 ms", took)
	}
	expect(t, string(one.ok(get("/a")).Data), "z")
}

// Goal: after a leader dies, another server leads with the next epoch, and sessions go on.
func TestLeaderThatDies(t *testing.T) { // ZK-24.1, ZK-24.2
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one := l.at(1).connect()
	one.ok(mkFlags("/mine", zookeeper.FlagEphemeral))
	l.ok(l.e.Stop(3))
	one.ends()
	l.modes("follower", "leader", "stopped")
	two := l.at(2).dial()
	expect(t, two.greet(one.again()).SessionID, one.session.SessionID)
	expect(t, two.ok(get("/mine")).Stat.EphemeralOwner, one.session.SessionID)
	if zxid := two.ok(mk("/b")).Zxid; zxid != 2<<32|1 {
		t.Errorf("zxid %#x, want the first one of the second epoch", zxid)
	}
	l.ok(l.e.Start(3, ""))
	l.modes("follower", "leader", "follower")
	l.at(3).connect().ok(get("/b"))
	if err := l.e.Start(3, ""); err == nil {
		t.Error("a server that runs starts again")
	}
}

func TestWithoutAMajority(t *testing.T) { // ZK-24.1, ZK-24.8
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one := l.at(1).connect()
	one.ok(mkFlags("/mine", zookeeper.FlagEphemeral))
	l.ok(l.e.Stop(3))
	l.ok(l.e.Cut(2, true))
	one.ends()
	l.modes("looking", "looking", "stopped")
	p := l.at(1).dial()
	p.bytes(AppendConnectRequest(nil, ptr(one.again())))
	p.ends()
	expect(t, l.at(1).word("srvr"), notServing+"\n")
	expect(t, l.at(2).word("ruok"), "imok")
	l.ok(l.e.Cut(2, false))
	l.modes("follower", "leader", "stopped")
	again := l.at(1).dial()
	expect(t, again.greet(one.again()).SessionID, one.session.SessionID)
	again.ok(get("/mine"))
}

func ptr[T any](v T) *T { return &v }

// Goal: a server without a majority serves read-only clients. Their sessions exist on that server
// alone.
func TestReadersWithoutAMajority(t *testing.T) { // ZK-24.7
	l := serveEnsemble(t, func(o *EnsembleOptions) { o.ReadOnly, o.LocalSessions = true, true })
	l.modes("follower", "follower", "leader")
	l.at(3).connect().ok(mk("/a", 'x'))
	l.ok(l.e.Stop(2))
	l.ok(l.e.Stop(3))
	l.modes("read-only", "stopped", "stopped")
	at := l.at(1)
	expect(t, at.word("isro"), "ro")
	if srvr := at.word("srvr"); !strings.Contains(srvr, "READ-ONLY mode; serving only read-only clients\n") || !strings.Contains(srvr, "Mode: read-only\n") {
		t.Errorf("srvr: %s", srvr)
	}
	writer := at.dial()
	writer.bytes(AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000, Password: make([]byte, 16), HasReadOnly: true}))
	writer.ends()
	reader := at.dial()
	session := reader.greet(zookeeper.ConnectRequest{TimeoutMs: 10_000, Password: make([]byte, 16), HasReadOnly: true, ReadOnly: true})
	if !session.ReadOnly || session.SessionID == 0 {
		t.Errorf("got %+v, want a session for readers", session)
	}
	expect(t, string(reader.ok(get("/a")).Data), "x")
	for _, req := range []zookeeper.Request{mk("/b"), set("/a", "y"), del("/a"), {Op: zookeeper.OpSync, Path: "/"}, {Op: zookeeper.OpCheck, Path: "/a", Version: -1}} {
		expect(t, reader.do(req).Err, zookeeper.CodeNotReadOnly)
	}
	stranger := at.dial()
	refused := stranger.greet(zookeeper.ConnectRequest{TimeoutMs: 10_000, SessionID: 0x1234, Password: make([]byte, 16), HasReadOnly: true, ReadOnly: true})
	expect(t, refused, zookeeper.ConnectResponse{HasReadOnly: true, ReadOnly: true})
	l.ok(l.e.Start(2, ""))
	reader.ends()
	l.modes("follower", "leader", "stopped")
	gone := l.at(1).dial()
	expect(t, gone.greet(zookeeper.ConnectRequest{TimeoutMs: 10_000, SessionID: session.SessionID, Password: session.Password[:], HasReadOnly: true}).SessionID, 0)
}

func TestSessionsOfFollowersExpireAtTheLeader(t *testing.T) {
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one, two := l.at(1).connect(), l.at(2).connect()
	one.ok(mkFlags("/mine", zookeeper.FlagEphemeral))
	expect(t, two.ok(zookeeper.Request{Op: zookeeper.OpExists, Path: "/mine", Watch: true}).Err, 0)
	if !l.e.Server(2).Expire(one.session.SessionID) {
		t.Error("found no session to expire")
	}
	one.ends()
	expect(t, two.event(), zookeeper.Event{Type: 2, Path: "/mine", Zxid: -1})
}

func TestSessionMovesToAnotherServer(t *testing.T) { // ZK-24.5
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	one := l.at(1).connect()
	two := l.at(2).dial()
	expect(t, two.greet(one.again()).SessionID, one.session.SessionID)
	two.ok(mk("/a"))
	one.ok(get("/a"))
	one.bytes(AppendRequest(nil, ptr(set("/a", "x"))))
	one.ends()
	expect(t, len(two.ok(get("/a")).Data), 0)
}

func reconfig(joining, leaving, all string, from int64) zookeeper.Request {
	change := members.Change{From: from}
	for text, to := range map[*string]**string{&joining: &change.Joining, &leaving: &change.Leaving, &all: &change.New} {
		if *text != "" {
			*to = text
		}
	}
	return zookeeper.Request{Op: zookeeper.OpReconfig, Membership: &change}
}

func TestReconfig(t *testing.T) { // ZK-24.6
	l := serveEnsemble(t, nil)
	l.modes("follower", "follower", "leader")
	nobody, super := l.at(1).connect(), l.at(1).connect()
	super.ok(zookeeper.Request{Xid: zookeeper.XidAuth, Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte("super:test")})
	const observer = "server.100=127.0.0.1:24001:24002:observer;127.0.0.1:24003"
	for _, c := range []struct {
		name string
		req  zookeeper.Request
		want zookeeper.Code // wanted code for the user super; 0 if nobody is answered -102
	}{
		{"no server", reconfig("some thing", "", "", -1), -8},
		{"a server without a number", reconfig("a=b", "", "", -1), -5},
		{"a server without ports", reconfig("server.4=1:2", "", "", -1), -8},
		{"a server without a client port", reconfig("server.100=127.0.0.1:24001:24002", "", "", -1), -8},
		{"a leaver without a number", reconfig("", "x", "", -1), -5},
		{"a whole that is none", reconfig("", "", "x", -1), -8},
		{"a whole with one voter", reconfig("", "", "server.1=127.0.0.1:23011:23021;23001", -1), -8},
		{"another version", reconfig(observer, "", "", 12345), -103},
		{"voters that nobody follows", reconfig("server.7=127.0.0.1:1:2;3,server.6=127.0.0.1:4:5;6,server.8=127.0.0.1:7:8;9", "", "", -1), -13},
		{"nobody who leaves", reconfig("", "99", "", -1), 0},
		{"an observer", reconfig(observer, "", "", -1), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := super.do(c.req)
			expect(t, got.Err, c.want)
			if want := c.want; want == 0 {
				expect(t, nobody.do(c.req).Err, -102)
				data := super.ok(get("/zookeeper/config"))
				expect(t, string(data.Data), string(got.Data))
				expect(t, got.Stat.Version, -1)
			} else {
				expect(t, nobody.do(c.req).Err, want)
			}
		})
	}
	if data := string(super.ok(get("/zookeeper/config")).Data); !strings.Contains(data, "\n"+observer+"\n") {
		t.Errorf("config: %s", data)
	}
	taken := "server.9=192.0.2.1:24011:24012;192.0.2.1:24013,server.10=192.0.2.1:24021:24022;192.0.2.1:24013" // one of the loopback may be taken twice
	expect(t, super.do(reconfig(taken, "", "", -1)).Err, zookeeper.Code(-8))
}

// Goal: a leader that a reconfig removes hands over to the first voter that follows it.
// If a follower's client asks for the reconfig, it is carried out but not answered. If a client of
// the leader asks, it is answered. The followers close their clients' connections. The old leader
// keeps its connections until another server leads, and accepts the sessions of other servers. It
// answers requests without a transaction, such as a sync. It answers no write, and no request that
// follows a write on the same connection.
func TestARemovedLeaderHandsOver(t *testing.T) { // ZK-24.6
	for _, asked := range []int64{1, 3} {
		l := serveEnsemble(t, nil)
		l.modes("follower", "follower", "leader")
		l.e.mu.Lock()
		l.e.opt.Election = time.Hour
		l.e.mu.Unlock()
		super, old, writer, other := l.at(asked).connect(), l.at(3).connect(), l.at(3).connect(), l.at(2).connect()
		super.ok(zookeeper.Request{Xid: zookeeper.XidAuth, Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte("super:test")})
		req := reconfig("", "3", "", -1)
		if asked == 3 {
			super.ok(req)
		} else {
			super.bytes(AppendRequest(nil, &req))
			super.ends()
		}
		other.ends()

		back := l.at(3).dial()
		if got := back.greet(other.again()); got.SessionID != other.session.SessionID {
			t.Errorf("session %#x, want %#x back", got.SessionID, other.session.SessionID)
		}
		for _, p := range []*peer{old, back} {
			if data := string(p.ok(get("/zookeeper/config")).Data); strings.Contains(data, "server.3") {
				t.Errorf("config at the old leader: %s", data)
			}
			p.ok(zookeeper.Request{Op: zookeeper.OpSync, Path: "/"})
		}
		newcomer := l.at(3).dial()
		newcomer.bytes(AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: 10_000}))
		writer.send(mk("/w"), get("/zookeeper/config"))
		if srvr := l.at(3).word("srvr"); !strings.Contains(srvr, "Mode: leader\n") {
			t.Errorf("srvr of the old leader: %s", srvr)
		}

		old.await("two clients that wait", func() (both bool) {
			l.e.mu.Lock()
			defer l.e.mu.Unlock()
			stuck := 0
			for _, c := range l.e.members[2].s.conns {
				if c.stuck {
					stuck++
				}
			}
			return stuck == 2
		})
		l.e.mu.Lock()
		l.e.electionAt = time.Now()
		l.e.mu.Unlock()
		l.e.wake()
		for _, held := range []*peer{old, back, newcomer, writer} {
			held.ends()
		}
		l.modes("leader", "follower", "follower")
		p := l.at(3).connect()
		expect(t, p.do(get("/w")).Err, -101)
		if data := string(p.ok(get("/zookeeper/config")).Data); strings.Contains(data, "server.3") || !strings.Contains(data, "server.1=") {
			t.Errorf("asked of server %d: config: %s", asked, data)
		}
	}
}

// Goal: /zookeeper/config lists the members with the addresses for clients. Its version is not 0
// if reconfig is enabled.
func TestTheConfigOfAnEnsemble(t *testing.T) { // ZK-24.6
	for _, c := range []struct {
		enabled bool
		version string
		mzxid   int64
	}{{false, "\nversion=0", 0}, {true, "\nversion=100000000", 1 << 32}} {
		l := serveEnsemble(t, func(o *EnsembleOptions) { o.Server.Config.ReconfigEnabled = c.enabled })
		l.modes("follower", "follower", "leader")
		if srvr := l.at(3).word("srvr"); !strings.Contains(srvr, "Zxid: 0x100000000\n") {
			t.Errorf("srvr of a new leader: %s", srvr)
		}
		p := l.at(1).connect()
		r := p.ok(get("/zookeeper/config"))
		if data := string(r.Data); !strings.HasSuffix(data, c.version) || !strings.Contains(data, ":participant;"+l.e.Servers()[1].Addr+"\n") {
			t.Errorf("config: %s", data)
		}
		expect(t, r.Stat.Mzxid, c.mzxid)
		expect(t, p.ok(mk("/a")).Zxid, int64(1<<32|2)) // 1, because the creation of the session had the zxid before
	}
}

func TestWordsOfAnEnsemble(t *testing.T) { // ZK-24.8
	l := serveEnsemble(t, func(o *EnsembleOptions) { o.Observers, o.Listen = 1, append(o.Listen, "127.0.0.1:0") })
	l.modes("follower", "follower", "leader", "observer")
	for id, want := range map[int64]string{1: "Mode: follower\nNode count: 5\n", 3: "Mode: leader\nNode count: 5\nProposal sizes last/min/max: -1/-1/-1\n", 4: "Mode: observer\n"} {
		if got := l.at(id).word("srvr"); !strings.Contains(got, want) {
			t.Errorf("srvr of %d: got %s, want %s", id, got, want)
		}
	}
	conf := l.at(4).word("conf")
	for _, want := range []string{"serverId=4\ninitLimit=", "peerType=1\nmembership: \nserver.1=127.0.0.1:", ":observer;127.0.0.1:", "\nversion=100000000"} {
		if !strings.Contains(conf, want) {
			t.Errorf("conf: got %s, want %s in it", conf, want)
		}
	}
	// The order is that of 3.8.0, which prints more values.
	for id, want := range map[int64]string{
		1: "version server_state peer_state ephemerals_count",
		3: "version server_state peer_state ephemerals_count num_alive_connections avg_latency min_proposal_size outstanding_requests",
		4: "version server_state peer_state observer_master_id ephemerals_count",
	} {
		var names []string
		mntr := l.at(id).word("mntr")
		for line := range strings.Lines(mntr) {
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "zk_"), "\t")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " quorum_size connection_rejected") {
			t.Errorf("mntr of %d: got %s, want %s first", id, got, want)
		}
		for _, want := range map[int64][]string{
			1: {"peer_state\tfollowing - broadcast\n"}, 3: {"server_state\tleader\n", "synced_followers\t2\n", "synced_observers\t1\n"},
			4: {"server_state\tobserver\n", "peer_state\tobserving - broadcast\n", "observer_master_id\t3\n"},
		}[id] {
			if !strings.Contains(mntr, "zk_"+want) {
				t.Errorf("mntr of %d: got %s, want %s in it", id, mntr, want)
			}
		}
	}
}

func TestEnsembleThatCannotListen(t *testing.T) {
	taken := serve(t, Options{})
	_, err := ListenEnsemble(EnsembleOptions{Listen: []string{"127.0.0.1:0", taken.addr}})
	if err == nil || !strings.Contains(err.Error(), "server 2: ") {
		t.Errorf("got %v, want an error about server 2", err)
	}
}
