package env

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/enum"
)

// ZooKeepers makes clients of ZooKeeper.
type ZooKeepers interface {
	// NewClient makes a client with kazoo's defaults (timeout 10 s), which does nothing until
	// Start.
	NewClient(hosts string, options ZooKeeperOptions) ZooKeeper
}

// ZooKeeperOptions holds the settings of a client. The zero value stands for kazoo's defaults.
type ZooKeeperOptions struct {
	// Timeout is the session timeout to request. 0 means 10 s (kazoo client.py:128).
	Timeout time.Duration
	// Auth holds credentials, each a scheme and a text.
	Auth [][2]string
	// MaxPause is the longest pause before a connection, or a call of Retry, is tried again. 0 means an
	// hour (kazoo client.py:82).
	MaxPause time.Duration
}

// ZooKeeper is a client with the operations of kazoo's KazooClient, which the reference uses
// (ZK-12.1). Calls block; errors are *zkerrors.Error. engine/runtimetest/zookeepertest checks that
// the simulated client and that of real servers behave alike.
type ZooKeeper interface {
	// Start connects. If that takes longer than limit (0 means 15 s, kazoo client.py:573), it stops
	// the client and fails with ConnectionTimeout.
	Start(limit time.Duration) error
	// Stop stops the client and ends its session, with which its ephemeral znodes go.
	Stop()
	// Restart calls Stop and then Start.
	Restart() error
	// Close frees the resources of a stopped client, which cannot be used afterwards.
	Close()

	Create(path string, data []byte, options CreateOptions) (string, error)
	// EnsurePath creates a znode and its parents, if they are missing, as empty persistent ones.
	EnsurePath(path string) error
	// Set replaces a znode's data. version -1 matches any version. kazoo also returns the stat, which
	// the reference never uses.
	Set(path string, data []byte, version int32) error
	Get(path string) ([]byte, Stat, error)
	// Exists returns nil if there is no such znode.
	Exists(path string) (*Stat, error)
	Children(path string) ([]string, error)
	// Delete removes a znode; with DeleteRecursive also everything below it.
	Delete(path string, options DeleteOptions) error

	// Retry calls fn until it returns anything but ConnectionLoss, OperationTimeout, SessionExpired
	// or ForceRetry. In between it sleeps by kazoo's rule: 0.1 s, then twice as long each time up
	// to 3600 s, each with 40 % jitter, without a limit on their number (max_tries=None,
	// client.py:82-87 of kazoo 2.8.0).
	Retry(fn func() error) error

	// DataWatch calls fn now and at each change of a znode's data. The error is that of the first
	// call, or of reading the data for it.
	DataWatch(path string, fn DataFunc) (Watch, error)
	// ChildrenWatch calls fn now and at each change of a znode's children. If the znode is missing
	// the watch ends for good. The error is that of the first call, or of reading the children for
	// it.
	ChildrenWatch(path string, fn ChildrenFunc) (Watch, error)
	NewLock(path, identifier string) Lock
	NewElection(path, identifier string) Election

	// AddListener adds a function to call at every change of State; several are called in the order
	// in which they were added. If fn returns true it is removed. It runs in the client's
	// connection task, so it must not use the client.
	AddListener(fn func(state SessionState) (remove bool))
	State() SessionState
}

// DataFunc receives a znode's data. data and stat are nil if the znode is missing; event is nil on
// the first call and after a reconnect. If it returns [ErrStopWatching] the watch ends (Python:
// return False). Any other error is logged and the watch goes on (Python: an exception).
type DataFunc func(data []byte, stat *Stat, event *WatchEvent) error

// ChildrenFunc receives the names of a znode's children. Its error has the meaning of a DataFunc's.
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
	// Version is the version that the znode must have, or -1 for any. Mind that the zero value of
	// DeleteOptions means version 0: use AnyVersion.
	Version   int32
	Recursive bool
}

// AnyVersion deletes a znode of any version.
var AnyVersion = DeleteOptions{Version: -1}

// Stat is a znode's stat. Its fields mean the same as ZooKeeper's; times are in ms since the Unix
// epoch.
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

// WatchEvent is the event that triggers a watch.
type WatchEvent struct {
	Type EventType
	Path string
}

// EventType is the type of a watch event, with the numbers of the protocol.
type EventType int32

// These are the event types. EventNone reports a change of the session.
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

// SessionState is the state of a session, in the simplified form that kazoo has.
type SessionState uint8

// These are the states. A new client is Lost.
const (
	Lost SessionState = iota
	Suspended
	Connected
)

var sessionNames = []string{"LOST", "SUSPENDED", "CONNECTED"}

func (s SessionState) String() string { return enum.Listed(sessionNames, s) }

// Lock is a lock of kazoo's Lock recipe.
type Lock interface {
	// Acquire waits until the lock is held, and returns true. If another client holds the lock for
	// longer than timeout, it returns false. A negative timeout means no limit.
	Acquire(timeout time.Duration) (bool, error)
	Release() error
	// Cancel makes a call of Acquire that waits fail with Cancelled.
	Cancel()
	Contenders() ([]string, error)
}

// Election is an election of kazoo's Election recipe.
type Election interface {
	// Run waits until this candidate is the leader, calls leader, and resigns when that returns. It
	// returns nil if the election is cancelled.
	Run(leader func()) error
	Cancel()
	Contenders() ([]string, error)
}

// ZooKeeperSession is the layer below ZooKeeper: one session of the protocol, with watches that
// report one event. engine/recipes builds the rest on it. Both the simulated client and the client
// of a real server implement it.
type ZooKeeperSession interface {
	Start(limit time.Duration) error
	Stop()
	Close()

	// Create creates a znode below an existing one, and returns its real path.
	Create(path string, data []byte, ephemeral, sequence bool) (string, error)
	Set(path string, data []byte, version int32) error
	Delete(path string, version int32) error
	// Get leaves watch, unless that is nil, on the znode. If Get fails it leaves none.
	Get(path string, watch Watcher) ([]byte, Stat, error)
	// Exists leaves watch on the path even if there is no znode.
	Exists(path string, watch Watcher) (*Stat, error)
	Children(path string, watch Watcher) ([]string, error)

	State() SessionState
	// Connected reports whether there is a connection right now.
	Connected() bool
	// OnState sets the function that is called at every change of State, in the connection task.
	OnState(fn func(SessionState))
	// Spawn runs fn in a new task.
	Spawn(fn func())
}

// Watcher is called once, in the session's callback task, with the first event after it was left.
// The session tells Watchers apart by identity: leaving the same one twice on a path causes one
// call (kazoo keeps them in a set).
type Watcher interface {
	Notify(event WatchEvent)
}
