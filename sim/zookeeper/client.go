package zookeeper

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// Clients makes the ZooKeeper clients of one process; it is its env.ZooKeepers.
// Their rules that clients of real servers share are in engine/recipes, and
// engine/runtimetest/zookeepertest holds both kinds to one suite.
type Clients struct {
	// Env is the process's own world.
	Env  *env.Env
	Proc *vtime.Process
	Host *network.Host
	// Servers, when set, are the addresses to dial whatever hosts the program
	// names, as if its names resolved to them.
	Servers []string
	// PlainPings makes every ping take its events, also on a connection on which
	// nothing else happens. It changes no more than the speed and the trace.
	PlainPings bool
	// History, when set, takes down what the clients see.
	History *History

	sessions int // made so far
}

// NewClient makes a client that is not started. hosts is a list as
// "10.0.0.1:2181,10.0.0.2:2181"; a port that is missing is 2181.
func (c *Clients) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	return recipes.New(c.Env, c.NewSession(hosts, o))
}

// NewSession makes the layer below NewClient.
func (c *Clients) NewSession(hosts string, o env.ZooKeeperOptions) *Session {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second // kazoo client.py:128
	}
	s := &Session{
		e: c.Env, p: c.Proc, host: c.Host, timeout: o.Timeout, auth: o.Auth, hosts: c.Servers,
		stopped: true,
		stop:    monitor.NewEvent(c.Proc, "stop of the zookeeper client"),
		ended:   monitor.NewEvent(c.Proc, "end of the connection to zookeeper"),
	}
	s.keeper = recipes.Keeper{
		Live:    monitor.NewEvent(c.Proc, "connection to zookeeper"),
		Watches: recipes.NewWatches(c.Proc), FailAll: s.failAll, Forget: s.forget,
	}
	c.sessions++
	if s.history = c.History; s.history != nil {
		s.number = s.history.clients
		s.history.clients++
	}
	s.idle.init(s, c.sessions, c.PlainPings)
	s.ended.Set()
	if s.hosts == nil {
		s.hosts = splitHosts(hosts)
	}
	return s
}

// splitHosts reads the list; what follows a slash would be kazoo's chroot, which
// the reference does not use.
func splitHosts(hosts string) []string {
	hosts, _, _ = strings.Cut(hosts, "/")
	var list []string
	for host := range strings.SplitSeq(hosts, ",") {
		host = strings.TrimSpace(host)
		if name := host[strings.LastIndexByte(host, ']')+1:]; !strings.Contains(name, ":") {
			host += ":2181"
		}
		list = append(list, host)
	}
	return list
}

// Session is kazoo's connection (protocol/connection.py) on the simulated
// network: it connects, pings, notices loss and expiry, and keeps watches. The
// connection task runs the loop and the state listeners; while a listener
// sleeps, nothing is read or sent (Q125).
type Session struct {
	e       *env.Env
	p       *vtime.Process
	host    *network.Host
	hosts   []string
	timeout time.Duration
	auth    [][2]string

	keeper  recipes.Keeper
	stopped bool
	stop    *monitor.Event
	ended   *monitor.Event // the loop is over

	id       int64
	password [16]byte
	lastZxid int64
	xid      int32

	conn *network.Conn
	// open is set while the loop waits for the connection's end: only then is
	// anything read or sent.
	open    bool
	shaking bool // the loop waits for the answer to its connect request
	loop    *vtime.Task
	end     connectionEnd
	inbox   []any // arrived while the connection task was busy
	queue   []*call
	pending callQueue // sent
	free    []*call
	idle    idleTimer

	history *History
	number  int // in the history
}

// OnState sets who is told of changes of state.
func (s *Session) OnState(fn func(env.SessionState)) { s.keeper.OnState = fn }

// State is kazoo's simplified state.
func (s *Session) State() env.SessionState { return s.keeper.State() }

// Connected says whether there is a connection.
func (s *Session) Connected() bool { return s.keeper.Live.IsSet() }

// ID is the session's id, 0 for none.
func (s *Session) ID() int64 { return s.id }

// Spawn runs fn in a task of its own.
func (s *Session) Spawn(fn func()) { s.p.Go("zookeeper spawn", fn) }

// Start connects (client.py:567). When that takes longer than limit the client is
// stopped.
func (s *Session) Start(limit time.Duration) error {
	s.p.Check()
	if s.keeper.Live.IsSet() {
		return nil
	}
	s.settle()
	s.stopped = false
	s.stop.Clear()
	s.ended.Clear()
	s.loop = s.p.Start("zookeeper connection", s.run)
	s.keeper.Live.Wait(limit)
	if !s.keeper.Live.IsSet() {
		s.Stop()
		return &env.ZooKeeperError{Code: env.ZKConnectionTimeout}
	}
	return nil
}

// Stop ends the session (client.py:622).
func (s *Session) Stop() {
	s.p.Check()
	if s.stopped {
		return
	}
	s.stopped = true
	s.stop.Set()
	s.queue = append(s.queue, s.newCall(OpCloseSession, ""))
	s.send()
	s.settle()
}

// settle waits for the running callback and for the end of the loop, the latter
// for 10 s or the session timeout at most (client.py:509).
func (s *Session) settle() {
	s.keeper.Watches.Join()
	s.ended.Wait(max(s.timeout, 10*time.Second))
}

// Close frees nothing: a stopped session holds nothing.
func (s *Session) Close() {}

// Create makes one znode.
func (s *Session) Create(path string, data []byte, ephemeral, sequence bool) (string, error) {
	flags := FlagPersistent
	if ephemeral {
		flags |= FlagEphemeral
	}
	if sequence {
		flags |= FlagPersistentSequential
	}
	c := s.newCall(OpCreate, path)
	c.request.Data, c.request.Flags, c.request.ACL = data, flags, openACL
	if err := s.do(c); err != nil {
		return "", err
	}
	return s.done(c).Path, nil
}

// Set replaces the data.
func (s *Session) Set(path string, data []byte, version int32) (env.Stat, error) {
	c := s.newCall(OpSetData, path)
	c.request.Data, c.request.Version = data, version
	if err := s.do(c); err != nil {
		return env.Stat{}, err
	}
	return s.done(c).Stat, nil
}

// Delete removes one znode.
func (s *Session) Delete(path string, version int32) error {
	c := s.newCall(OpDelete, path)
	c.request.Version = version
	if err := s.do(c); err != nil {
		return err
	}
	s.done(c)
	return nil
}

// Get reads the data.
func (s *Session) Get(path string, watch env.Watcher) ([]byte, env.Stat, error) {
	c := s.newRead(OpGetData, path, watch)
	if err := s.do(c); err != nil {
		return nil, env.Stat{}, err
	}
	r := s.done(c)
	return r.Data, r.Stat, nil
}

// Exists reads the stat, nil for a missing znode.
func (s *Session) Exists(path string, watch env.Watcher) (*env.Stat, error) {
	c := s.newRead(OpExists, path, watch)
	if err := s.do(c); err != nil {
		return nil, err
	}
	r := s.done(c)
	if r.Err == env.ZKNoNode {
		return nil, nil
	}
	stat := r.Stat
	return &stat, nil
}

// Children lists the children.
func (s *Session) Children(path string, watch env.Watcher) ([]string, error) {
	c := s.newRead(OpGetChildren, path, watch)
	if err := s.do(c); err != nil {
		return nil, err
	}
	return s.done(c).Children, nil
}

var (
	_ env.ZooKeeperSession = (*Session)(nil)
	_ env.ZooKeepers       = (*Clients)(nil)
)
