package node

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/recipes/bulk"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/history"
)

// Clients makes the ZooKeeper clients of one process. It is the env.ZooKeepers of that process.
// Rules that also hold for clients of real servers are in engine/recipes. The test suite
// engine/runtimetest/zookeepertest runs on both kinds of clients.
type Clients struct {
	// Env is the env.Env of the process, for its clock and log.
	Env  *env.Env
	Proc *vtime.Process
	Host *network.Host
	// Servers, if set, replaces the hosts that the program names, as if their names resolved to
	// these addresses.
	Servers []string
	// StartTime, if set, draws how long a starting client takes until it dials.
	StartTime func() time.Duration
	// CallTime, if set, draws how long the program takes before each call. WakeTime, if set, draws
	// how long it takes until the thread that calls watchers runs.
	CallTime, WakeTime func() time.Duration
	// History, if set, records what the clients see.
	History *history.History
	// Calls, if set, keeps finished calls, so that all clients of a world can reuse their memory.
	Calls *Calls
}

// NewClient makes a client that is not yet started. hosts is a list such as
// "10.0.0.1:2181,10.0.0.2:2181". The default port is 2181.
func (c *Clients) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	client := recipes.New(c.Env, c.NewSession(hosts, o))
	client.MaxPause = o.MaxPause
	return client
}

// NewSession makes a session that is not yet started, for callers that do not need kazoo's recipes.
// hosts is a list as for NewClient. A timeout of 0 means 10 s.
func (c *Clients) NewSession(hosts string, o env.ZooKeeperOptions) *Session {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second // kazoo client.py:128
	}
	s := &Session{
		p: c.Proc, host: c.Host, auth: o.Auth, hosts: c.Servers, callTime: c.CallTime,
	}
	s.life = recipes.Life{
		Keeper: recipes.Keeper{FailAll: s.failAll, Forget: s.forget},
		Env:    c.Env, Random: c.Proc, Timeout: o.Timeout, MaxPause: o.MaxPause,
		Task:    func(run func()) { s.loop = s.p.Start("zookeeper connection", c.begun(run)) },
		Resolve: func() []string { return s.hosts }, Connect: s.connect, AskEnd: s.askEnd,
	}
	s.life.Init(c.Proc)
	if c.WakeTime != nil {
		s.life.Watches.Woken = func() { c.Proc.Sleep(c.WakeTime()) }
	}
	if s.history = c.History; s.history != nil {
		s.number = s.history.Join()
	}
	s.idle.init(s)
	if s.calls = c.Calls; s.calls == nil {
		s.calls = &Calls{}
	}
	if s.hosts == nil {
		s.hosts = recipes.SplitHosts(hosts)
	}
	return s
}

// begun returns the function that the connection task runs. This function waits for StartTime, if
// that is set, and then calls run.
func (c *Clients) begun(run func()) func() {
	if c.StartTime == nil {
		return run
	}
	return func() {
		c.Proc.Sleep(c.StartTime())
		run()
	}
}

// Session simulates kazoo's connection (protocol/connection.py) on the simulated network. It
// connects, pings, detects loss and expiry, and keeps watches. The connection task runs both the
// loop and the state listeners. While a listener sleeps, nothing is read or sent (Q125).
type Session struct {
	p     *vtime.Process
	host  *network.Host
	hosts []string
	auth  [][2]string
	// callTime is Clients.CallTime.
	callTime func() time.Duration

	life recipes.Life

	id       int64
	password [16]byte
	lastZxid int64
	xid      int32

	conn *network.Conn
	// open says that the connection task only waits for the end of the connection. Only then
	// messages are read and sent.
	open    bool
	shaking bool // whether the task waits for the answer to its connect request
	loop    *vtime.Task
	end     recipes.ConnectionEnd
	inbox   []any // messages that arrived while the connection task was busy
	queue   []*call
	pending callQueue // calls that were sent and have no answer yet
	calls   *Calls
	idle    idleTimer
	asker   *asker        // asker of the loop that last made a read
	surveys []*vtime.Loop // loops of finished surveys (reads of many children), for reuse
	room    [][]byte      // buffer for the data that a survey finds in a turn of a loop
	feeds   []*feed       // finished feeds (reads after watch events), for reuse
	usual   []*usualBelow
	usualOf *zookeeper.Machine // machine that the field usual is about

	history *history.History
	number  int // number of the session in the history
}

// OnState sets the function that is called at every change of State. Set it before
// Start.
func (s *Session) OnState(fn func(env.SessionState)) { s.life.OnState = fn }

// State returns the state that kazoo reports to its listeners: lost, suspended or connected.
func (s *Session) State() env.SessionState { return s.life.State() }

// Connected reports whether there is a connection.
func (s *Session) Connected() bool { return s.life.Live.IsSet() }

// ID returns the session's id; 0 if there is no session.
func (s *Session) ID() int64 { return s.id }

// Spawn runs fn in a new task of the client's process, as kazoo's spawn does.
func (s *Session) Spawn(fn func()) { s.p.Go("zookeeper spawn", fn) }

// Start connects; see [recipes.Life.Start].
func (s *Session) Start(limit time.Duration) error {
	s.p.Check()
	return s.life.Start(limit)
}

// Stop closes the session at the server and ends the connection. It suspends the current task until
// the connection has ended.
func (s *Session) Stop() {
	s.p.Check()
	s.life.Stop()
}

func (s *Session) askEnd() {
	s.queue = append(s.queue, s.newCall(zookeeper.OpCloseSession, ""))
	s.send()
}

// Close does nothing, because a stopped session holds no resources.
func (s *Session) Close() {}

// Create creates one znode with all permissions for everybody, and returns its real path.
func (s *Session) Create(path string, data []byte, ephemeral, sequence bool) (string, error) {
	flags := zookeeper.FlagPersistent
	if ephemeral {
		flags |= zookeeper.FlagEphemeral
	}
	if sequence {
		flags |= zookeeper.FlagPersistentSequential
	}
	c := s.newCall(zookeeper.OpCreate, path)
	c.request.Data, c.request.Flags, c.request.ACL = data, flags, everybody
	if err := s.do(c); err != nil {
		return "", err
	}
	return s.done(c).Path, nil
}

// Set replaces the data of a znode if its version is the given one; -1 matches any version.
func (s *Session) Set(path string, data []byte, version int32) error {
	c := s.newCall(zookeeper.OpSetData, path)
	c.request.Data, c.request.Version = data, version
	if err := s.do(c); err != nil {
		return err
	}
	s.done(c)
	return nil
}

// Delete removes one znode if its version is the given one; -1 matches any version.
func (s *Session) Delete(path string, version int32) error {
	c := s.newCall(zookeeper.OpDelete, path)
	c.request.Version = version
	if err := s.do(c); err != nil {
		return err
	}
	s.done(c)
	return nil
}

// Get returns the data and stat of a znode. watch, if not nil, is called at the znode's next
// change.
func (s *Session) Get(path string, watch env.Watcher) ([]byte, env.Stat, error) {
	c := s.newRead(zookeeper.OpGetData, path, watch)
	if err := s.do(c); err != nil {
		return nil, env.Stat{}, err
	}
	r := s.done(c)
	return r.Data, r.Stat, nil
}

// Exists returns the stat of a znode; nil for a missing one. watch, if not nil, is called when the
// znode is next created, changed or deleted.
func (s *Session) Exists(path string, watch env.Watcher) (*env.Stat, error) {
	c := s.newRead(zookeeper.OpExists, path, watch)
	if err := s.do(c); err != nil {
		return nil, err
	}
	r := s.done(c)
	if r.Err == zkerrors.NoNode {
		return nil, nil
	}
	stat := r.Stat
	return &stat, nil
}

// Children returns the names of a znode's children. watch, if not nil, is called when they next
// change.
func (s *Session) Children(path string, watch env.Watcher) ([]string, error) {
	c := s.newRead(zookeeper.OpGetChildren, path, watch)
	if err := s.do(c); err != nil {
		return nil, err
	}
	r := s.done(c)
	names := r.Children
	r.Children = nil // the call's memory is reused, and would keep the list
	return names, nil
}

// ChildrenNames does what Children does, but returns the names in blocks.
func (s *Session) ChildrenNames(path string, watch env.Watcher) (*bulk.Names, error) {
	c := s.newRead(zookeeper.OpGetChildren, path, watch)
	c.request.Blocks = s.history == nil
	if err := s.do(c); err != nil {
		return nil, err
	}
	r := s.done(c)
	names := r.Names
	if names == nil {
		names = bulk.NamesOf(r.Children)
	}
	r.Names, r.Children = nil, nil // the call's memory is reused, and would keep the lists
	return names, nil
}

// everybody is the ACL that permits everything to everybody, which is kazoo's default.
var everybody = acl.Open()

var (
	_ env.ZooKeeperSession = (*Session)(nil)
	_ env.ZooKeepers       = (*Clients)(nil)
)
