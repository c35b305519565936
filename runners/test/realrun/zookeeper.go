package realrun

import (
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/walltime"
)

// ZooKeepers implements env.ZooKeepers for one process.
type ZooKeepers struct {
	// Env provides the process's clock, tasks, random choices and log.
	Env  *env.Env
	Proc *walltime.Process
	// Servers, when set, replaces the hosts that the program names, as if their names
	// resolved to these addresses.
	Servers []string
}

// NewClient makes a client and does not start it. hosts lists addresses such as
// "10.0.0.1:2181,10.0.0.2:2181"; a missing port means 2181.
func (z *ZooKeepers) NewClient(hosts string, o env.ZooKeeperOptions) env.ZooKeeper {
	client := recipes.New(z.Env, z.NewSession(hosts, o))
	client.MaxPause = o.MaxPause
	return client
}

// NewSession makes the session that a client from NewClient uses.
func (z *ZooKeepers) NewSession(hosts string, o env.ZooKeeperOptions) *ZooKeeperSession {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second // kazoo client.py:128
	}
	s := &ZooKeeperSession{
		p: z.Proc, auth: o.Auth, hosts: z.Servers,
		changed: z.Proc.NewCond("the connection to zookeeper"),
	}
	s.life = recipes.Life{
		Keeper: recipes.Keeper{FailAll: s.failAll, Forget: s.forget},
		Env:    z.Env, Random: z.Proc, Timeout: o.Timeout, MaxPause: o.MaxPause,
		Task: s.task, Resolve: s.resolve, Connect: s.connect, AskEnd: s.askEnd,
	}
	s.life.Init(z.Proc)
	if s.hosts == nil {
		s.hosts = recipes.SplitHosts(hosts)
	}
	return s
}

// ZooKeeperSession does over TCP what kazoo's connection does (protocol/connection.py): it
// connects, notices loss and expiry, and keeps watches. The process's monitor guards all
// fields except those below mu.
type ZooKeeperSession struct {
	p     *walltime.Process
	hosts []string
	auth  [][2]string

	life recipes.Life

	// open is set while the connection task waits for the connection's end. Requests are sent
	// only then.
	open    bool
	closing bool // whether the request to end the session was sent
	greeted bool // whether the server granted a session
	end     recipes.ConnectionEnd
	changed env.Cond // broadcast when greeted or end changes, or an answer arrives
	queue   []*zkCall
	pending []*zkCall // calls that were sent and wait for their answers

	mu   sync.Mutex
	who  identity
	link *link
}

// OnState sets the function that is called with each change of state.
func (s *ZooKeeperSession) OnState(fn func(env.SessionState)) { s.life.OnState = fn }

// State returns kazoo's simplified state.
func (s *ZooKeeperSession) State() env.SessionState { return s.life.State() }

// Connected reports whether a connection is established at this moment.
func (s *ZooKeeperSession) Connected() bool { return s.life.Live.IsSet() }

// ClientID returns the session's id and password (kazoo's client_id). The id 0 means no
// session. Any goroutine may call ClientID.
func (s *ZooKeeperSession) ClientID() (id int64, password []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.who.id, s.who.password
}

// Spawn runs fn in a new task.
func (s *ZooKeeperSession) Spawn(fn func()) { s.p.Go("zookeeper spawn", fn) }

// Start connects; see [recipes.Life.Start].
func (s *ZooKeeperSession) Start(limit time.Duration) error {
	s.p.Check()
	return s.life.Start(limit)
}

func (s *ZooKeeperSession) task(run func()) {
	// A process that dies only closes its sockets. It does not end its session on the server.
	s.p.OnEnd(s.hangUp)
	s.p.Go("zookeeper connection", run)
}

// Stop ends the session.
func (s *ZooKeeperSession) Stop() {
	s.p.Check()
	s.life.Stop()
}

func (s *ZooKeeperSession) askEnd() {
	s.queue = append(s.queue, s.newCall(closeSession, "", nil))
	s.send()
}

// Close does nothing, because a stopped session holds no resources.
func (s *ZooKeeperSession) Close() {}

// Create makes one znode.
func (s *ZooKeeperSession) Create(path string, data []byte, ephemeral, sequence bool) (real string, err error) {
	var flags int32
	if ephemeral {
		flags |= zk.FlagEphemeral
	}
	if sequence {
		flags |= zk.FlagSequence
	}
	err = s.do(s.newCall("create", path, func(c *zk.Conn, call *zkCall) (err error) {
		call.path, err = c.Create(path, data, flags, zk.WorldACL(zk.PermAll))
		return err
	}), func(call *zkCall) { real = call.path })
	return real, err
}

// Set replaces the data.
func (s *ZooKeeperSession) Set(path string, data []byte, version int32) error {
	return s.do(s.newCall("set", path, func(c *zk.Conn, _ *zkCall) error {
		_, err := c.Set(path, data, version)
		return err
	}), nil)
}

// Delete removes one znode.
func (s *ZooKeeperSession) Delete(path string, version int32) error {
	return s.do(s.newCall("delete", path, func(c *zk.Conn, _ *zkCall) error {
		return c.Delete(path, version)
	}), nil)
}

// Get reads the data.
func (s *ZooKeeperSession) Get(path string, watch env.Watcher) (data []byte, stat env.Stat, err error) {
	call := s.newCall("get", path, func(c *zk.Conn, call *zkCall) (err error) {
		if watch == nil {
			call.data, call.stat, err = c.Get(path)
		} else {
			call.data, call.stat, call.fired, err = c.GetW(path)
		}
		return err
	})
	call.watch = watch
	err = s.do(call, func(call *zkCall) { data, stat = call.data, statOf(call.stat) })
	return data, stat, err
}

// Exists returns the stat of a znode, nil if the znode is missing.
func (s *ZooKeeperSession) Exists(path string, watch env.Watcher) (stat *env.Stat, err error) {
	call := s.newCall("exists", path, func(c *zk.Conn, call *zkCall) (err error) {
		if watch == nil {
			call.found, call.stat, err = c.Exists(path)
		} else {
			call.found, call.stat, call.fired, err = c.ExistsW(path)
		}
		return err
	})
	call.watch = watch
	err = s.do(call, func(call *zkCall) {
		if call.found {
			found := statOf(call.stat)
			stat = &found
		}
	})
	return stat, err
}

// Children lists the children.
func (s *ZooKeeperSession) Children(path string, watch env.Watcher) (names []string, err error) {
	call := s.newCall("children", path, func(c *zk.Conn, call *zkCall) (err error) {
		if watch == nil {
			call.children, _, err = c.Children(path)
		} else {
			call.children, _, call.fired, err = c.ChildrenW(path)
		}
		return err
	})
	call.watch, call.watchesChildren = watch, true
	err = s.do(call, func(call *zkCall) { names = call.children })
	return names, err
}

func statOf(s *zk.Stat) env.Stat {
	return env.Stat{
		Czxid: s.Czxid, Mzxid: s.Mzxid, CtimeMs: s.Ctime, MtimeMs: s.Mtime,
		Version: s.Version, Cversion: s.Cversion, Aversion: s.Aversion,
		EphemeralOwner: s.EphemeralOwner, DataLengthBytes: s.DataLength, NumChildren: s.NumChildren,
		Pzxid: s.Pzxid,
	}
}

var (
	_ env.ZooKeeperSession = (*ZooKeeperSession)(nil)
	_ env.ZooKeepers       = (*ZooKeepers)(nil)
)
