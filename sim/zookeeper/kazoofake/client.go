package kazoofake

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// Client is the reference's FakeKazooClient, which has its own tree and no server. Watches fire
// inside the call that causes them, in the caller's task (ZK-15.18). ZK-15.21 lists what it lacks.
//
// Cost: the time of a call grows with the depth of its path. Under a child watch, creating or
// deleting a znode also costs time for each child of its parent, because the watch gets a new list
// of their names.
type Client struct {
	e    *env.Env
	tree *catalog // tree is nil before Start and after Stop
}

// New makes a client. It has no tree before Start.
func New(e *env.Env) *Client { return &Client{e: e} }

// errNotStarted stands for the AttributeError that the reference raises if there is no tree.
var errNotStarted = notStarted("get")

func notStarted(method string) error {
	return errors.New("AttributeError: 'NoneType' object has no attribute '" + method + "'")
}

// catalog is the tree of znodes with its watches. It corresponds to the reference's Catalog.
type catalog struct {
	root      *node
	data      map[string]env.DataFunc // data watch of each path; a later watch replaces it (ZK-15.13)
	children  map[string]ChildrenFunc // child watch of each path; a later watch replaces it
	sequences map[string]int          // next number of a sequential znode, by the full path's prefix (ZK-15.8)
}

// enter marks the beginning of a call in the tree. The returned function marks its end. If a watch
// stops the client, the tree is finalized only after the call that fired the watch.
func (t *catalog) enter() (leave func()) { return t.root.enter() }

// ChildrenFunc receives the names of the children and the event that caused the call (kazoo's
// send_event). The event is nil for the call that sets the watch.
type ChildrenFunc func(children []string, event *env.WatchEvent) error

// node is a znode of the fake. Its path never changes.
type node struct {
	path       string
	value      []byte
	names      []string // names is in order of creation (ZK-15.12)
	nodes      map[string]*node
	ctimeSec   int64
	mtimeSec   int64
	version    int32
	ephemeral  bool
	onData     env.DataFunc
	onChildren ChildrenFunc

	// calls counts the calls in progress on this znode. On the root it counts all calls in the
	// tree. dropped means that the znode is no longer in a tree. A dropped znode is finalized when
	// no call is in progress, because Python counts references. So a watch that deletes its own
	// znode learns of the deletion only after it has returned.
	calls     int
	dropped   bool
	finalized bool
}

// enter marks the beginning of a call on the znode. The returned function marks its end.
func (n *node) enter() (leave func()) {
	n.calls++
	return func() {
		n.calls--
		n.mayFinalize()
	}
}

func (n *node) drop() {
	n.dropped = true
	n.mayFinalize()
}

func (n *node) mayFinalize() {
	if n.dropped && n.calls == 0 && !n.finalized {
		n.finalized = true
		n.finalize()
	}
}

func (c *Client) newNode(path string, value []byte, onData env.DataFunc, onChildren ChildrenFunc) (*node, error) {
	now := c.e.Clock.Now().Unix()
	n := &node{path: path, value: value, nodes: map[string]*node{}, ctimeSec: now, mtimeSec: now, onData: onData, onChildren: onChildren}
	event := &env.WatchEvent{Type: env.EventCreated, Path: path}
	err := n.tellData(event)
	if err == nil {
		err = n.tellChildren(event)
	}
	if err != nil {
		n.drop() // a node whose constructor has raised an error is also deleted
		return nil, err
	}
	return n, nil
}

// stat returns the znode's stat. Only a few fields are set (ZK-15.5), and times are whole seconds
// (ZK-15.6).
func (n *node) stat() env.Stat {
	return env.Stat{CtimeMs: n.ctimeSec, MtimeMs: n.mtimeSec, Version: n.version, DataLengthBytes: int32(len(n.value)), NumChildren: int32(len(n.names))}
}

// tellData calls the data watch, if there is one. It ignores the watch's request to stop
// (ZK-15.13).
func (n *node) tellData(event *env.WatchEvent) error {
	if n.onData == nil {
		return nil
	}
	stat := n.stat()
	return unlessStopped(n.onData(n.value, &stat, event))
}

// tellChildren calls the child watch, if there is one. It copies the list of children, as the
// reference does. Creating n children one by one under a watch therefore costs n² steps.
func (n *node) tellChildren(event *env.WatchEvent) error {
	if n.onChildren == nil {
		return nil
	}
	return unlessStopped(n.onChildren(slices.Clone(n.names), event))
}

func (n *node) childEvent() *env.WatchEvent {
	return &env.WatchEvent{Type: env.EventChildrenChanged, Path: n.path}
}

func unlessStopped(err error) error {
	if errors.Is(err, env.ErrStopWatching) {
		return nil
	}
	return err
}

// finalize does what the reference's __del__ does. It calls the data watch with DELETED and the old
// data, finalizes the children in order, and then calls the child watch. Errors are dropped
// (ZK-15.17), but after an error of the data watch the child watch is not called.
func (n *node) finalize() {
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

// Start makes an empty tree. A second Start drops the first tree, which finalizes its znodes.
func (c *Client) Start(time.Duration) error {
	root, err := c.newNode("/", []byte{}, nil, nil)
	if err != nil {
		return err
	}
	old := c.tree
	c.tree = &catalog{root: root, data: map[string]env.DataFunc{}, children: map[string]ChildrenFunc{}, sequences: map[string]int{}}
	if old != nil {
		old.root.drop()
	}
	return nil
}

// Stop drops the tree, which finalizes its znodes.
func (c *Client) Stop() {
	if c.tree == nil {
		return
	}
	root := c.tree.root
	c.tree = nil
	root.drop()
}

// Restart drops the tree and makes an empty one. The reference's fake has no restart.
func (c *Client) Restart() error {
	c.Stop()
	return c.Start(0)
}

// Close drops the tree, as Stop does.
func (c *Client) Close() { c.Stop() }

// find returns the znode at a path. It ignores empty parts of the path (ZK-15.11).
func (c *Client) find(name string) (*node, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	return c.tree.find(name)
}

func (t *catalog) find(name string) (*node, error) {
	n := t.root
	for _, part := range parts(name) {
		if n = n.nodes[part]; n == nil {
			return nil, failure(zkerrors.NoNode, name)
		}
	}
	return n, nil
}

func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

// split does what Python's os.path.split does. For a path that ends in a slash, base is "".
func split(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/') + 1
	dir, base = name[:i], name[i:]
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		dir = trimmed
	}
	return dir, base
}

// Znode is a copy of one znode of the fake.
type Znode struct {
	Path      string
	Value     []byte
	Version   int32
	Ephemeral bool
}

// Znodes lists all znodes below the root depth first, with children in order of creation.
func (c *Client) Znodes() []Znode {
	if c.tree == nil {
		return nil
	}
	var list []Znode
	var walk func(n *node)
	walk = func(n *node) {
		for _, name := range n.names {
			child := n.nodes[name]
			list = append(list, Znode{Path: child.path, Value: child.value, Version: child.version, Ephemeral: child.ephemeral})
			walk(child)
		}
	}
	walk(c.tree.root)
	return list
}

// EnsurePath creates the missing znodes of a path. Watches that were waiting for such a znode are
// attached to the new znode, but not called (ZK-15.19).
func (c *Client) EnsurePath(name string) error {
	if c.tree == nil {
		return errNotStarted
	}
	_, err := c.ensure(c.tree, name)
	return err
}

func (c *Client) ensure(t *catalog, name string) (*node, error) {
	defer t.enter()()
	n, full := t.root, ""
	for _, part := range parts(name) {
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
			n.onData = t.data[n.path]
		}
		if n.onChildren == nil {
			n.onChildren = t.children[n.path]
		}
	}
	return n, nil
}

// addChild creates a child and calls the parent's child watch. It also changes the parent's mtime
// (ZK-15.7).
func (c *Client) addChild(parent *node, name string, value []byte, onData env.DataFunc, onChildren ChildrenFunc) (*node, error) {
	defer parent.enter()()
	parent.mtimeSec = c.e.Clock.Now().Unix()
	n, err := c.newNode(strings.TrimSuffix(parent.path, "/")+"/"+name, value, onData, onChildren)
	if err != nil {
		return nil, err
	}
	defer n.enter()()
	old := parent.nodes[name] // a child with the same name, which the new znode's own watch has created
	if old == nil {
		parent.names = append(parent.names, name)
	}
	parent.nodes[name] = n
	if old != nil {
		old.drop()
	}
	return n, parent.tellChildren(parent.childEvent())
}

// Create creates a znode and returns its path. Ephemeral znodes are never deleted (ZK-15.2).
func (c *Client) Create(name string, data []byte, o env.CreateOptions) (string, error) {
	real, _, err := c.CreateStat(name, data, o)
	return real, err
}

// CreateStat creates a znode and returns its path and stat, as kazoo's create with include_data
// does.
func (c *Client) CreateStat(name string, data []byte, o env.CreateOptions) (string, env.Stat, error) {
	if c.tree == nil {
		return "", env.Stat{}, notStarted("create")
	}
	n, leave, err := c.create(c.tree, name, data, o)
	defer leave()
	if err != nil {
		return "", env.Stat{}, err
	}
	return n.path, n.stat(), nil
}

// create creates a znode and marks a call on it as in progress. leave marks the end of that call.
func (c *Client) create(t *catalog, name string, data []byte, o env.CreateOptions) (n *node, leave func(), err error) {
	defer t.enter()()
	if n, err = c.createIn(t, name, data, o); n == nil {
		return nil, func() {}, err
	}
	return n, n.enter(), err
}

func (c *Client) createIn(t *catalog, name string, data []byte, o env.CreateOptions) (*node, error) {
	if o.Sequence {
		n := t.sequences[name]
		t.sequences[name]++
		name = fmt.Sprintf("%s%010d", name, n)
	}
	dir, base := split(name)
	get := t.find
	if o.MakePath {
		get = func(name string) (*node, error) { return c.ensure(t, name) }
	}
	parent, err := get(dir)
	if err != nil {
		return nil, err
	}
	if parent.nodes[base] != nil {
		return nil, failure(zkerrors.NodeExists, name)
	}
	n, err := c.addChild(parent, base, data, t.data[name], t.children[name])
	if n != nil {
		n.ephemeral = o.Ephemeral // set even if a watch of the parent has failed
	}
	return n, err
}

// Set replaces the data of a znode. It ignores the version (ZK-15.9). The watches fire even if the
// data is equal (ZK-15.16).
func (c *Client) Set(name string, data []byte, _ int32) error {
	n, err := c.find(name)
	if err != nil {
		return err
	}
	defer c.tree.enter()()
	defer n.enter()()
	n.mtimeSec = c.e.Clock.Now().Unix()
	n.version++
	n.value = data
	return n.tellData(&env.WatchEvent{Type: env.EventChanged, Path: n.path})
}

// Get returns the data and stat of a znode, or an error if it is missing.
func (c *Client) Get(name string) ([]byte, env.Stat, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, env.Stat{}, err
	}
	return n.value, n.stat(), nil
}

// Exists returns the stat of a znode; nil if it is missing. The reference's fake only returns True
// or False (ZK-15.4).
func (c *Client) Exists(name string) (*env.Stat, error) {
	n, err := c.find(name)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	stat := n.stat()
	return &stat, nil
}

// Children returns the names of the children in order of creation.
func (c *Client) Children(name string) ([]string, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.names), nil
}

// Delete removes the znode and everything below it, whatever the options, because the fake deletes
// recursively by default (ZK-15.10). It calls the parent's child watch first.
func (c *Client) Delete(name string, _ env.DeleteOptions) error { return c.remove(name, true) }

// DeleteLeaf deletes a znode as delete(path, recursive=False) does, which fails if the znode has
// children. No agent calls it.
func (c *Client) DeleteLeaf(name string) error { return c.remove(name, false) }

func (c *Client) remove(name string, recursive bool) error {
	dir, base := split(name)
	parent, err := c.find(dir)
	if err != nil {
		return err
	}
	n := parent.nodes[base]
	if n == nil {
		return failure(zkerrors.NoNode, name)
	}
	defer c.tree.enter()()
	defer parent.enter()()
	parent.mtimeSec = c.e.Clock.Now().Unix()
	if !recursive && len(n.names) > 0 {
		return failure(zkerrors.NotEmpty, name)
	}
	delete(parent.nodes, base)
	parent.names = slices.DeleteFunc(parent.names, func(s string) bool { return s == base })
	err = parent.tellChildren(parent.childEvent())
	n.drop()
	return err
}

// Retry calls fn once and returns its error.
func (c *Client) Retry(fn func() error) error { return fn() }

type watch struct{}

func (watch) Stopped() bool { return false }

// DataWatch calls fn with the data at a path, now and after each change. It replaces an earlier
// watch of that path. For a missing znode the first call comes when it is created (ZK-15.14).
// Errors of the first call are dropped (ZK-15.18).
func (c *Client) DataWatch(name string, fn env.DataFunc) (env.Watch, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	defer c.tree.enter()()
	c.tree.data[name] = fn
	if n, err := c.find(name); err == nil {
		defer n.enter()()
		n.onData = fn
		_ = n.tellData(nil)
	}
	return watch{}, nil
}

// ChildrenWatch calls fn with the children's names at a path, now and after each change. It
// replaces an earlier watch of that path (ZK-15.15).
func (c *Client) ChildrenWatch(name string, fn env.ChildrenFunc) (env.Watch, error) {
	return c.ChildrenEventWatch(name, func(children []string, _ *env.WatchEvent) error { return fn(children) })
}

// ChildrenEventWatch calls fn with the children's names at a path and the event that changed them
// (send_event). It replaces an earlier watch of that path.
func (c *Client) ChildrenEventWatch(name string, fn ChildrenFunc) (env.Watch, error) {
	if c.tree == nil {
		return nil, errNotStarted
	}
	defer c.tree.enter()()
	c.tree.children[name] = fn
	if n, err := c.find(name); err == nil {
		defer n.enter()()
		n.onChildren = fn
		_ = n.tellChildren(nil)
	}
	return watch{}, nil
}

// AddListener does nothing (ZK-15.3).
func (c *Client) AddListener(func(env.SessionState) bool) {}

// State returns Connected while there is a tree, else Lost. The reference's fake has no such
// property.
func (c *Client) State() env.SessionState {
	if c.tree == nil {
		return env.Lost
	}
	return env.Connected
}

// NewLock returns a lock that excludes nobody else: each call returns an independent lock.
func (c *Client) NewLock(_, identifier string) env.Lock { return &lock{identifier: identifier} }

// NewElection returns an election that is won at once (ZK-15.20).
func (c *Client) NewElection(_, identifier string) env.Election {
	return &election{lock{identifier: identifier}}
}

type lock struct {
	identifier string
	held       bool
}

func (l *lock) Acquire(time.Duration) (bool, error) {
	got := !l.held
	l.held = true
	return got, nil
}

func (l *lock) Release() error {
	l.held = false
	return nil
}

// Cancel does nothing. On the reference's fake it raises an AttributeError (Q87).
func (l *lock) Cancel() {}

func (l *lock) Contenders() ([]string, error) { return []string{l.identifier}, nil }

type election struct{ lock lock }

func (e *election) Run(leader func()) error {
	leader()
	return nil
}

func (e *election) Cancel() {}

func (e *election) Contenders() ([]string, error) { return e.lock.Contenders() }

var _ env.ZooKeeper = (*Client)(nil)

// words holds the endings of the fake's error messages by code.
var words = map[zkerrors.Code]string{
	zkerrors.NoNode: " is not exists!", zkerrors.NodeExists: " Exists!", zkerrors.NotEmpty: " is not empty!",
}

func failure(code zkerrors.Code, path string) error {
	return &zkerrors.Error{Code: code, Path: path, Text: path + words[code]}
}
