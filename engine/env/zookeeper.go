package env

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/enum"
)

// ZooKeepers makes clients of ZooKeeper.
type ZooKeepers interface {
	// NewClient makes a client with kazoo's defaults, such as a session timeout of 10 s. The client
	// does nothing until Start.
	NewClient(hosts string, options ZooKeeperOptions) ZooKeeper
}

// ZooKeeperOptions holds the settings of a client. The zero value means kazoo's defaults.
type ZooKeeperOptions struct {
	// Timeout is the session timeout to request. 0 means 10 s (kazoo client.py:128).
	Timeout time.Duration
	// Auth holds the credentials, each as a pair of scheme and credential.
	Auth [][2]string
	// MaxPause is the longest pause between two attempts to connect, or between two attempts in
	// Retry. 0 means an hour (kazoo client.py:82).
	MaxPause time.Duration
}

// ZooKeeper is a client with those operations of kazoo's KazooClient that the reference uses
// (ZK-12.1). Calls block, and errors are *zkerrors.Error. engine/runtimetest/zookeepertest checks
// that the simulated client and the client of real servers behave alike.
type ZooKeeper interface {
	// Start connects. If that takes longer than limit, it stops the client and returns
	// ConnectionTimeout. A limit of 0 means 15 s (kazoo client.py:573).
	Start(limit time.Duration) error
	// Stop stops the client and ends its session, which deletes its ephemeral znodes.
	Stop()
	// Restart calls Stop and then Start.
	Restart() error
	// Close frees the resources of a stopped client. The client cannot be used afterwards.
	Close()

	Create(path string, data []byte, options CreateOptions) (string, error)
	// EnsurePath creates a znode and its parents if they are missing. They are empty and
	// persistent.
	EnsurePath(path string) error
	// Set replaces a znode's data. Version -1 matches any version. Unlike kazoo it does not return
	// the stat, which the reference never uses.
	Set(path string, data []byte, version int32) error
	Get(path string) ([]byte, Stat, error)
	// Exists returns nil if there is no such znode.
	Exists(path string) (*Stat, error)
	Children(path string) ([]string, error)
	// Delete removes a znode. With Recursive it also removes everything below the znode.
	Delete(path string, options DeleteOptions) error

	// Retry calls fn again as long as it returns ConnectionLoss, OperationTimeout, SessionExpired
	// or ForceRetry. Between attempts it sleeps as kazoo does: 0.1 s at first, then twice as long
	// each time, up to 3600 s, with 40 % jitter. The number of attempts has no limit
	// (max_tries=None, client.py:82-87 of kazoo 2.8.0).
	Retry(fn func() error) error

	// DataWatch calls fn now and at each change of a znode's data. It returns the error of the
	// first call, or of reading the data for that call.
	DataWatch(path string, fn DataFunc) (Watch, error)
	// ChildrenWatch calls fn now and at each change of a znode's children. If the znode is missing,
	// the watch ends for good. It returns the error of the first call, or of reading the children
	// for that call.
	ChildrenWatch(path string, fn ChildrenFunc) (Watch, error)
	NewLock(path, identifier string) Lock
	NewElection(path, identifier string) Election

	// AddListener adds a function that is called at every change of State. Several functions are
	// called in the order in which they were added. A function that returns true is removed. The
	// functions run in the client's connection task, so they must not use the client.
	AddListener(fn func(state SessionState) (remove bool))
	State() SessionState
}

// DataFunc receives a znode's data. data and stat are nil if the znode is missing. event is nil at
// the first call and after a reconnect. If the function returns [ErrStopWatching], the watch ends,
// as with return False in Python. Any other error is logged and the watch continues, as with an
// exception in Python.
type DataFunc func(data []byte, stat *Stat, event *WatchEvent) error

// ChildrenFunc receives the names of a znode's children. Its error has the same meaning as that of
// a DataFunc.
type ChildrenFunc func(children []string) error

// ErrStopWatching is returned by a DataFunc or ChildrenFunc to end its watch.
var ErrStopWatching = errors.New("stop watching")

// CreateOptions tells what kind of znode to create.
type CreateOptions struct {
	Ephemeral bool
	Sequence  bool
	// MakePath also creates missing parents.
	MakePath bool
}

// DeleteOptions tells what to delete.
type DeleteOptions struct {
	// Version is the version that the znode must have, or -1 for any version. The zero value of
	// DeleteOptions means version 0, so use AnyVersion to delete any.
	Version   int32
	Recursive bool
}

// AnyVersion deletes a znode of any version.
var AnyVersion = DeleteOptions{Version: -1}

// Stat is the stat of a znode. Its fields have the same meaning as in ZooKeeper. Times are in ms
// since the Unix epoch.
type Stat struct {
	Czxid, Mzxid, CtimeMs, MtimeMs int64
	Version, Cversion, Aversion    int32
	EphemeralOwner                 int64
	DataLengthBytes, NumChildren   int32
	Pzxid                          int64
}

// Watch is an active DataWatch or ChildrenWatch.
type Watch interface {
	// Stopped reports whether the watch will never call its function again.
	Stopped() bool
}

// WatchEvent is the event that fires a watch.
type WatchEvent struct {
	Type EventType
	Path string
}

// EventType is the type of a watch event, with the numbers of the protocol.
type EventType int32

// These are the event types. EventNone means that the session has changed.
const (
	EventNone            EventType = -1
	EventCreated         EventType = 1
	EventDeleted         EventType = 2
	EventChanged         EventType = 3
	EventChildrenChanged EventType = 4
)

var eventNames = map[EventType]string{
	EventNone: "NONE", EventCreated: "CREATED", EventDeleted: "DELETED", EventChanged: "CHANGED", EventChildrenChanged: "CHILD",
}

func (t EventType) String() string { return enum.Name(eventNames, t) }

// SessionState is the state of a session, as kazoo simplifies it.
type SessionState uint8

// These are the states of a session. A new client is Lost.
const (
	Lost SessionState = iota
	Suspended
	Connected
)

var sessionNames = []string{"LOST", "SUSPENDED", "CONNECTED"}

func (s SessionState) String() string { return enum.Listed(sessionNames, s) }

// Lock is kazoo's Lock recipe for one path.
type Lock interface {
	// Acquire waits until it holds the lock, and returns true. If that takes longer than timeout,
	// it returns false. A negative timeout means no limit.
	Acquire(timeout time.Duration) (bool, error)
	Release() error
	// Cancel makes a waiting call of Acquire fail with Cancelled.
	Cancel()
	Contenders() ([]string, error)
}

// Election is kazoo's Election recipe for one path.
type Election interface {
	// Run waits until this candidate is the leader, calls the function leader, and resigns when
	// that returns. It returns nil if the election is cancelled.
	Run(leader func()) error
	Cancel()
	Contenders() ([]string, error)
}

// ZooKeeperSession is the layer below ZooKeeper: one session of the protocol, with watches that
// fire once. engine/recipes builds the other operations on it. The simulated client and the client
// of real servers both implement it.
type ZooKeeperSession interface {
	Start(limit time.Duration) error
	Stop()
	Close()

	// Create creates a znode whose parent exists, and returns its actual path.
	Create(path string, data []byte, ephemeral, sequence bool) (string, error)
	Set(path string, data []byte, version int32) error
	Delete(path string, version int32) error
	// Get reads a znode and sets watch on it, unless watch is nil. If Get fails, it sets no watch.
	Get(path string, watch Watcher) ([]byte, Stat, error)
	// Exists sets watch on the path even if the znode is missing.
	Exists(path string, watch Watcher) (*Stat, error)
	Children(path string, watch Watcher) ([]string, error)

	State() SessionState
	// Connected reports whether there is a connection right now.
	Connected() bool
	// OnState sets a function that is called, in the connection task, at every change of State.
	OnState(fn func(SessionState))
	// Spawn runs fn in a new task.
	Spawn(fn func())
}

// Watcher is called once, in the session's callback task, with the first event after it was set.
// The session compares Watchers by identity: if the same Watcher is set twice on a path, it is
// called once (kazoo keeps them in a set).
type Watcher interface {
	Notify(event WatchEvent)
}
