package datadir_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/datadir"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: the state read from the directory of a real server equals what that server answered.
// A real server started on an exported directory answers with the state of the simulated
// server (ZK-22.11). Method: clients create znodes of every kind on one server and read its
// whole tree. The other is compared with that. Each test is skipped where no server is
// installed.

var update = flag.Bool("update", false, "record the directory of a real server and its answers anew")

const super = "super:D/InIHSb7yEEbrWz8b9l71RjZJU=" // of super:test

// znode is what a server answers about a znode.
type znode struct {
	Data []byte
	Stat zk.Stat
	ACL  []zk.ACL
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// client is a client whose connection can be cut without ending its session.
type client struct {
	*zk.Conn
	t    *testing.T
	mu   sync.Mutex
	tcp  net.Conn
	gone bool
}

// sessionTimeout is longer than a restart of a server takes on a busy machine.
const sessionTimeout = 2 * time.Minute

func dial(t *testing.T, addr string) *client {
	t.Helper()
	c := &client{t: t}
	var err error
	if c.Conn, _, err = zk.Connect([]string{addr}, sessionTimeout, zk.WithLogger(silent{}), zk.WithDialer(c.connect)); err != nil {
		t.Fatal(err)
	}
	c.must(c.AddAuth("digest", []byte("super:test")))
	return c
}

func (c *client) connect(network, address string, timeout time.Duration) (tcp net.Conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, errors.New("cut off")
	}
	c.tcp, err = net.DialTimeout(network, address, timeout)
	return c.tcp, err
}

// leave closes the client's connection for good. Its session stays alive on the server.
func (c *client) leave() {
	c.mu.Lock()
	c.gone = true
	c.tcp.Close()
	c.mu.Unlock()
	c.Close()
}

func (c *client) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) create(name string, data []byte, flags int32) string {
	c.t.Helper()
	made, err := c.Create(name, data, flags, zk.WorldACL(zk.PermAll))
	c.must(err)
	return made
}

// makeEverything creates znodes of all kinds, deletes some, and makes requests that fail.
func (c *client) makeEverything() {
	c.t.Helper()
	c.must(c.AddAuth("digest", []byte("ann:secret")))
	c.create("/a", []byte("first"), 0)
	for _, data := range []string{"second", "\x00\xff", ""} {
		_, err := c.Set("/a", []byte(data), -1)
		c.must(err)
	}
	c.create("/null", nil, 0)
	c.create("/empty", []byte{}, 0)
	c.create("/größe", []byte("ü"), 0)
	for range 5 {
		c.create("/a/n-", []byte("x"), zk.FlagSequence)
		c.create("/a/e-", nil, zk.FlagEphemeral|zk.FlagSequence)
	}
	c.must(c.Delete("/a/n-0000000002", 0))
	c.must(c.Delete("/a/e-0000000003", -1))
	if err := c.Delete("/a", -1); err != zk.ErrNotEmpty {
		c.t.Fatal(err)
	}
	_, err := c.Create("/mine", nil, 0, zk.AuthACL(zk.PermAll))
	c.must(err)
	_, err = c.Create("/mixed", []byte("m"), 0, slices.Concat(zk.WorldACL(zk.PermRead), zk.DigestACL(zk.PermWrite|zk.PermDelete, "bob", "b"),
		[]zk.ACL{{Perms: zk.PermAll, Scheme: "ip", ID: "10.0.0.0/8"}}))
	c.must(err)
	_, err = c.SetACL("/null", zk.WorldACL(zk.PermRead|zk.PermAdmin), 0)
	c.must(err)
	_, err = c.CreateContainer("/container", []byte("c"), zk.FlagTTL-1, zk.WorldACL(zk.PermAll))
	c.must(err)
	c.create("/container/x", nil, 0)
	_, err = c.CreateTTL("/ttl", []byte("t"), zk.FlagTTL, zk.WorldACL(zk.PermAll), time.Hour)
	c.must(err)
	_, err = c.Multi(
		&zk.CreateRequest{Path: "/multi", Acl: zk.WorldACL(zk.PermAll)}, &zk.CreateRequest{Path: "/multi/e", Acl: zk.WorldACL(zk.PermAll), Flags: zk.FlagEphemeral},
		&zk.SetDataRequest{Path: "/multi", Data: []byte("set"), Version: 0}, &zk.CheckVersionRequest{Path: "/a", Version: 3}, &zk.DeleteRequest{Path: "/empty", Version: 0})
	c.must(err)
	if _, err := c.Multi(&zk.CreateRequest{Path: "/not", Acl: zk.WorldACL(zk.PermAll)}, &zk.CheckVersionRequest{Path: "/a", Version: 99}); err == nil {
		c.t.Fatal("a multi that fails has not")
	}
	c.create("/zookeeper/quota/a", nil, 0)
	c.create("/zookeeper/quota/a/zookeeper_limits", []byte("count=100,bytes=-1"), 0)
	c.create("/zookeeper/quota/a/zookeeper_stats", []byte("count=0,bytes=0"), 0)
	c.create("/a/counted", []byte("12345"), 0)
}

// walk returns all znodes of a server by path.
func (c *client) walk() map[string]znode {
	c.t.Helper()
	all := map[string]znode{}
	var visit func(name string)
	visit = func(name string) {
		data, stat, err := c.Get(name)
		c.must(err)
		list, _, err := c.GetACL(name)
		c.must(err)
		all[name] = znode{data, *stat, list}
		children, _, err := c.Children(name)
		c.must(err)
		for _, child := range children {
			visit(path.Join(name, child))
		}
	}
	visit("/")
	return all
}

// restored starts a state machine from an image and returns it with its znodes by path.
func restored(t *testing.T, image zookeeper.Image) (*zookeeper.Machine, map[string]znode) {
	t.Helper()
	snapshot, err := zookeeper.NewSnapshot(image)
	if err != nil {
		t.Fatal(err)
	}
	m := zookeeper.Restore(zookeeper.Config{ExtendedTypes: true}, 0, snapshot)
	all := map[string]znode{}
	for _, n := range m.Nodes() {
		s := n.Stat
		all[n.Path] = znode{n.Data, zk.Stat{
			Czxid: s.Czxid, Mzxid: s.Mzxid, Ctime: s.CtimeMs, Mtime: s.MtimeMs, Version: s.Version, Cversion: s.Cversion, Aversion: s.Aversion,
			EphemeralOwner: s.EphemeralOwner, DataLength: s.DataLengthBytes, NumChildren: s.NumChildren, Pzxid: s.Pzxid,
		}, theirs(n.ACL)}
	}
	return m, all
}

func theirs(list []acl.Entry) (all []zk.ACL) {
	for _, e := range list {
		all = append(all, zk.ACL{Perms: int32(e.Perms), Scheme: e.Scheme, ID: e.ID})
	}
	return all
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
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// ephemerals returns the ephemerals of each session, as sorted lines from the four-letter
// word dump.
func ephemerals(t *testing.T, addr string) string {
	t.Helper()
	_, list, _ := strings.Cut(word(t, addr, "dump"), "ephemerals")
	lines := strings.Split(list, "\n")[1:]
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// load reads a directory and expects no notes.
func load(t *testing.T, dir string, opt datadir.Options) *datadir.Data {
	t.Helper()
	d, err := datadir.Load(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Notes) > 0 {
		t.Fatalf("notes %q, want none", d.Notes)
	}
	return d
}

func same(t *testing.T, what string, want, got map[string]znode) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestADirectoryHasWhatTheServerAnswered(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super})
	c := dial(t, s.Addr())
	c.makeEverything()
	stays := dial(t, s.Addr())
	stays.create("/stays", nil, zk.FlagEphemeral)
	want := stays.walk()
	session := stays.SessionID()
	c.leave()
	stays.leave()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{s.DataDir(), filepath.Join(s.DataDir(), "version-2")} {
		d := load(t, where, datadir.Options{})
		m, got := restored(t, d.Image)
		same(t, "the directory", want, got)
		if ids := m.Sessions(); len(ids) != 2 || ids[1].ID != session && ids[0].ID != session || ids[0].TimeoutMs != sessionTimeout.Milliseconds() {
			t.Errorf("sessions: got %+v, want two of %v, one of them %#x", ids, sessionTimeout, session)
		}
		if d.Transactions != int(d.Image.Zxid) || filepath.Base(d.Snapshot) != "snapshot.0" {
			t.Errorf("got %d transactions behind %s, want %d behind snapshot.0", d.Transactions, d.Snapshot, d.Image.Zxid)
		}
	}

	// A restarted server writes a snapshot with a digest and continues in a new log.
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	c = dial(t, s.Addr())
	c.create("/later", []byte("later"), 0)
	c.must(c.Delete("/a/n-0000000004", 0))
	_, err := c.Set("/multi", []byte("again"), 1)
	c.must(err)
	want = c.walk()
	c.leave()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	d := load(t, s.DataDir(), datadir.Options{})
	_, got := restored(t, d.Image)
	same(t, "the directory of the second start", want, got)
	if *update {
		record(t, s.DataDir(), want)
	}

	// The server's own tool lists the same transactions from the logs.
	theirs, err := s.Transactions()
	if err != nil {
		t.Fatal(err)
	}
	var ours []server.Transaction
	if _, err := datadir.Transactions(s.DataDir(), datadir.Options{}, func(tx *datadir.Transaction) error {
		ours = append(ours, server.Transaction{Session: tx.Session, Zxid: tx.Zxid, Op: tx.Op.String()})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range theirs {
		theirs[i] = server.Transaction{Session: theirs[i].Session, Zxid: theirs[i].Zxid, Op: strings.Replace(theirs[i].Op, "Ttl", "TTL", 1)}
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("transactions (-its own tool +here):\n%s", diff)
	}
}

// record saves a server's directory and its answers as test data. It shortens the zeros with
// which the server fills up its logs.
func record(t *testing.T, dir string, answers map[string]znode) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "version-2", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll("testdata/recorded"), os.MkdirAll("testdata/recorded/version-2", 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(name), "log.") {
			b = append(bytes.TrimRight(b, "\x00"), make([]byte, 64)...)
		}
		if err := os.WriteFile(filepath.Join("testdata/recorded/version-2", filepath.Base(name)), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.MarshalIndent(answers, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/recorded/answers.json", append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Goal: a server started on a directory that was read and exported again has the same state
// as before.
func TestAServerStartsFromWhatWasExported(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super})
	c := dial(t, s.Addr())
	c.makeEverything()
	want, before := c.walk(), ephemerals(t, s.Addr())
	c.leave()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	d := load(t, s.DataDir(), datadir.Options{})
	replaceData(t, s, &d.Image)
	c = startsWith(t, s, want, before)
	defer c.Close()
}

// startsWith starts a server, checks its znodes and ephemerals, and returns a client of the
// server.
func startsWith(t *testing.T, s *server.Server, want map[string]znode, ephemeral string) *client {
	t.Helper()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if got := ephemerals(t, s.Addr()); got != ephemeral {
		t.Errorf("ephemerals: got\n%s, want\n%s", got, ephemeral)
	}
	c := dial(t, s.Addr())
	same(t, "the server", want, c.walk())
	return c
}

// replaceData replaces the data directory of a stopped server by an exported state.
func replaceData(t *testing.T, s *server.Server, image *zookeeper.Image) {
	t.Helper()
	if err := os.RemoveAll(s.DataDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Export(s.DataDir(), image); err != nil {
		t.Fatal(err)
	}
	if d := load(t, s.DataDir(), datadir.Options{}); d.Image.Zxid != image.Zxid {
		t.Fatalf("exported zxid %#x, want %#x", d.Image.Zxid, image.Zxid)
	}
}

func TestAServerGoesOnWhereTheSimulatedOneHasEnded(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super})
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	ours, err := wire.Listen("127.0.0.1:0", wire.Options{Config: zookeeper.Config{SuperDigest: super, ExtendedTypes: true, TickMs: 500, MaxSessionTimeoutMs: sessionTimeout.Milliseconds()}})
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, ours.Addr())
	c.makeEverything()
	want, before := c.walk(), ephemerals(t, ours.Addr())
	c.leave()
	snapshot, _ := ours.Snapshot()
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	image := snapshot.Image()
	replaceData(t, s, &image)
	c = startsWith(t, s, want, before)
	defer c.Close()
	c.create("/next", nil, 0)
	// The zxid before belongs to the creation of the client's session.
	if _, stat, err := c.Get("/next"); err != nil || stat.Czxid != image.Zxid+2 {
		t.Errorf("the next znode has %+v, %v, want the zxid %#x", stat, err, image.Zxid+2)
	}
}

// Goal: a snapshot taken while the tree changes leads to the right state, although some
// transactions are then applied twice.
func TestSnapshotsThatAreTakenDuringChanges(t *testing.T) {
	s := server.ForTest(t, server.Config{
		Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super, Properties: []string{"zookeeper.snapCount=40"},
	})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for round := range 10 {
				c := dial(t, s.Addr())
				top := fmt.Sprintf("/top%d", i)
				_, _ = c.Create(top, nil, 0, zk.WorldACL(zk.PermAll)) // after the first round, the znode exists already
				for k := range 8 {
					c.create(top+"/e-", nil, zk.FlagEphemeral|zk.FlagSequence)
					name := c.create(top+"/n-", []byte{byte(k)}, zk.FlagSequence)
					_, err := c.Multi(&zk.SetDataRequest{Path: top, Data: []byte(name), Version: -1}, &zk.DeleteRequest{Path: name, Version: 0})
					c.must(err)
				}
				if round < 9 {
					c.Close()
				} else {
					c.leave()
				}
			}
		}()
	}
	wg.Wait()
	c := dial(t, s.Addr())
	want := c.walk()
	c.leave()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	d := load(t, s.DataDir(), datadir.Options{})
	_, got := restored(t, d.Image)
	same(t, "the newest snapshot and the logs since", want, got)

	// Starting from any older snapshot gives the same state.
	snapshots, err := filepath.Glob(filepath.Join(s.DataDir(), "version-2", "snapshot.*"))
	if err != nil || len(snapshots) < 5 {
		t.Fatalf("found the snapshots %q, %v, want at least 5", snapshots, err)
	}
	for d.Snapshot != "" {
		if err := os.Remove(d.Snapshot); err != nil {
			t.Fatal(err)
		}
		if snapshots = snapshots[:len(snapshots)-1]; len(snapshots) == 0 {
			break
		}
		d = load(t, s.DataDir(), datadir.Options{})
		_, got := restored(t, d.Image)
		same(t, d.Snapshot+" and the logs since", want, got)
	}
}

func TestCompressedSnapshots(t *testing.T) {
	for _, c := range []struct{ method, want string }{{"gz", ""}, {"snappy", "compressed by snappy"}} {
		t.Run(c.method, func(t *testing.T) {
			s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super, Properties: []string{"zookeeper.snapshot.compression.method=" + c.method}})
			client := dial(t, s.Addr())
			client.create("/x", []byte("x"), 0)
			want := client.walk()
			client.leave()
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			d, err := datadir.Load(s.DataDir(), datadir.Options{})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			_, got := restored(t, d.Image)
			same(t, "the directory", want, got)
		})
	}
}

// Goal: characters beyond the basic plane, as in the id of an ACL, are read unchanged and
// exported in a form that a server can read. A server writes them as two surrogates, which
// it reads as U+FFFD after a restart, as ours does that starts with them.
func TestTextThatAServerCannotReadAgain(t *testing.T) {
	s := server.ForTest(t, server.Config{Tick: 500 * time.Millisecond, MaxSession: sessionTimeout, SuperDigest: super})
	id := func() string {
		c := dial(t, s.Addr())
		defer c.leave()
		list, _, err := c.GetACL("/x")
		c.must(err)
		return fmt.Sprintf("%q", list[0].ID)
	}
	c := dial(t, s.Addr())
	_, err := c.Create("/x", nil, 0, zk.DigestACL(zk.PermAll, "ann😀", "secret"))
	c.must(err)
	c.leave()
	want := id()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	d := load(t, s.DataDir(), datadir.Options{})
	for _, n := range d.Image.Nodes {
		if n.Path != "/x" {
			continue
		}
		if got := fmt.Sprintf("%q", n.ACL[0].ID); got != want {
			t.Errorf("the directory: got %s, want %s", got, want)
		}
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	again := id()
	if again == want {
		t.Errorf("started again the server has %s, want another id", again)
	}
	_, znodes := restored(t, d.Image)
	if got := fmt.Sprintf("%q", znodes["/x"].ACL[0].ID); got != again {
		t.Errorf("ours started with it: got %s, want %s", got, again)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	replaceData(t, s, &d.Image)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if got := id(); got != want {
		t.Errorf("exported: got %s, want %s", got, want)
	}
}
