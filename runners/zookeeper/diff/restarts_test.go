package diff_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/runners/zookeeper/diff"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
)

// Goal: a server that starts again from its files lists children and ephemerals as the real server
// does, also where many names share a bucket, and names of the bucket came and went (ZK-5.8). Method:
// a script creates and deletes colliding names in some parents and sessions, with a restart in
// between, and asks for all lists before and after each of them.
func TestCrowdedSetsAfterRestarts(t *testing.T) {
	if err := server.Installed(); err != nil {
		t.Skip(err)
	}
	servers, end, err := diff.Servers(t.Context(), "", zookeeper.V38, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	scripts := 4
	if testing.Short() {
		scripts = 1
	}
	for seed := range scripts {
		script := crowdsWithRestarts(rand.New(rand.NewPCG(uint64(seed), 1)))
		root := "/r" + strconv.Itoa(seed)
		var lines [2][]string
		for i, s := range servers[:2] { // the real one and the served one; the third has no files
			if lines[i], err = diff.Play(s, root, script, nil); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(lines[0], lines[1]); diff != "" {
			t.Errorf("seed %d, -real +ours:\n%s\nthe script:\n%s", seed, diff, script)
		}
	}
}

// Numbers of parents with crowds of plain children, and of clients with crowds of ephemerals.
const (
	crowdParents = 5
	crowdClients = 3
)

func crowdsWithRestarts(g *rand.Rand) (s diff.Script) {
	ask := func(client int, r zookeeper.Request) {
		s = append(s, diff.Step{Client: client, Kind: diff.Ask, Request: &r})
	}
	for c := range crowdClients {
		s = append(s, diff.Step{Client: c, Kind: diff.Connect, TimeoutMs: 40_000})
	}
	for p := range crowdParents {
		ask(0, zookeeper.Request{Op: zookeeper.OpCreate, Path: parent(p), ACL: acl.Open()})
	}
	ask(0, zookeeper.Request{Op: zookeeper.OpCreate, Path: "/eph", ACL: acl.Open()})
	list := func() {
		for p := range crowdParents {
			ask(0, zookeeper.Request{Op: zookeeper.OpGetChildren, Path: parent(p)})
		}
		ask(0, zookeeper.Request{Op: zookeeper.OpGetChildren, Path: "/eph"})
		for c := range crowdClients {
			ask(c, zookeeper.Request{Op: zookeeper.OpGetEphemerals, Path: "=/"})
		}
	}
	there := map[string]bool{}
	// change returns an operation that creates a name, or deletes it if it is there.
	change := func(path string, flags int32) zookeeper.Request {
		if there[path] {
			delete(there, path)
			return zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1}
		}
		there[path] = true
		return zookeeper.Request{Op: zookeeper.OpCreate, Path: path, ACL: acl.Open(), Flags: flags}
	}
	for range 3 {
		for range 60 {
			top, client, flags := parent(g.IntN(crowdParents)), 0, int32(0)
			if g.IntN(3) == 0 {
				client, flags = g.IntN(crowdClients), zookeeper.FlagEphemeral
				top = "/eph"
			}
			name := func() string {
				if flags != 0 { // each client has names of its own
					return top + "/" + strconv.Itoa(client) + collidingName(g.IntN(24))
				}
				return top + "/" + collidingName(g.IntN(24))
			}
			if g.IntN(3) > 0 {
				ask(client, change(name(), flags))
				continue
			}
			multi := zookeeper.Request{Op: zookeeper.OpMulti}
			for range 1 + g.IntN(16) {
				multi.Ops = append(multi.Ops, change(name(), flags))
			}
			ask(client, multi)
		}
		list()
		s = append(s, diff.Step{Kind: diff.Restart})
		for c := range crowdClients {
			s = append(s, diff.Step{Client: c, Kind: diff.Attach, Session: c, TimeoutMs: 40_000})
		}
		list()
	}
	return s
}

func parent(i int) string { return "/p" + strconv.Itoa(i) }

// collidingName returns the i-th of 32 names that have the same hash in Java.
func collidingName(i int) string {
	var name strings.Builder
	for pair := range 5 {
		name.WriteString([]string{"Aa", "BB"}[i>>pair&1])
	}
	return name.String()
}
