package zookeeper

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// FakeClient is the profile kazoo-fake: the reference's FakeKazooClient
// (mocked_zkclient.py), a client with a tree of its own and no server. Watches
// fire inside of the call that causes them, in the caller's task (ZK-15).
type FakeClient struct {
	e    *env.Env
	tree *fakeTree // nil before Start and after Stop
}

// NewFakeClient makes a client without a tree.
func NewFakeClient(e *env.Env) *FakeClient { return &FakeClient{e: e} }

// errNotStarted is what the reference raises as AttributeError of None.
var errNotStarted = errors.New("AttributeError: the fake client is not started: its catalog is None")

// fakeTree is the reference's Catalog.
type fakeTree struct {
	root      *fakeNode
	data      map[string]env.DataFunc     // one per path, the last wins (ZK-15.13)
	children  map[string]FakeChildrenFunc // likewise
	sequences map[string]int              // by full path prefix (ZK-15.8)
}

// FakeChildrenFunc is told of the names and of the event that it is called for,
// nil when the watch is set: kazoo's send_event.
type FakeChildrenFunc func(children []string, event *env.WatchEvent) error

// fakeNode is a znode; its path is fixed at creation.
type fakeNode struct {
	path       string
	value      []byte
	names      []string // in order of creation (ZK-15.12)
	nodes      map[string]*fakeNode
	ctimeSec   int64
	mtimeSec   int64
	version    int32
	ephemeral  bool
	onData     env.DataFunc
	onChildren FakeChildrenFunc

	// calls counts the calls that are in this znode; dropped says that it is in no
	// tree any more. It is finalized when both let it go, as Python counts
	// references: a watch that deletes its own znode is told of that after it
	// returned.
	calls     int
	dropped   bool
	finalized bool
}

// enter begins a call in the znode, what it returns ends it.
func (n *fakeNode) enter() (leave func()) {
	n.calls++
	return func() {
		n.calls--
		n.mayFinalize()
	}
}

// drop takes the znode out of its tree.
func (n *fakeNode) drop() {
	n.dropped = true
	n.mayFinalize()
}

func (n *fakeNode) mayFinalize() {
	if n.dropped && n.calls == 0 && !n.finalized {
		n.finalized = true
		n.finalize()
	}
}

func (c *FakeClient) newNode(path string, value []byte, onData env.DataFunc, onChildren FakeChildrenFunc) (*fakeNode, error) {
	now := c.e.Clock.Now().Unix()
	n := &fakeNode{path: path, value: value, nodes: map[string]*fakeNode{}, ctimeSec: now, mtimeSec: now, onData: onData, onChildren: onChildren}
	event := &env.WatchEvent{Type: env.EventCreated, Path: path}
	err := n.tellData(event)
	if err == nil {
		err = n.tellChildren(event)
	}
	if err != nil {
		n.drop() // a node whose constructor raised is deleted too
		return nil, err
	}
	return n, nil
}

// stat has few live fields (ZK-15.5); times are whole seconds (ZK-15.6).
func (n *fakeNode) stat() env.Stat {
	return env.Stat{CtimeMs: n.ctimeSec, MtimeMs: n.mtimeSec, Version: n.version, DataLengthBytes: int32(len(n.value)), NumChildren: int32(len(n.names))}
}

// tellData calls the data watch; what it returns to stop is ignored (ZK-15.13).
func (n *fakeNode) tellData(event *env.WatchEvent) error {
	if n.onData == nil {
		return nil
	}
	stat := n.stat()
	return unlessStopped(n.onData(n.value, &stat, event))
}

// Speed: the list is copied for each call, as the reference does: n children that
// are created one by one under a watch cost n².
func (n *fakeNode) tellChildren(event *env.WatchEvent) error {
	if n.onChildren == nil {
		return nil
	}
	return unlessStopped(n.onChildren(slices.Clone(n.names), event))
}

// childEvent is what a change of the children is.
func (n *fakeNode) childEvent() *env.WatchEvent {
	return &env.WatchEvent{Type: env.EventChildrenChanged, Path: n.path}
}

func unlessStopped(err error) error {
	if errors.Is(err, env.ErrStopWatching) {
		return nil
	}
	return err
}

// finalize is the reference's __del__: DELETED with the old data, then the
// children one after the other, then the child watch; errors are lost (ZK-15.17),
// and one of the data watch leaves the child watch uncalled.
func (n *fakeNode) finalize() {
	event := &env.WatchEvent{Type: env.EventDeleted, Path: n.path}
	err := n.tellData(event)
	n.onData = nil
	for _, name := range n.names {
		n.nodes[name].drop()
	}
	n.names, n.nodes = nil, nil
	if err == nil {
		_ = n.tellChildren(event)
	}
	n.onChildren = nil
}

// Start makes an empty tree; a second Start drops the first tree, which finalizes
// its znodes.
func (c *FakeClient) Start(time.Duration) error {
	root, err := c.newNode("/", []byte{}, nil, nil)
	if err != nil {
		return err
	}
	old := c.tree
	c.tree = &fakeTree{root: root, data: map[string]env.DataFunc{}, children: map[string]FakeChildrenFunc{}, sequences: map[string]int{}}
	if old != nil {
		old.root.drop()
	}
	return nil
}

// Stop drops the tree, which finalizes its znodes.
func (c *FakeClient) Stop() {
	if c.tree == nil {
		return
	}
	root := c.tree.root
	c.tree = nil
	root.drop()
}

// Restart makes a new tree. The reference's fake has no restart.
func (c *FakeClient) Restart() error {
	c.Stop()
	return c.Start(0)
}

// Close is Stop.
func (c *FakeClient) Close() { c.Stop() }

// find walks down; empty parts of the path are dropped (ZK-15.11).
func (c *FakeClient) find(name string) (*fakeNode, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	n := c.tree.root
	for _, part := range fakeParts(name) {
		if n = n.nodes[part]; n == nil {
			return nil, &env.ZooKeeperError{Code: env.ZKNoNode, Path: name}
		}
	}
	return n, nil
}

func fakeParts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

// fakeSplit is os.path.split: a path that ends in a slash names the child "" of
// what is before it.
func fakeSplit(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/') + 1
	dir, base = name[:i], name[i:]
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		dir = trimmed
	}
	return dir, base
}

// FakeZnode is a znode of the fake as it is now.
type FakeZnode struct {
	Path      string
	Value     []byte
	Version   int32
	Ephemeral bool
}

// Znodes lists all znodes below the root, depth first, children in order of
// creation.
func (c *FakeClient) Znodes() []FakeZnode {
	if c.tree == nil {
		return nil
	}
	var list []FakeZnode
	var walk func(n *fakeNode)
	walk = func(n *fakeNode) {
		for _, name := range n.names {
			child := n.nodes[name]
			list = append(list, FakeZnode{Path: child.path, Value: child.value, Version: child.version, Ephemeral: child.ephemeral})
			walk(child)
		}
	}
	walk(c.tree.root)
	return list
}

// EnsurePath makes what is missing; waiting watches are attached to new znodes
// without being called (ZK-15.19).
func (c *FakeClient) EnsurePath(name string) error {
	_, err := c.ensure(name)
	return err
}

func (c *FakeClient) ensure(name string) (*fakeNode, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	n, full := c.tree.root, ""
	for _, part := range fakeParts(name) {
		full += "/" + part
		next := n.nodes[part]
		if next == nil {
			var err error
			if next, err = c.addChild(n, part, []byte{}, nil, nil); err != nil {
				return nil, err
			}
		}
		n = next
		if n.onData == nil {
			n.onData = c.tree.data[n.path]
		}
		if n.onChildren == nil {
			n.onChildren = c.tree.children[n.path]
		}
	}
	return n, nil
}

// addChild makes a child and tells the parent's child watch. The parent's mtime
// moves (ZK-15.7).
func (c *FakeClient) addChild(parent *fakeNode, name string, value []byte, onData env.DataFunc, onChildren FakeChildrenFunc) (*fakeNode, error) {
	defer parent.enter()()
	parent.mtimeSec = c.e.Clock.Now().Unix()
	n, err := c.newNode(strings.TrimSuffix(parent.path, "/")+"/"+name, value, onData, onChildren)
	if err != nil {
		return nil, err
	}
	defer n.enter()()
	old := parent.nodes[name] // made by the new znode's own watch
	if old == nil {
		parent.names = append(parent.names, name)
	}
	parent.nodes[name] = n
	if old != nil {
		old.drop()
	}
	return n, parent.tellChildren(parent.childEvent())
}

// Create makes a znode; ephemerals stay (ZK-15.2).
func (c *FakeClient) Create(name string, data []byte, o env.CreateOptions) (string, error) {
	real, _, err := c.CreateStat(name, data, o)
	return real, err
}

// CreateStat is create with include_data.
func (c *FakeClient) CreateStat(name string, data []byte, o env.CreateOptions) (string, env.Stat, error) {
	n, err := c.create(name, data, o)
	if err != nil {
		return "", env.Stat{}, err
	}
	return n.path, n.stat(), nil
}

func (c *FakeClient) create(name string, data []byte, o env.CreateOptions) (*fakeNode, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	if o.Sequence {
		n := c.tree.sequences[name]
		c.tree.sequences[name]++
		name = fmt.Sprintf("%s%010d", name, n)
	}
	get := c.find
	if o.MakePath {
		get = c.ensure
	}
	dir, base := fakeSplit(name)
	parent, err := get(dir)
	if err != nil {
		return nil, err
	}
	if parent.nodes[base] != nil {
		return nil, &env.ZooKeeperError{Code: env.ZKNodeExists, Path: name}
	}
	n, err := c.addChild(parent, base, data, c.tree.data[name], c.tree.children[name])
	if n != nil {
		n.ephemeral = o.Ephemeral // also when a watch of the parent fails
	}
	return n, err
}

// Set replaces the data; versions are not checked (ZK-15.9).
func (c *FakeClient) Set(name string, data []byte, _ int32) (env.Stat, error) {
	n, err := c.find(name)
	if err != nil {
		return env.Stat{}, err
	}
	defer n.enter()()
	n.mtimeSec = c.e.Clock.Now().Unix()
	n.version++
	n.value = data
	return n.stat(), n.tellData(&env.WatchEvent{Type: env.EventChanged, Path: n.path})
}

// Get reads the data.
func (c *FakeClient) Get(name string) ([]byte, env.Stat, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, env.Stat{}, err
	}
	return n.value, n.stat(), nil
}

// Exists returns the stat, nil for a missing znode.
func (c *FakeClient) Exists(name string) (*env.Stat, error) {
	n, err := c.find(name)
	if errors.Is(err, env.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stat := n.stat()
	return &stat, nil
}

// Children lists the names in order of creation.
func (c *FakeClient) Children(name string) ([]string, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.names), nil
}

// Delete removes the znode with all below it whatever the options say: the fake's
// default is recursive (ZK-15.10). The parent's child watch comes first.
func (c *FakeClient) Delete(name string, _ env.DeleteOptions) error { return c.remove(name, true) }

// DeleteLeaf is delete(path, recursive=False), which no agent asks for: a znode
// with children stays.
func (c *FakeClient) DeleteLeaf(name string) error { return c.remove(name, false) }

func (c *FakeClient) remove(name string, recursive bool) error {
	dir, base := fakeSplit(name)
	parent, err := c.find(dir)
	if err != nil {
		return err
	}
	n := parent.nodes[base]
	if n == nil {
		return &env.ZooKeeperError{Code: env.ZKNoNode, Path: name}
	}
	defer parent.enter()()
	parent.mtimeSec = c.e.Clock.Now().Unix()
	if !recursive && len(n.names) > 0 {
		return &env.ZooKeeperError{Code: env.ZKNotEmpty, Path: name}
	}
	delete(parent.nodes, base)
	parent.names = slices.DeleteFunc(parent.names, func(s string) bool { return s == base })
	err = parent.tellChildren(parent.childEvent())
	n.drop()
	return err
}

// Retry calls once.
func (c *FakeClient) Retry(fn func() error) error { return fn() }

// fakeWatch never stops.
type fakeWatch struct{}

func (fakeWatch) Stopped() bool { return false }

// DataWatch replaces the watch of the path. On a missing znode it is silent until
// the znode is created (ZK-15.14); errors of the first call are lost (ZK-15.18).
func (c *FakeClient) DataWatch(name string, fn env.DataFunc) (env.Watch, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	c.tree.data[name] = fn
	if n, err := c.find(name); err == nil {
		defer n.enter()()
		n.onData = fn
		_ = n.tellData(nil)
	}
	return fakeWatch{}, nil
}

// ChildrenWatch replaces the watch of the path (ZK-15.15).
func (c *FakeClient) ChildrenWatch(name string, fn env.ChildrenFunc) (env.Watch, error) {
	return c.ChildrenEventWatch(name, func(children []string, _ *env.WatchEvent) error { return fn(children) })
}

// ChildrenEventWatch is ChildrenWatch with send_event.
func (c *FakeClient) ChildrenEventWatch(name string, fn FakeChildrenFunc) (env.Watch, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	c.tree.children[name] = fn
	if n, err := c.find(name); err == nil {
		defer n.enter()()
		n.onChildren = fn
		_ = n.tellChildren(nil)
	}
	return fakeWatch{}, nil
}

// AddListener does nothing (ZK-15.3).
func (c *FakeClient) AddListener(func(env.SessionState) bool) {}

// State is Connected while there is a tree; the reference's fake has none.
func (c *FakeClient) State() env.SessionState {
	if c.tree == nil {
		return env.Lost
	}
	return env.Connected
}

// NewLock makes a lock that only this object knows of.
func (c *FakeClient) NewLock(_, identifier string) env.Lock { return &fakeLock{identifier: identifier} }

// NewElection makes an election that everybody wins at once (ZK-15.20).
func (c *FakeClient) NewElection(_, identifier string) env.Election {
	return &fakeElection{fakeLock{identifier: identifier}}
}

type fakeLock struct {
	identifier string
	held       bool
}

func (l *fakeLock) Acquire(time.Duration) (bool, error) {
	got := !l.held
	l.held = true
	return got, nil
}

func (l *fakeLock) Release() error {
	l.held = false
	return nil
}

// Cancel does nothing: on the reference's fake it is an AttributeError (Q87).
func (l *fakeLock) Cancel() {}

func (l *fakeLock) Contenders() ([]string, error) { return []string{l.identifier}, nil }

type fakeElection struct{ lock fakeLock }

func (e *fakeElection) Run(leader func()) error {
	leader()
	return nil
}

func (e *fakeElection) Cancel() {}

func (e *fakeElection) Contenders() ([]string, error) { return e.lock.Contenders() }

var _ env.ZooKeeper = (*FakeClient)(nil)
