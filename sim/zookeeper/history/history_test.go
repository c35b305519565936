package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/history"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// Goal: under any faults of connections, sessions and servers, many clients see only what ZooKeeper
// guarantees. Method: random requests with watches under random faults on an ensemble.
// History.Check compares the observations with the commits. Other tests tamper with histories to
// show that the check can fail.

// historyStep is one request of a client or one fault.
type historyStep struct {
	AtMs   int
	Client int
	What   string
	Path   string
}

const historyClients = 4

func drawHistory(t *rapid.T) []historyStep {
	step := rapid.Custom(func(t *rapid.T) historyStep {
		return historyStep{
			AtMs: rapid.IntRange(500, 60_000).Draw(t, "at"), Client: rapid.IntRange(0, historyClients-1).Draw(t, "client"),
			What: rapid.SampledFrom([]string{"create", "create", "ephemeral", "sequence", "set", "set", "delete", "get", "get", "exists", "children"}).Draw(t, "what"),
			Path: rapid.SampledFrom([]string{"/a", "/b", "/a/x", "/a/y"}).Draw(t, "path"),
		}
	})
	fault := rapid.Custom(func(t *rapid.T) historyStep {
		return historyStep{
			AtMs: rapid.IntRange(1_000, 50_000).Draw(t, "at"), Client: rapid.IntRange(0, historyClients-1).Draw(t, "client"),
			What: rapid.SampledFrom([]string{"cut", "lose", "kill", "elect", "restart", "lag", "lag", "move back"}).Draw(t, "fault"),
		}
	})
	steps := append(rapid.SliceOfN(step, 20, 120).Draw(t, "steps"), rapid.SliceOfN(fault, 0, 5).Draw(t, "faults")...)
	slices.SortStableFunc(steps, func(a, b historyStep) int { return a.AtMs - b.AtMs })
	return steps
}

// lab is a ZooKeeper ensemble on a simulated network.
type lab struct {
	world  *vtime.World
	net    *network.Network
	server *node.Server
}

func (l *lab) at(d time.Duration, fn func()) {
	l.world.Node("operator").Schedule(d, kindLab, vtime.Func(fn), 0)
}

var kindLab = vtime.NewKind("test.lab")

type silence struct{}

func (silence) Enabled(env.Level) bool         { return false }
func (silence) Logf(env.Level, string, ...any) {}

// nobody is a watcher that ignores events, because the history records them.
type nobody struct{}

func (nobody) Notify(env.WatchEvent) {}

// playHistory plays the steps in a world with the seed, and returns the recorded history.
func playHistory(t testing.TB, seed uint64, steps []historyStep) *history.History {
	w := vtime.New(vtime.Config{Seed: seed})
	defer w.Close()
	l := &lab{world: w, net: network.New(w, network.DefaultLatency())}
	h := &history.History{}
	l.server = node.NewServer(l.net.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{OnWrite: h.Wrote})
	if err := l.server.Start(); err != nil {
		t.Fatal(err)
	}
	var sessions []*node.Session
	var processes []*vtime.Process
	for i := range historyClients {
		name := fmt.Sprint("c", i)
		host := l.net.AddHost(name, name)
		p := host.Node().NewProcess(name)
		e := &env.Env{Clock: p, Tasks: p, Random: p, Log: silence{}}
		s := (&node.Clients{Env: e, Proc: p, Host: host, History: h}).NewSession("10.0.0.1:2181", env.ZooKeeperOptions{Timeout: 4 * time.Second})
		p.Go("main", func() { s.Start(time.Minute) })
		sessions, processes = append(sessions, s), append(processes, p)
	}
	for _, st := range steps {
		l.at(time.Duration(st.AtMs)*time.Millisecond, func() {
			if !l.fault(st, sessions[st.Client]) {
				s := sessions[st.Client]
				processes[st.Client].Go(st.What, func() { request(s, st) })
			}
		})
	}
	if _, err := w.Run(vtime.Limits{Until: 2 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	return h
}

// request executes a step that is a request. The history records the result.
func request(s *node.Session, st historyStep) {
	switch st.What {
	case "create":
		s.Create(st.Path, []byte(st.What), false, false)
	case "ephemeral":
		s.Create(st.Path, nil, true, false)
	case "sequence":
		s.Create(st.Path, nil, false, true)
	case "set":
		s.Set(st.Path, fmt.Append(nil, st.AtMs), -1)
	case "delete":
		s.Delete(st.Path, -1)
	case "get":
		s.Get(st.Path, nobody{})
	case "exists":
		s.Exists(st.Path, nobody{})
	case "children":
		s.Children(st.Path, nobody{})
	}
}

// fault executes the step if it is a fault, and reports whether it is one.
func (l *lab) fault(st historyStep, s *node.Session) bool {
	host := fmt.Sprint("c", st.Client)
	now := l.world.Now()
	switch st.What {
	case "cut":
		l.net.PartitionBoth([]string{host}, []string{"zk"})
		l.at(now+time.Duration(st.AtMs%9)*time.Second+time.Second, l.net.HealAll)
	case "lose":
		l.net.LoseAnswer("zk", 2181, 2)
	case "kill":
		l.server.KillSession(s.ID())
	case "elect":
		l.server.LoseLeader()
		l.at(now+3*time.Second, l.server.ElectLeader)
	case "restart":
		l.server.Stop()
		l.at(now+2*time.Second, func() { l.server.Start() })
	case "lag":
		l.server.Place(host, time.Duration(st.AtMs%1500)*time.Millisecond)
	case "move back":
		l.server.Unplace(host)
	default:
		return false
	}
	return true
}

func TestHistoriesAreWhatZooKeeperPromises(t *testing.T) { // ZK-1.5, ZK-7.4, ZK-13.24, ZK-22.8
	seen, events := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		h := playHistory(t, rapid.Uint64().Draw(rt, "seed"), drawHistory(rt))
		if err := h.Check(); err != nil {
			rt.Fatal(err)
		}
		seen += len(h.Seen)
		for i := range h.Seen {
			if h.Seen[i].Kind == history.SeenEvent {
				events++
			}
		}
	})
	if seen < 100 || events < 5 {
		t.Errorf("got %d things seen and %d events, want 100 and 5 or more: the scripts do too little", seen, events)
	}
}

func TestCheckFindsWhatIsNotPromised(t *testing.T) {
	steps := []historyStep{
		{AtMs: 1000, Client: 0, What: "create", Path: "/a"},
		{AtMs: 2000, Client: 1, What: "get", Path: "/a"},
		{AtMs: 2500, Client: 1, What: "children", Path: "/a"},
		{AtMs: 3000, Client: 0, What: "set", Path: "/a"},
		{AtMs: 4000, Client: 1, What: "exists", Path: "/a"},
		{AtMs: 5000, Client: 0, What: "create", Path: "/b"},
		{AtMs: 6000, Client: 1, What: "get", Path: "/b"},
	}
	find := func(h *history.History, kind history.SeenKind, op zookeeper.OpCode, path string) *history.Seen {
		for i := range h.Seen {
			if s := &h.Seen[i]; s.Kind == kind && s.Op == op && (s.Path == path || s.Event.Path == path) {
				return s
			}
		}
		t.Fatalf("found no %s %s", op, path)
		return nil
	}
	for _, c := range []struct {
		name   string
		tamper func(h *history.History)
		want   string
	}{
		{"nothing", func(*history.History) {}, ""},
		{"other data", func(h *history.History) {
			find(h, history.SeenAnswer, zookeeper.OpGetData, "/a").Data = []byte("other")
		}, "data"},
		{"an old version", func(h *history.History) { find(h, history.SeenAnswer, zookeeper.OpExists, "/a").Stat.Version-- }, "version"},
		{"a child too many", func(h *history.History) {
			find(h, history.SeenAnswer, zookeeper.OpGetChildren, "/a").Children = []string{"x"}
		}, "children"},
		{"a missing znode", func(h *history.History) {
			find(h, history.SeenAnswer, zookeeper.OpGetData, "/b").Err = zkerrors.NoNode
		}, "the tree has it"},
		{"an answer from the future", func(h *history.History) { find(h, history.SeenAnswer, zookeeper.OpGetData, "/b").Zxid += 100 }, "no write has"},
		{"a view that goes back", func(h *history.History) {
			s := find(h, history.SeenAnswer, zookeeper.OpGetData, "/b")
			s.Zxid, s.Err = find(h, history.SeenAnswer, zookeeper.OpGetData, "/a").Zxid, zkerrors.NoNode
		}, "has seen a later one"},
		{"an event twice", func(h *history.History) {
			h.Seen = append(h.Seen, *find(h, history.SeenEvent, 0, "/a"))
		}, "no watch waits"},
		{"an event that never came", func(h *history.History) { find(h, history.SeenEvent, 0, "/a").Client = 3 }, "no watch waits"},
		{"an event lost", func(h *history.History) {
			h.Seen = slices.DeleteFunc(h.Seen, func(s history.Seen) bool { return s.Kind == history.SeenEvent })
			for i := range h.Seen {
				h.Seen[i].Began = 0
			}
		}, "never told"},
		{"an event of another type", func(h *history.History) { find(h, history.SeenEvent, 0, "/a").Event.Type = env.EventDeleted }, "no watch waits"},
		{"an event after its change was seen", func(h *history.History) {
			i := slices.IndexFunc(h.Seen, func(s history.Seen) bool { return s.Kind == history.SeenEvent })
			event := h.Seen[i]
			h.Seen = append(slices.Delete(h.Seen, i, i+1), event)
			for i := range h.Seen {
				h.Seen[i].Began = 0
			}
		}, "after an answer that shows the change"},
		{"a write that was not done", func(h *history.History) {
			find(h, history.SeenAnswer, zookeeper.OpSetData, "/a").Path = "/b"
		}, "nothing of the kind"},
		{"writes against the order of their answers", func(h *history.History) {
			late := *find(h, history.SeenAnswer, zookeeper.OpSetData, "/a")
			late.Began = len(h.Seen)
			h.Seen = append(h.Seen, late)
		}, "answered before it began"},
		{"commits out of order", func(h *history.History) { slices.Reverse(h.Writes) }, "after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := playHistory(t, 1, steps)
			c.tamper(h)
			err := h.Check()
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
