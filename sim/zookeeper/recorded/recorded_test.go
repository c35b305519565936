package recorded

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: the machine answers exactly as a real server 3.8.0. Method: scripts are played on the
// machine, and the output is compared with the recording.

var (
	realAddr    = flag.String("zookeeper", "", "host:port of a real server 3.8 to compare with")
	realVersion = flag.String("zookeeper-version", "3.8.0", "the version of those servers")
	strictAddr  = flag.String("zookeeper-strict", "", "the same with quotas enforced and reconfig enabled")
	update      = flag.Bool("update", false, "record testdata from the server of -zookeeper")
)

// realConfig holds the settings of the recorded server (ZK-17.2).
var realConfig = zookeeper.Config{ExtendedTypes: true, SuperDigest: acl.DigestID("super:test")}

// script is a sequence of requests on several connections.
type script struct {
	title string
	// strict means that the script is for the server that enforces quotas and allows reconfig.
	strict bool
	steps  []step
}

// step is a connect, a request or a drop of one connection.
type step struct {
	conn    int
	req     zookeeper.Request
	connect *zookeeper.ConnectRequest
	// attach is the connection whose session a connect wants to take over. wrongPassword makes it
	// send a wrong password.
	attach        int
	wrongPassword bool
	drop          bool
}

// server is a simulated or real server on which a script is played.
type server interface {
	// connect, do and drop execute a step and return all outputs of the server, on any connection.
	connect(s step) []zookeeper.Out
	do(conn int, req zookeeper.Request) []zookeeper.Out
	drop(conn int) []zookeeper.Out
	// base returns the last zxid before the script.
	base() int64
}

// play plays the script and returns its text with the server's outputs.
func (s script) play(on server) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", s.title)
	if s.strict {
		b.WriteString("strict\n")
	}
	names := sessionNames{}
	for _, st := range s.steps {
		fmt.Fprintf(&b, "\n%s\n", st)
		var out []zookeeper.Out
		switch {
		case st.connect != nil:
			out = on.connect(st)
		case st.drop:
			out = on.drop(st.conn)
		default:
			out = on.do(st.conn, st.req)
		}
		slices.SortStableFunc(out, func(x, y zookeeper.Out) int { return int(x.Conn) - int(y.Conn) })
		for i := range out {
			fmt.Fprintf(&b, "\t%s\n", names.text(&out[i], on.base()))
		}
	}
	return b.String()
}

// sessionNames numbers the sessions in the order in which they appear.
type sessionNames map[int64]int

func (n sessionNames) of(id int64) string {
	if id == 0 {
		return "0"
	}
	if n[id] == 0 {
		n[id] = len(n) + 1
	}
	return fmt.Sprint("S", n[id])
}

// text formats an output without the parts that differ from run to run: ids, times, zxids from
// before the script, and the order of children.
func (n sessionNames) text(o *zookeeper.Out, base int64) string {
	switch o.Kind {
	case zookeeper.OutConnected:
		c := o.Connected
		return fmt.Sprintf("%d connected %s timeout=%d readOnlySent=%t", o.Conn, n.of(c.SessionID), c.TimeoutMs, c.HasReadOnly)
	case zookeeper.OutEvent:
		return fmt.Sprintf("%d event %s %s zxid=%d", o.Conn, o.Event.Type, o.Event.Path, relative(o.Event.Zxid, base))
	case zookeeper.OutReply:
		r := o.Reply
		r.Zxid = relative(r.Zxid, base)
		r.Children = slices.Clone(r.Children)
		if r.Op != zookeeper.OpGetEphemerals {
			slices.Sort(r.Children)
		}
		r.Results = slices.Clone(r.Results)
		for i := range r.Results {
			r.Results[i].Children = slices.Clone(r.Results[i].Children)
			slices.Sort(r.Results[i].Children)
		}
		text := fmt.Sprintf("%d xid=%d %s", o.Conn, r.Xid, r.String())
		if r.Err != zookeeper.CodeOK {
			return text
		}
		text += n.stat(r.Stat, base)
		if r.Count != 0 {
			text += fmt.Sprint(" count=", r.Count)
		}
		for _, a := range r.ACL {
			text += " " + a.String()
		}
		for i := range r.Results {
			text += n.stat(r.Results[i].Stat, base)
		}
		return text
	}
	return fmt.Sprintf("%d %s", o.Conn, o.Kind)
}

// relative returns a zxid counted from base, the last zxid before the script.
func relative(zxid, base int64) int64 {
	switch {
	case zxid > base:
		return zxid - base
	case zxid > 0:
		return 0
	}
	return zxid
}

func (n sessionNames) stat(s zookeeper.Stat, base int64) string {
	if s == (zookeeper.Stat{}) {
		return ""
	}
	times := "ctime=mtime"
	if s.CtimeMs > s.MtimeMs {
		times = "ctime>mtime"
	}
	return fmt.Sprintf(" {czxid=%d mzxid=%d pzxid=%d v=%d cv=%d av=%d owner=%s len=%d kids=%d %s}",
		relative(s.Czxid, base), relative(s.Mzxid, base), relative(s.Pzxid, base),
		s.Version, s.Cversion, s.Aversion, n.of(s.EphemeralOwner), s.DataLengthBytes, s.NumChildren, times)
}

// playReal removes what earlier scripts left on the real server, and plays a script on it.
func playReal(t interface{ Fatal(...any) }, s script) string {
	addr := *realAddr
	if s.strict {
		addr = *strictAddr
	}
	if addr == "" {
		t.Fatal("needs the servers of -zookeeper and -zookeeper-strict")
	}
	w := newWired(addr)
	w.clean()
	defer w.close()
	return s.play(w)
}

func TestMachineAnswersAsTheRealServer(t *testing.T) { // ZK-22.1
	for _, v := range versions {
		files, err := filepath.Glob("testdata/real-" + v.name + "/*.txt")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: found no scripts: %v", v.name, err)
		}
		for _, file := range files {
			t.Run(v.name+"/"+strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				s := parse(string(text))
				want := string(text)
				if *update && v.name == *realVersion {
					want = playReal(t, s)
					if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(want, s.play(newSimulated(v.profile, s.strict))); diff != "" {
					t.Errorf("-real server +machine:\n%s", diff)
				}
			})
		}
	}
}

// version is a ZooKeeper version for which there are recordings.
type version struct {
	name    string
	profile zookeeper.Profile
}

var versions = []version{{"3.8.0", zookeeper.V38}, {"3.9.3", zookeeper.V39}}
