package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// pingWorld is a world with a server and two clients, driven by a script. One client is on a bad
// network.
type pingWorld struct {
	*lab
	net   *network.Network
	calls node.Calls
}

// program starts a process with a client of the server, which runs fn.
func (w *pingWorld) program(name string, fn func(p *vtime.Process, zk env.ZooKeeper)) *vtime.Process {
	host := w.net.AddHost(name, name)
	p := host.Node().NewProcess(name)
	e := &env.Env{Clock: p, Tasks: p, Random: p, Log: (*labLog)(w.lab)}
	clients := &node.Clients{Env: e, Proc: p, Host: host, Calls: &w.calls}
	p.Go("main", func() {
		zk := clients.NewClient("10.0.0.1:2181", env.ZooKeeperOptions{})
		_ = zk.Start(0)
		fn(p, zk)
	})
	return p
}

// step is one line of a script: an action at a virtual time.
type step struct {
	AtMs int
	What string
	Arg  int
}

var stepKinds = []string{"get", "set", "burst", "cut", "heal", "slow", "reset", "lose", "stop server", "start server", "kill session", "crash"}

func drawScript(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			AtMs: rapid.IntRange(0, 60_000).Draw(t, "at"),
			What: rapid.SampledFrom(stepKinds).Draw(t, "what"),
			Arg:  rapid.IntRange(0, 2).Draw(t, "arg"),
		}
	}), 0, 12).Draw(t, "script")
}

func newPingWorld(cfg vtime.Config, law network.LatencyModel) *pingWorld {
	w := vtime.New(cfg)
	n := network.New(w, law)
	l := &lab{world: w, net: n}
	l.server = node.NewServer(n.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{
		OnWrite: func(x zookeeper.Write) { l.log = append(l.log, fmt.Sprintf("%v write %+v", w.Now(), x)) },
	})
	if err := l.server.Start(); err != nil {
		panic(err)
	}
	return &pingWorld{lab: l, net: n}
}

// client starts a client. It logs its states, and the answers to the requests that the script
// makes, all with their times.
func (w *pingWorld) client(name string) (request func(op string, n int), process *vtime.Process) {
	var zk env.ZooKeeper
	host := w.net.AddHost(name, name)
	process = host.Node().NewProcess(name)
	e := &env.Env{Clock: process, Tasks: process, Random: process, Log: (*labLog)(w.lab)}
	clients := &node.Clients{Env: e, Proc: process, Host: host}
	process.Go("main", func() {
		zk = clients.NewClient("10.0.0.1:2181", env.ZooKeeperOptions{})
		zk.AddListener(func(s env.SessionState) bool {
			w.log = append(w.log, fmt.Sprintf("%v %s is %s", w.world.Now(), name, s))
			return false
		})
		_ = zk.Start(0)
		process.Sleep(time.Hour)
	})
	request = func(op string, n int) {
		if process.Dead() || zk == nil {
			return
		}
		process.Go(op, func() {
			for range n {
				var err error
				if op == "set" {
					_, err = zk.Create("/"+name, nil, env.CreateOptions{Ephemeral: true, Sequence: true})
				} else {
					_, _, err = zk.Get("/zookeeper")
				}
				w.log = append(w.log, fmt.Sprintf("%v %s %s: %v", w.world.Now(), name, op, err))
			}
		})
	}
	return request, process
}

// play runs a script to its end. It interrupts the run after each slice of virtual time.
func (w *pingWorld) play(script []step, slice time.Duration) error {
	a, process := w.client("a")
	b, _ := w.client("b")
	between, back := []string{"a"}, []string{"zk"}
	do := map[string]func(arg int){
		"get":   func(int) { a("get", 1) },
		"set":   func(int) { b("set", 1) },
		"burst": func(arg int) { a("get", 500*(arg+1)) },
		"cut": func(arg int) {
			if arg != 1 {
				_ = w.net.Partition(between, back)
			}
			if arg != 0 {
				_ = w.net.Partition(back, between)
			}
		},
		"heal":         func(int) { _ = w.net.HealBoth(between, back) },
		"slow":         func(arg int) { _ = w.net.Slow(between, back, time.Duration(arg)*1700*time.Millisecond) },
		"reset":        func(int) { _ = w.net.ResetConns("a", "zk") },
		"lose":         func(arg int) { _ = w.net.LoseAnswer("zk", 2181, arg+1) },
		"stop server":  func(int) { w.server.Stop() },
		"start server": func(int) { _ = w.server.Start() },
		"kill session": func(int) {
			for _, id := range w.server.SessionsOf("b") {
				w.server.KillSession(id)
			}
		},
		"crash": func(int) { process.Crash() },
	}
	for _, s := range script {
		w.at(time.Duration(s.AtMs)*time.Millisecond, func() { do[s.What](s.Arg) })
	}
	const end = 90 * time.Second
	for at := time.Duration(0); at < end; {
		at = min(at+slice, end)
		if _, err := w.world.Run(vtime.Limits{Until: at}); err != nil {
			return err
		}
		if at != end {
			w.outcome()
		}
	}
	return nil
}

// outcome holds everything by which two runs can be compared.
type outcome struct {
	Events, Hash uint64
	Counters     zookeeper.Counters
	Messages     []network.Counters
	Dump         string
	Log          []string
}

func (w *pingWorld) outcome() outcome {
	o := outcome{
		Events: w.world.Events(), Hash: w.world.Hash(), Counters: w.server.Counters(),
		Dump: w.server.Machine().Dump(), Log: w.log,
	}
	for _, h := range w.net.Hosts() {
		o.Messages = append(o.Messages, h.Counters())
	}
	return o
}

// Goal: leaping over pings changes nothing visible: states and their times, expiries, writes,
// counters and the trace. Method: random scripts of requests and faults are played with and without
// leaps, in one piece and in slices after which the state is inspected.
func TestPingsWithoutEventsChangeNothing(t *testing.T) {
	const whole = 90 * time.Second
	rapid.Check(t, func(t *rapid.T) {
		script := drawScript(t)
		slice := time.Duration(rapid.IntRange(200, 5000).Draw(t, "slice")) * time.Millisecond
		run := func(noLeaps bool, slice time.Duration) outcome {
			w := newPingWorld(vtime.Config{Seed: 3, NoLeaps: noLeaps}, network.DefaultLatency())
			defer w.world.Close()
			if err := w.play(script, slice); err != nil {
				t.Fatal(err)
			}
			return w.outcome()
		}
		plain := run(true, whole)
		//lint:ordered the cases do not know of each other
		for name, got := range map[string]outcome{"asleep": run(false, whole), "asleep, in slices": run(false, slice), "in slices": run(true, slice)} {
			if diff := cmp.Diff(plain, got, cmp.AllowUnexported(zookeeper.Counters{})); diff != "" {
				t.Fatalf("%s (-plain +got):\n%s", name, diff)
			}
		}
	})
}

// Goal: the client pings at the same times as kazoo: 3.33 s after the last message, less a jitter
// of 0 to 0.4 s, whatever was sent in between. Method: random requests on a network without
// latency, so that the messages in the trace show the times.
func TestPingsComeOneWaitAfterTheLastMessage(t *testing.T) {
	const pingBytes = 12
	limit := 10 * time.Second * 2 / 3 / 2
	seen := map[time.Duration]bool{}
	rapid.Check(t, func(t *rapid.T) {
		script := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{AtMs: rapid.IntRange(0, 80_000).Draw(t, "at"), What: "get"}
		}), 0, 30).Draw(t, "script")
		seed := rapid.Uint64().Draw(t, "seed")
		w := newPingWorld(vtime.Config{Seed: seed, NoLeaps: true, Trace: vtime.TraceConfig{Record: true}}, network.LatencyModel{})
		defer w.world.Close()
		a, _ := w.client("a")
		for _, s := range script {
			w.at(time.Duration(s.AtMs)*time.Millisecond, func() { a("get", 1) })
		}
		if _, err := w.world.Run(vtime.Limits{Until: 90 * time.Second}); err != nil {
			t.Fatal(err)
		}
		last, pings := time.Duration(0), 0
		for _, r := range w.world.Trace().Records {
			if r.Kind != "network.message" {
				continue
			}
			quiet := r.At - last
			last = r.At
			if quiet > limit {
				t.Fatalf("%v: nothing was sent or read for %v, want a ping within %v", r.At, quiet, limit)
			}
			if r.Node != "zk" || r.Arg != pingBytes {
				continue
			}
			pings++
			jitter := limit.Truncate(time.Millisecond) - quiet.Truncate(time.Millisecond)
			seen[jitter] = true
			if jitter < 0 || jitter > 400*time.Millisecond || jitter%(10*time.Millisecond) != 0 {
				t.Fatalf("%v: a ping after %v of quiet, want %v less 0 to 0.4 s in steps of 10 ms", r.At, quiet, limit)
			}
		}
		if pings < 5 {
			t.Fatalf("%d pings in 90 s", pings)
		}
	})
	if len(seen) != 41 {
		t.Errorf("%d different jitters, want all 41", len(seen))
	}
}
