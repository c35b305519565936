package agent

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// ZKMirror is agent v2's copy of what its business keeps in ZooKeeper
// (zk_mirror.py:37): watches fill a cache, queries read it, and changes that
// somebody has to act on come as events of a queue. zk_mirror_watch.go fills the
// cache, zk_mirror_query.go reads it, zk_mirror_publish.go and
// zk_mirror_service.go write to ZooKeeper, zk_mirror_election.go finds a leader.
//
// The cache has no lock, because no use of it waits; the reference's lock is of
// the class and shared by all mirrors of a process (Q189).
type ZKMirror struct {
	e      *env.Env
	zk     env.ZooKeeper
	o      MirrorOptions
	paths  MirrorPaths
	shard  int
	shards int
	host   string // the local address at the time of making
	queue  *monitor.Queue[Event]
	// lock keeps writes of other tasks out of a read-then-write; it is re-entrant
	// because watches of a fake client fire inside of the write.
	lock     *monitor.RLock
	data     *ordered[string, []byte] // by path; nil is None
	isLeader bool

	started   []func() error // the watches of a full restart (Q188)
	elected   bool           // an election was asked for
	candidate env.Election   // the one that runs
	stopped   bool
}

// MirrorOptions are the arguments of a mirror.
type MirrorOptions struct {
	Bzid string
	// Queue takes the events; nil means a new one.
	Queue *monitor.Queue[Event]
	// ShardID is that of the container; None means -1, that of an entry.
	ShardID OptInt
	// NumShard is how many containers share the PS; 0 means 1.
	NumShard int
	// DeployType of the container; empty means mixed.
	DeployType DeployType
	Quirks     Quirks
}

// MirrorPaths are the roots of a business in ZooKeeper (zk_mirror.py:60-76):
//
//	/<bzid>/resource/<shard>:<replica>                 ResourceSpec (ephemeral)
//	/<bzid>/portal/<model>                             ModelMeta
//	/<bzid>/publish/<shard>:<replica>:<model>          PublishMeta
//	/<bzid>/service/<model>/<type>:<task>/<replica>    ReplicaMeta (ephemeral)
//	/<bzid>/locks/                                     not used
//	/<bzid>/election/                                  the candidates
type MirrorPaths struct {
	Resource, Portal, Publish, Service string
	Locks, Election                    string
}

// NewMirrorPaths are the roots of a business id.
func NewMirrorPaths(bzid string) MirrorPaths {
	base := "/" + bzid
	return MirrorPaths{
		Resource: base + "/resource", Portal: base + "/portal", Publish: base + "/publish", Service: base + "/service",
		Locks: base + "/locks/", Election: base + "/election/",
	}
}

// NewZKMirror makes a mirror on a client that is not started yet.
func NewZKMirror(e *env.Env, zk env.ZooKeeper, o MirrorOptions) *ZKMirror {
	m := &ZKMirror{
		e: e, zk: zk, o: o, paths: NewMirrorPaths(o.Bzid), shard: o.ShardID.Or(-1), shards: max(o.NumShard, 1),
		host: LocalIP(e), queue: o.Queue,
		lock: monitor.NewRLock(e.Tasks, "zk mirror"),
		data: newOrdered[string, []byte](),
	}
	if m.o.DeployType == "" {
		m.o.DeployType = DeployMixed
	}
	if m.queue == nil {
		m.queue = monitor.NewQueue[Event](e.Tasks, "zk mirror events")
	}
	return m
}

func (m *ZKMirror) keeps(q Quirk) bool { return m.o.Quirks.Keeps(q) }

// Paths are the roots of the mirrored business.
func (m *ZKMirror) Paths() MirrorPaths { return m.paths }

// Queue has the events that nobody took yet.
func (m *ZKMirror) Queue() *monitor.Queue[Event] { return m.queue }

// TCEShardID is the shard of the container, -1 for an entry.
func (m *ZKMirror) TCEShardID() int { return m.shard }

// NumTCEShard is how many containers share the PS.
func (m *ZKMirror) NumTCEShard() int { return m.shards }

// IsLeader says whether [ZKMirror.SetLeader] was called: the election does not
// (Q192).
func (m *ZKMirror) IsLeader() bool { return m.isLeader }

// SetLeader makes IsLeader true.
func (m *ZKMirror) SetLeader() { m.isLeader = true }

// Start connects and mirrors the services, and the publishes too unless the
// mirror is that of a client (zk_mirror.py:662).
func (m *ZKMirror) Start(isClient bool) error {
	m.stopped = false
	if err := m.zk.Start(0); err != nil {
		return err
	}
	if err := m.WatchService(); err != nil || isClient {
		return err
	}
	return m.WatchPublish()
}

// Create creates a znode; one that exists gets the data instead and stays what it
// was, ephemeral or not (zk_mirror.py:83). The name that a sequence gives is lost
// (Q190).
func (m *ZKMirror) Create(path string, data []byte, o env.CreateOptions) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	_, err := m.zk.Create(path, data, o)
	if errors.Is(err, env.ErrNodeExists) {
		return m.write(path, data)
	}
	return err
}

func (m *ZKMirror) write(path string, data []byte) error {
	return m.zk.Retry(func() error {
		_, err := m.zk.Set(path, data, -1)
		return err
	})
}

// EnsurePath creates what is missing of a path.
func (m *ZKMirror) EnsurePath(path string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.zk.Retry(func() error { return m.zk.EnsurePath(path) })
}

// Set replaces the data of a znode, or creates it as a persistent one with its
// parents (zk_mirror.py:110).
func (m *ZKMirror) Set(path string, data []byte) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	err := m.write(path, data)
	if errors.Is(err, env.ErrNoNode) {
		_, err = m.zk.Create(path, data, env.CreateOptions{MakePath: true})
	}
	return err
}

// Exists asks ZooKeeper, or the cache when ZooKeeper answers with an error
// (zk_mirror.py:119).
func (m *ZKMirror) Exists(path string) (bool, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	stat, err := m.zk.Exists(path)
	if isZooKeeperError(err) {
		_, cached := m.data.get(path)
		return cached, nil
	}
	return stat != nil, err
}

// isZooKeeperError says whether err is one of kazoo's ZookeeperError: the codes
// of the protocol, and a closed connection, which is a kind of SessionExpired.
func isZooKeeperError(err error) bool {
	var zk *env.ZooKeeperError
	const firstClientCode = -1000
	return errors.As(err, &zk) && (zk.Code > firstClientCode || zk.Code == env.ZKConnectionClosed)
}

// Delete removes a znode. One that is missing is no error, and one with children
// is removed with them whatever recursive says (zk_mirror.py:130).
func (m *ZKMirror) Delete(path string, recursive bool) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	err := m.remove(path, recursive)
	if errors.Is(err, env.ErrNotEmpty) {
		return m.remove(path, true)
	}
	if errors.Is(err, env.ErrNoNode) {
		m.e.Log.Logf(env.Info, "delete: %v", err)
		return nil
	}
	return err
}

func (m *ZKMirror) remove(path string, recursive bool) error {
	return m.zk.Retry(func() error {
		return m.zk.Delete(path, env.DeleteOptions{Version: env.AnyVersion.Version, Recursive: recursive})
	})
}
