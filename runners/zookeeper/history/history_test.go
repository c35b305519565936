package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/runners/zookeeper/history"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// searchLimit is the longest search for an order. Only a search that would not end reaches it.
const searchLimit = time.Minute

// Goal: concurrent clients of the simulated server see one order of writes, and it is the
// order in which the server commits (ZK-22.8). Method: random operations on few znodes, so
// that most conflict, verified by both checks. Runs use a data directory, where answers wait
// for the disk, and memory alone.
func TestServedMachine(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		for _, where := range []string{"memory", "disk"} {
			t.Run(fmt.Sprintf("seed=%d/%s", seed, where), func(t *testing.T) {
				opt := wire.Options{}
				if where == "disk" {
					opt.DataDir = t.TempDir()
				}
				history, commits := runServed(t, opt, history.Workload{Seed: uint64(seed), Clients: 8, Ops: 250, Nodes: 3})
				check(t, history, commits)
			})
		}
	}
}

// Goal: a history of a real server passes the checks. Otherwise the checks would be too
// strict.
func TestRealServer(t *testing.T) {
	server := server.ForTest(t, server.Config{})
	history, err := history.Workload{Seed: 1, Clients: 8, Ops: 250, Nodes: 3}.Run(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	log, err := server.Transactions()
	if err != nil {
		t.Fatal(err)
	}
	check(t, history, realCommits(t, log))
}

func check(t *testing.T, history history.History, commits []history.Commit) {
	t.Helper()
	if err := history.Linearizable(searchLimit); err != nil {
		t.Error(err)
	}
	if err := history.FollowsCommits(commits); err != nil {
		t.Error(err)
	}
	met := map[string]int{}
	for _, o := range history {
		met[fmt.Sprintf("%s %s", o.Op, zookeeper.CodeName(o.Code))]++
	}
	for _, want := range []string{
		"create OK", "create NodeExistsError", "setData OK", "setData BadVersionError", "setData NoNodeError",
		"delete OK", "delete BadVersionError", "delete NoNodeError", "getData OK", "getData NoNodeError",
	} {
		if met[want] == 0 {
			t.Errorf("no %s in the history, which has %v", want, met)
		}
	}
}

func runServed(t *testing.T, opt wire.Options, w history.Workload) (history.History, []history.Commit) {
	t.Helper()
	var log bytes.Buffer
	opt.WriteLog = &log
	server, err := wire.Listen("127.0.0.1:0", opt)
	if err != nil {
		t.Fatal(err)
	}
	history, err := w.Run(server.Addr())
	if err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	return history, servedCommits(t, log.String())
}

// isRoot reports whether a path is that of the common parent of all znodes.
func isRoot(path string) bool { return strings.Count(path, "/") == 1 }

// servedCommits reads the log of a simulated server. The server began empty and logs every
// write, failed ones too. So the n-th line has the zxid n.
func servedCommits(t *testing.T, log string) (commits []history.Commit) {
	t.Helper()
	zxid := int64(0)
	for line := range strings.Lines(log) {
		zxid++
		var o wire.Observation
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		c := history.Commit{Zxid: zxid, Op: opOf(strings.TrimPrefix(o.Op, "zookeeper.")), Path: o.Path, Code: codes[o.Note]}
		if o.Data != nil {
			if err := json.Unmarshal(o.Data, &c.Value); err != nil {
				t.Fatal(err)
			}
		}
		if c.Op != 0 && !isRoot(c.Path) {
			commits = append(commits, c)
		}
	}
	return commits
}

func realCommits(t *testing.T, log []server.Transaction) (commits []history.Commit) {
	t.Helper()
	for _, x := range log {
		c := history.Commit{Zxid: x.Zxid, Op: opOf(x.Op), Path: x.Path, Value: x.Data, Code: zookeeper.Code(x.Code)}
		if x.Op == "error" || c.Op != 0 && !isRoot(c.Path) {
			commits = append(commits, c)
		}
	}
	return commits
}

// opOf returns the write operation with the given name, 0 for operations that histories do
// not contain.
func opOf(name string) zookeeper.OpCode {
	for _, op := range []zookeeper.OpCode{zookeeper.OpCreate, zookeeper.OpDelete, zookeeper.OpSetData} {
		if op.String() == name {
			return op
		}
	}
	return 0
}

var codes = map[string]zookeeper.Code{
	zookeeper.CodeName(zkerrors.NoNode):     zkerrors.NoNode,
	zookeeper.CodeName(zkerrors.NodeExists): zkerrors.NodeExists,
	zookeeper.CodeName(zkerrors.BadVersion): zkerrors.BadVersion,
}

// Goal: the checks find each kind of server fault. Method: a valid history of a few clients,
// changed as one fault would change it.
func TestFaultsAreFound(t *testing.T) {
	const (
		write  = 0
		second = 1
		read   = 2
		plain  = 3
	)
	good := history.History{
		write:  {Client: 1, Op: zookeeper.OpCreate, Path: "/history/0", Expected: -1, Value: "a", Zxid: 3, Call: 0, Return: 10},
		second: {Client: 1, Op: zookeeper.OpSetData, Path: "/history/0", Expected: 0, Value: "b", Version: 1, Zxid: 4, Call: 20, Return: 30},
		read:   {Client: 2, Op: zookeeper.OpGetData, Path: "/history/0", Expected: -1, Synced: true, Value: "b", Version: 1, Zxid: 4, Call: 40, Return: 50},
		// A read without a sync may return an older value.
		plain: {Client: 3, Op: zookeeper.OpGetData, Path: "/history/0", Expected: -1, Value: "a", Version: 0, Zxid: 3, Call: 40, Return: 50},
	}
	log := []history.Commit{
		{Zxid: 3, Op: zookeeper.OpCreate, Path: "/history/0", Value: "a"},
		{Zxid: 4, Op: zookeeper.OpSetData, Path: "/history/0", Value: "b"},
	}
	for _, c := range []struct {
		name  string
		fault func(history.History, []history.Commit) (history.History, []history.Commit)
		// search is true if [history.History.Linearizable] finds the fault without using zxids.
		search bool
		want   string
	}{
		{"stale read after a sync", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			h[read].Value, h[read].Version, h[read].Zxid = "a", 0, 3
			return h, l
		}, true, "went back in time"},
		{"value that nobody wrote", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			h[read].Value = "c"
			return h, l
		}, true, "answered otherwise"},
		{"two sets of one version", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			o := h[second]
			o.Client, o.Value, o.Zxid, o.Call, o.Return = 2, "c", 5, 20, 60
			return append(h, o), append(l, history.Commit{Zxid: 5, Op: zookeeper.OpSetData, Path: "/history/0", Value: "c"})
		}, true, "answered otherwise"},
		{"lost write", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			h[read].Code, h[read].Value, h[read].Version = zkerrors.NoNode, "", 0
			return h, l
		}, true, "answered otherwise"},
		{"write that is not in the log", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			return h, l[:1]
		}, false, "not in the log"},
		{"write that nobody did", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			return h, append(l, history.Commit{Zxid: 5, Op: zookeeper.OpDelete, Path: "/history/0"})
		}, false, "no client was told of"},
		{"other value in the log", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			l[1].Value = "c"
			return h, l
		}, false, "the log has setData"},
		{"one zxid for two writes", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			h[second].Zxid = 3
			return h, l
		}, false, "two writes of one zxid"},
		{"read before what its own client knew", func(h history.History, l []history.Commit) (history.History, []history.Commit) {
			h[plain].Client = 1
			return h, l
		}, false, "went back in time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if good.Linearizable(searchLimit) != nil || good.FollowsCommits(log) != nil {
				t.Fatalf("found faults in what is good: %v, %v", good.Linearizable(searchLimit), good.FollowsCommits(log))
			}
			h, l := c.fault(slices.Clone(good), slices.Clone(log))
			if err := h.Linearizable(searchLimit); (err != nil) != c.search {
				t.Errorf("linearizable: got %v, want an error: %t", err, c.search)
			}
			if err := h.FollowsCommits(l); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("follows commits: got %v, want %q", err, c.want)
			}
		})
	}
}
