// Package zkmirror mirrors what a business has in ZooKeeper for an agent v2 (zk_mirror.py): watches
// keep a copy in memory, and changes that need an action become events in a queue.
//
// Two things to use first:
//
//   - [NewZKMirror] makes a mirror; [ZKMirror.Start] connects it and begins to mirror.
//   - [ZKMirror.GetAllReplicas] and its neighbours answer from memory where models are served,
//     [ZKMirror.ExpectedLoading] what this container has to load.
//
// To change:
//
//   - what is mirrored: watch.go
//   - what the mirror answers: query.go
//   - what a container writes about itself: service.go
//   - what a scheduler publishes: publish.go
//   - how the scheduling container is elected: election.go
//
// Unstable: any commit may change it.
package zkmirror

import (
	"cmp"
	"errors"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// ZKMirror is an agent's cache of the znodes of its business id (zk_mirror.py:37).
//
// The cache needs no lock, because no function waits while it uses the cache. The reference has a
// lock in the class, which all mirrors of a process share (Q189).
type ZKMirror struct {
	e      *env.Env
	zk     env.ZooKeeper
	o      MirrorOptions
	paths  MirrorPaths
	shard  int
	shards int
	host   string // local address at the time when the mirror was made
	queue  *threading.Queue[datadef.Event]
	// lock prevents writes of other tasks between a read and a write. The same task can lock it
	// again, because watches of a fake client fire inside of the write.
	lock     *threading.RLock
	data     *pysem.OrderedMap[string, []byte] // mirrored data by path; nil stands for None
	hashing  pyset.Hashing                     // hash function of this Python process, which decides the order of sets
	isLeader bool

	started   []func() error // functions that set the watches again after a restart (quirk Q188)
	elected   bool           // whether an election was asked for
	candidate env.Election   // the running election
	stopped   bool
}

// MirrorOptions says which business id to mirror, and for which container.
type MirrorOptions struct {
	Bzid string
	// Queue receives the events; nil makes a new one.
	Queue *threading.Queue[datadef.Event]
	// ShardID is the container's shard number; None means -1, the number of an entry.
	ShardID pysem.OptInt
	// NumShard is the number of containers that share the PS shards; 0 means 1.
	NumShard int
	// DeployType is the container's deploy type; empty means mixed.
	DeployType agentconfig.DeployType
	Quirks     quirks.Set
}

// MirrorPaths holds the paths below which a business id has its znodes (zk_mirror.py:60-76):
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

func newMirrorPaths(bzid string) MirrorPaths {
	base := "/" + bzid
	return MirrorPaths{
		Resource: base + "/resource", Portal: base + "/portal", Publish: base + "/publish", Service: base + "/service",
		Locks: base + "/locks/", Election: base + "/election/",
	}
}

// NewZKMirror makes a mirror. The client zk must not be started. The mirror's cache is empty until
// Start.
func NewZKMirror(e *env.Env, zk env.ZooKeeper, o MirrorOptions) *ZKMirror {
	m := &ZKMirror{
		e: e, zk: zk, o: o, paths: newMirrorPaths(o.Bzid), shard: o.ShardID.Or(-1), shards: max(o.NumShard, 1),
		host: agentconfig.LocalIP(e), queue: o.Queue,
		lock:    threading.NewRLock(e.Tasks, "zk mirror"),
		data:    pysem.NewOrderedMap[string, []byte](),
		hashing: pyset.HashingOf(e.Python),
	}
	m.o.DeployType = cmp.Or(m.o.DeployType, agentconfig.DeployMixed)
	if m.queue == nil {
		m.queue = threading.NewQueue[datadef.Event](e.Tasks, "zk mirror events")
	}
	return m
}

func (m *ZKMirror) keeps(q quirks.Quirk) bool { return m.o.Quirks.Keeps(q) }

// Paths returns the paths below which the business id has its znodes.
func (m *ZKMirror) Paths() MirrorPaths { return m.paths }

// Queue returns the queue of events that nobody has taken yet. Events are about requests for
// models, and about publishes that are complete or gone.
func (m *ZKMirror) Queue() *threading.Queue[datadef.Event] { return m.queue }

// TCEShardID returns the container's shard number, -1 for an entry.
func (m *ZKMirror) TCEShardID() int { return m.shard }

// NumTCEShard returns the number of containers that share the PS shards.
func (m *ZKMirror) NumTCEShard() int { return m.shards }

// IsLeader reports whether [ZKMirror.SetLeader] was called. The election does not call it (Q192).
func (m *ZKMirror) IsLeader() bool { return m.isLeader }

// SetLeader makes IsLeader true.
func (m *ZKMirror) SetLeader() { m.isLeader = true }

// Start connects the client, within 15 s, and mirrors the services. It mirrors the publishes too,
// unless isClient is set, as for programs that only query agents (zk_mirror.py:662). WatchPortal
// and WatchResource mirror the rest.
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

// Create creates a znode. If the znode exists, its data is set, and it stays ephemeral or
// persistent (zk_mirror.py:83). The name of a created sequential znode is not returned (Q190).
func (m *ZKMirror) Create(path string, data []byte, o env.CreateOptions) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	_, err := m.zk.Create(path, data, o)
	if errors.Is(err, zkerrors.ErrNodeExists) {
		return m.write(path, data)
	}
	return err
}

func (m *ZKMirror) write(path string, data []byte) error {
	return m.zk.Retry(func() error {
		return m.zk.Set(path, data, -1)
	})
}

// EnsurePath creates a persistent znode and its parents if they are missing.
func (m *ZKMirror) EnsurePath(path string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.zk.Retry(func() error { return m.zk.EnsurePath(path) })
}

// Set replaces the data of a znode. If the znode is missing, it is created as a persistent one,
// with its parents (zk_mirror.py:110).
func (m *ZKMirror) Set(path string, data []byte) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	err := m.write(path, data)
	if errors.Is(err, zkerrors.ErrNoNode) {
		_, err = m.zk.Create(path, data, env.CreateOptions{MakePath: true})
	}
	return err
}

// Exists reports whether ZooKeeper has a znode. If ZooKeeper returns an error, it reports whether
// the cache has the znode (zk_mirror.py:119).
func (m *ZKMirror) Exists(path string) (bool, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	stat, err := m.zk.Exists(path)
	if isZooKeeperError(err) {
		_, cached := m.data.Get(path)
		return cached, nil
	}
	return stat != nil, err
}

// isZooKeeperError reports whether kazoo would raise err as a ZookeeperError. That is so for error
// codes of the protocol, and for a closed connection, which is a kind of SessionExpired.
func isZooKeeperError(err error) bool {
	var zk *zkerrors.Error
	const firstClientCode = -1000
	return errors.As(err, &zk) && (zk.Code > firstClientCode || zk.Code == zkerrors.ConnectionClosed)
}

// Delete removes a znode. It is no error if the znode is missing. If the znode has children, they
// are removed too, even if recursive is false (zk_mirror.py:130).
func (m *ZKMirror) Delete(path string, recursive bool) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	err := m.remove(path, recursive)
	if errors.Is(err, zkerrors.ErrNotEmpty) {
		return m.remove(path, true)
	}
	if errors.Is(err, zkerrors.ErrNoNode) {
		m.e.Log.Logf(env.Info, "%s", pylog.Text(err))
		return nil
	}
	return err
}

func (m *ZKMirror) remove(path string, recursive bool) error {
	return m.zk.Retry(func() error {
		return m.zk.Delete(path, env.DeleteOptions{Version: env.AnyVersion.Version, Recursive: recursive})
	})
}
