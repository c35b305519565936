package env

import (
	"errors"
	"fmt"
	"time"
)

// ZooKeepers makes clients.
type ZooKeepers interface {
	// NewClient makes a client with kazoo's defaults (timeout 10 s). It does
	// nothing until Start.
	NewClient(hosts string, options ZooKeeperOptions) ZooKeeper
}

// ZooKeeperOptions are the settings of a client; the zero value has kazoo's
// defaults.
type ZooKeeperOptions struct {
	// Timeout is the session timeout to ask for; 0 means 10 s (kazoo client.py:128).
	Timeout time.Duration
	// Auth lists credentials as scheme and credential pairs.
	Auth [][2]string
}

// ZooKeeper is a client at the level of kazoo's KazooClient, the level at which the
// reference uses it (ZK-12.1). Calls block; errors are *zkerrors.Error.
// engine/runtimetest/zookeepertest holds the simulated client and that of real servers
// to it.
type ZooKeeper interface {
	// Start connects; it fails with ConnectionTimeout after limit (0 means 15 s,
	// kazoo client.py:573) and then the client is stopped.
	Start(limit time.Duration) error
	// Stop ends the session, and with it its ephemerals, and stops the client.
	Stop()
	// Restart is Stop, then Start.
	Restart() error
	// Close frees what a stopped client holds; the client cannot be used after it.
	Close()

	Create(path string, data []byte, options CreateOptions) (string, error)
	// EnsurePath creates the path and its missing parents as empty persistent
	// znodes.
	EnsurePath(path string) error
	// Set replaces the data; version -1 matches any. kazoo's answers with the stat, too, which the
	// reference never takes.
	Set(path string, data []byte, version int32) error
	Get(path string) ([]byte, Stat, error)
	// Exists returns nil for a missing znode.
	Exists(path string) (*Stat, error)
	Children(path string) ([]string, error)
	// Delete removes the znode, with DeleteRecursive its whole subtree.
	Delete(path string, options DeleteOptions) error

	// Retry runs fn until it returns something else than ConnectionLoss,
	// OperationTimeout, SessionExpired or ForceRetry, sleeping in between by
	// kazoo's policy: 0.1 s, doubled each time up to 3600 s, each with 40 %
	// jitter, for ever (max_tries=None, client.py:82-87 of kazoo 2.8.0).
	Retry(fn func() error) error

	// DataWatch calls fn now and at each change of the data. The error is that of
	// the first call, or of the first read.
	DataWatch(path string, fn DataFunc) (Watch, error)
	// ChildrenWatch calls fn now and at each change of the children. On a missing
	// znode it stops for good. The error is that of the first call or read.
	ChildrenWatch(path string, fn ChildrenFunc) (Watch, error)
	NewLock(path, identifier string) Lock
	NewElection(path, identifier string) Election

	// AddListener calls fn at every change of State, in the order of adding. fn
	// returning true removes it. fn runs on the client's connection task: it must
	// not call back into the client.
	AddListener(fn func(state SessionState) (remove bool))
	State() SessionState
}

// DataFunc is told of a znode's data. Data and stat are nil for a missing znode;
// event is nil on the first call and after a reconnect. It returns
// [ErrStopWatching] to end the watch (Python: return False); another error is
// logged and the watch goes on (Python: an exception).
type DataFunc func(data []byte, stat *Stat, event *WatchEvent) error

// ChildrenFunc is told of a znode's children; its result is that of a DataFunc.
type ChildrenFunc func(children []string) error

// ErrStopWatching ends the watch whose function returns it.
var ErrStopWatching = errors.New("stop watching")

// CreateOptions say what kind of znode to create.
type CreateOptions struct {
	Ephemeral bool
	Sequence  bool
	// MakePath creates missing parents.
	MakePath bool
}

// DeleteOptions say what to delete.
type DeleteOptions struct {
	// Version must match unless it is -1. The zero value of DeleteOptions means
	// version 0: use AnyVersion.
	Version   int32
	Recursive bool
}

// AnyVersion deletes whatever the version.
var AnyVersion = DeleteOptions{Version: -1}

// Stat is a znode's stat with ZooKeeper's field meanings; times in ms since the
// Unix epoch.
type Stat struct {
	Czxid, Mzxid, CtimeMs, MtimeMs int64
	Version, Cversion, Aversion    int32
	EphemeralOwner                 int64
	DataLengthBytes, NumChildren   int32
	Pzxid                          int64
}

// Watch is a running DataWatch or ChildrenWatch.
type Watch interface {
	// Stopped reports whether the watch will never call its function again.
	Stopped() bool
}

// WatchEvent is what a watch tells.
type WatchEvent struct {
	Type EventType
	Path string
}

// EventType is the type of a watch event, by the protocol's numbers.
type EventType int32

// The event types. EventNone tells of a change of the session.
const (
	EventNone            EventType = -1
	EventCreated         EventType = 1
	EventDeleted         EventType = 2
	EventChanged         EventType = 3
	EventChildrenChanged EventType = 4
)

func (t EventType) String() string {
	switch t {
	case EventNone:
		return "NONE"
	case EventCreated:
		return "CREATED"
	case EventDeleted:
		return "DELETED"
	case EventChanged:
		return "CHANGED"
	case EventChildrenChanged:
		return "CHILD"
	}
	return fmt.Sprintf("EventType(%d)", int32(t))
}

// SessionState is kazoo's simplified state of the session.
type SessionState uint8

// The states. A client starts out Lost.
const (
	Lost SessionState = iota
	Suspended
	Connected
)

func (s SessionState) String() string {
	switch s {
	case Lost:
		return "LOST"
	case Suspended:
		return "SUSPENDED"
	case Connected:
		return "CONNECTED"
	}
	return fmt.Sprintf("SessionState(%d)", uint8(s))
}

// Lock is kazoo's Lock recipe.
type Lock interface {
	// Acquire blocks until the lock is held; a negative timeout means no limit.
	// It reports false when another holder kept it past the timeout.
	Acquire(timeout time.Duration) (bool, error)
	Release() error
	// Cancel makes a pending Acquire fail with Cancelled.
	Cancel()
	Contenders() ([]string, error)
}

// Election is kazoo's Election recipe.
type Election interface {
	// Run waits to become leader, runs leader, and steps down when it returns. A
	// cancelled election returns nil.
	Run(leader func()) error
	Cancel()
	Contenders() ([]string, error)
}

// ZooKeeperSession is the layer below ZooKeeper: one protocol session with
// one-shot watches, on which engine/recipes builds the rest. The simulated
// client and the client of a real server both implement it.
type ZooKeeperSession interface {
	Start(limit time.Duration) error
	Stop()
	Close()

	// Create takes one level; it answers the real path.
	Create(path string, data []byte, ephemeral, sequence bool) (string, error)
	Set(path string, data []byte, version int32) error
	Delete(path string, version int32) error
	// Get leaves watch (when not nil) on the znode. A failed Get leaves none.
	Get(path string, watch Watcher) ([]byte, Stat, error)
	// Exists leaves watch on the path also when the znode is missing.
	Exists(path string, watch Watcher) (*Stat, error)
	Children(path string, watch Watcher) ([]string, error)

	State() SessionState
	// Connected reports whether a connection is established right now.
	Connected() bool
	// OnState sets the function that is told of every change of State, on the
	// connection task.
	OnState(fn func(SessionState))
	// Spawn runs fn in a task of its own.
	Spawn(fn func())
}

// Watcher is called once, on the session's callback task, with the first event
// after it was left. The session keeps Watchers apart by identity: leaving one
// value twice on one path yields one call (kazoo keeps them in a set).
type Watcher interface {
	Notify(event WatchEvent)
}
