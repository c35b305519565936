package realrun_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/runtimetest/zookeepertest"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/zookeeper/server"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/node"
)

// stage is the environment in which pods run: either virtual time with the simulated
// ZooKeeper, or the wall clock with a real server. Everything else about pods is the same on
// both.
type stage interface {
	// begin starts a pod's program in a process of its own.
	begin(name string, program func(p *pod))
	// expire ends the ZooKeeper sessions of a pod.
	expire(name string)
	// wait returns when all programs have ended.
	wait() error
	// writes returns the successful writes of each pod, in the server's order.
	writes() map[string][]string
}

// pod is a process with an agent's environment: clock, host, files and a ZooKeeper client.
type pod struct {
	name string
	e    *env.Env
	zk   env.ZooKeeper
	// crash ends the pod's process and does not return.
	crash func()
	*script
}

func (p *pod) must(err error) {
	if err != nil {
		panic(fmt.Errorf("%s: %w", p.name, err))
	}
}

// until polls fn every 5 ms until it returns true.
func (p *pod) until(fn func() bool) {
	for !fn() {
		p.e.Tasks.Sleep(5 * time.Millisecond)
	}
}

// script collects lines about what has happened on a stage.
type script struct {
	mu    sync.Mutex // guards the fields below: pods run side by side
	lines []string
}

// say adds a line to the script. Other pods can wait for that line by await.
func (s *script) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *script) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

func (p *pod) await(line string) {
	p.until(func() bool { return slices.Contains(p.said(), line) })
}

// surround fills in the parts of an env that are the same on both stages.
func surround(name string, e *env.Env) {
	e.Host = podHost{name: name, vars: podVars(name)}
	e.Files = &podFiles{content: map[string][]byte{}}
	e.Processes = podProcesses{}
	e.Network = podNetwork{}
	e.Models = podModels{}
}

// podHost implements only the methods of env.Host that these agents call. The others panic.
type podHost struct {
	env.Host
	name string
	vars map[string]string
}

func (h podHost) LookupEnv(key string) (string, bool) { v, ok := h.vars[key]; return v, ok }
func (h podHost) Hostname() string                    { return h.name }
func (h podHost) LookupIP() (string, error)           { return h.vars["MY_HOST_IP"], nil }
func (h podHost) RouteIP() (string, error)            { return h.vars["MY_HOST_IP"], nil }
func (h podHost) LookupIPv6() (string, error)         { return "", fs.ErrNotExist }
func (h podHost) FreePort() int                       { return 59999 }

type podFiles struct {
	env.Files
	content map[string][]byte
}

func (f *podFiles) TempFile() string { return fmt.Sprintf("/tmp/%d", len(f.content)) }

func (f *podFiles) ReadFile(path string) ([]byte, error) {
	data, ok := f.content[path]
	if !ok {
		return nil, env.NotExist("open", path)
	}
	return data, nil
}

func (f *podFiles) WriteFile(path string, data []byte) error {
	f.content[path] = data
	return nil
}

type podProcesses struct{ env.Processes }

func (podProcesses) Notify(env.Signal, func()) {}

// podNetwork accepts the agents' servers, but nobody can call them.
type podNetwork struct{ env.Network }

func (podNetwork) Serve(port, _ int, _ env.Handler) (env.Server, error) { return podServer(port), nil }

type podServer int

func (s podServer) Port() int { return int(s) }
func (podServer) Stop()       {}

// podModels stands for model servers that have version 1 of every model.
type podModels struct{}

func (podModels) Dial(string) env.ModelServer { return podModel{} }

type podModel struct{ env.ModelServer }

func (podModel) Close() {}

func (podModel) Status(env.ModelSpec, time.Duration) ([]env.ModelVersionStatus, error) {
	return []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, nil
}

// podVars returns the environment variables of a pod, whose name serves as its address.
func podVars(name string) map[string]string {
	return map[string]string{
		"MY_POD_NAME": name, "MY_HOST_IP": name, "SHARD_ID": "0",
		"PORT": "1000", "PORT2": "1002", "PORT3": "1003", "PORT4": "1004", "PORT5": "1005", "PORT6": "1006",
	}
}

// virtualStage is virtual time.
type virtualStage struct {
	t      *testing.T
	w      *vtime.World
	n      *network.Network
	server *node.Server
	script script
	wrote  []zookeeper.Write
}

func newVirtualStage(t *testing.T) *virtualStage {
	s := &virtualStage{t: t, w: vtime.New(vtime.Config{Seed: 1, CheckOwner: true})}
	t.Cleanup(s.w.Close)
	s.n = network.New(s.w, network.DefaultLatency())
	s.server = node.NewServer(s.n.AddHost("zk", "zk", "10.0.0.1"), 2181, zookeeper.Config{
		TickMs:  zookeepertest.Tick.Milliseconds(),
		OnWrite: func(w zookeeper.Write) { s.wrote = append(s.wrote, w) },
	})
	if err := s.server.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *virtualStage) begin(name string, program func(p *pod)) {
	host := s.n.AddHost(name, name)
	life := host.Node().NewProcess(name)
	e := &env.Env{Clock: life, Tasks: life, Random: life, Log: testLog{s.t}}
	surround(name, e)
	clients := &node.Clients{Env: e, Proc: life, Host: host, Servers: []string{s.server.Addr()}}
	e.ZooKeeper = clients
	p := &pod{name: name, e: e, crash: life.Crash, script: &s.script}
	life.Go("main", func() {
		p.zk = clients.NewClient("", env.ZooKeeperOptions{})
		program(p)
	})
}

func (s *virtualStage) expire(name string) {
	for _, id := range s.server.SessionsOf(name) {
		s.server.KillSession(id)
	}
}

func (s *virtualStage) wait() error {
	_, err := s.w.Run(vtime.Limits{Until: 2 * time.Minute})
	for _, task := range s.w.Blocked() {
		err = fmt.Errorf("%v has not ended", task)
	}
	return err
}

func (s *virtualStage) writes() map[string][]string {
	by := map[string][]string{}
	for _, w := range s.wrote {
		if w.Err != 0 || w.Of != w.Op {
			continue
		}
		var line string
		switch w.Op {
		case zookeeper.OpCreate:
			line = written("create", w.Path, string(w.Data), w.Ephemeral)
		case zookeeper.OpSetData:
			line = written("setData", w.Path, string(w.Data), false)
		case zookeeper.OpDelete:
			line = written("delete", w.Path, "", false)
		default:
			continue
		}
		name := s.server.HostOf(w.Session)
		by[name] = append(by[name], line)
	}
	return by
}

func written(op, path, data string, ephemeral bool) string {
	line := op + " " + path
	if data != "" {
		line += " " + data
	}
	if ephemeral {
		line += " (ephemeral)"
	}
	return line
}

// realStage is the wall clock and a real ZooKeeper server.
type realStage struct {
	t      *testing.T
	w      *walltime.World
	server *server.Server
	script script

	mu       sync.Mutex
	sessions map[string]*realrun.ZooKeeperSession
	owners   map[int64]string // pods that own sessions, by session id
}

func newRealStage(t *testing.T) *realStage {
	return &realStage{
		t: t, server: server.ForTest(t, server.Config{Tick: zookeepertest.Tick}), w: newWorld(t),
		sessions: map[string]*realrun.ZooKeeperSession{}, owners: map[int64]string{},
	}
}

func (s *realStage) begin(name string, program func(p *pod)) {
	life := s.w.NewProcess(name, name)
	e := &env.Env{Clock: life, Tasks: life, Random: life, Log: testLog{s.t}}
	surround(name, e)
	clients := &realrun.ZooKeepers{Env: e, Proc: life, Servers: []string{s.server.Addr()}}
	e.ZooKeeper = clients
	p := &pod{name: name, e: e, crash: life.Crash, script: &s.script}
	life.Go("main", func() {
		session := clients.NewSession("", env.ZooKeeperOptions{})
		p.zk = recipes.New(e, session)
		p.zk.AddListener(func(state env.SessionState) bool {
			if state == env.Connected {
				s.note(name, session)
			}
			return false
		})
		program(p)
	})
}

func (s *realStage) note(name string, session *realrun.ZooKeeperSession) {
	id, _ := session.ClientID()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[name], s.owners[id] = session, name
}

func (s *realStage) expire(name string) {
	s.mu.Lock()
	session := s.sessions[name]
	s.mu.Unlock()
	id, password := session.ClientID()
	if err := realrun.EndSession(s.server.Addr(), id, password); err != nil {
		s.t.Error(err)
	}
}

func (s *realStage) wait() error { return waitFor(s.w) }

func (s *realStage) writes() map[string][]string {
	if err := s.server.Stop(); err != nil {
		s.t.Fatal(err)
	}
	log, err := s.server.Transactions()
	if err != nil {
		s.t.Fatal(err)
	}
	by := map[string][]string{}
	for _, tx := range log {
		if !slices.Contains([]string{"create", "setData", "delete"}, tx.Op) {
			continue
		}
		name, ok := s.owners[tx.Session]
		if !ok {
			s.t.Errorf("zxid %#x: nobody knows session %#x", tx.Zxid, tx.Session)
		}
		by[name] = append(by[name], written(tx.Op, tx.Path, strings.TrimSpace(tx.Data), tx.Ephemeral))
	}
	return by
}
