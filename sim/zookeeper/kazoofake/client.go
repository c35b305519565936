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

// Client is the reference's FakeKazooClient, with a tree of its own and no server.
// Watches fire inside of the call that causes them, in the caller's task (ZK-15.18).
// What it leaves out is in ZK-15.21.
type Client struct {
	e    *env.Env
	tree *catalog // nil before Start and after Stop
}

// New makes a client without a tree.
func New(e *env.Env) *Client { return &Client{e: e} }

// errNotStarted is what the reference raises as AttributeError of None.
var errNotStarted = notStarted("get")

func notStarted(method string) error {
	return errors.New("AttributeError: 'NoneType' object has no attribute '" + method + "'")
}

// catalog is the reference's Catalog.
type catalog struct {
	root      *node
	data      map[string]env.DataFunc // one per path, the last wins (ZK-15.13)
	children  map[string]ChildrenFunc // likewise
	sequences map[string]int          // by full path prefix (ZK-15.8)
}

// enter begins a call in the tree, what it returns ends it: a tree that is stopped by one
// of its own watches goes once the call that fired it has ended.
func (t *catalog) enter() (leave func()) { return t.root.enter() }

// ChildrenFunc is told of the names and of the event that it is called for,
// nil when the watch is set: kazoo's send_event.
type ChildrenFunc func(children []string, event *env.WatchEvent) error

// node is a znode; its path is fixed at creation.
type node struct {
	path       string
	value      []byte
	names      []string // in order of creation (ZK-15.12)
	nodes      map[string]*node
	ctimeSec   int64
	mtimeSec   int64
	version    int32
	ephemeral  bool
	onData     env.DataFunc
	onChildren ChildrenFunc

	// calls counts the calls that are in this znode, in the root those in its tree;
	// dropped says that it is in no tree any more. It is finalized when both let it go,
	// as Python counts references: a watch that deletes its own znode is told of that
	// after it returned.
	calls     int
	dropped   bool
	finalized bool
}

// enter begins a call in the znode, what it returns ends it.
func (n *node) enter() (leave func()) {
	n.calls++
	return func() {
		n.calls--
		n.mayFinalize()
	}
}

// drop takes the znode out of its tree.
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
		n.drop() // a node whose constructor raised is deleted too
		return nil, err
	}
	return n, nil
}

// stat has few live fields (ZK-15.5); times are whole seconds (ZK-15.6).
func (n *node) stat() env.Stat {
	return env.Stat{CtimeMs: n.ctimeSec, MtimeMs: n.mtimeSec, Version: n.version, DataLengthBytes: int32(len(n.value)), NumChildren: int32(len(n.names))}
}

// tellData calls the data watch; what it returns to stop is ignored (ZK-15.13).
func (n *node) tellData(event *env.WatchEvent) error {
	if n.onData == nil {
		return nil
	}
	stat := n.stat()
	return unlessStopped(n.onData(n.value, &stat, event))
}

// Cost: a call grows with the children of the znode, whose list is copied as the
// reference does: n children that are created one by one under a watch cost n².
func (n *node) tellChildren(event *env.WatchEvent) error {
	if n.onChildren == nil {
		return nil
	}
	return unlessStopped(n.onChildren(slices.Clone(n.names), event))
}

// childEvent is what a change of the children is.
func (n *node) childEvent() *env.WatchEvent {
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

// Start makes an empty tree; a second Start drops the first tree, which finalizes
// its znodes.
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

// find walks down; empty parts of the path are dropped (ZK-15.11).
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

// split is os.path.split: a path that ends in a slash names the child "" of
// what is before it.
func split(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/') + 1
	dir, base = name[:i], name[i:]
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		dir = trimmed
	}
	return dir, base
}

// Znode is a znode of the fake as it is now.
type Znode struct {
	Path      string
	Value     []byte
	Version   int32
	Ephemeral bool
}

// Znodes lists all znodes below the root, depth first, children in order of
// creation.
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

// EnsurePath makes the znodes of a path that are missing. Watches that wait for one are
// attached to it without being called (ZK-15.19).
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

// addChild makes a child and tells the parent's child watch. The parent's mtime
// moves (ZK-15.7).
func (c *Client) addChild(parent *node, name string, value []byte, onData env.DataFunc, onChildren ChildrenFunc) (*node, error) {
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

// Create makes a znode and returns its path; ephemerals stay (ZK-15.2).
func (c *Client) Create(name string, data []byte, o env.CreateOptions) (string, error) {
	real, _, err := c.CreateStat(name, data, o)
	return real, err
}

// CreateStat makes a znode and returns its path and stat: create with include_data.
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

// create returns a znode that the call is in until leave.
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
		n.ephemeral = o.Ephemeral // also when a watch of the parent fails
	}
	return n, err
}

// Set replaces the data of a znode; versions are not checked (ZK-15.9), and each Set
// fires the watches (ZK-15.16).
func (c *Client) Set(name string, data []byte, _ int32) (env.Stat, error) {
	n, err := c.find(name)
	if err != nil {
		return env.Stat{}, err
	}
	defer c.tree.enter()()
	defer n.enter()()
	n.mtimeSec = c.e.Clock.Now().Unix()
	n.version++
	n.value = data
	return n.stat(), n.tellData(&env.WatchEvent{Type: env.EventChanged, Path: n.path})
}

// Get returns the data and stat of a znode; a missing one is an error.
func (c *Client) Get(name string) ([]byte, env.Stat, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, env.Stat{}, err
	}
	return n.value, n.stat(), nil
}

// Exists returns the stat, nil for a missing znode; the reference's fake says True or
// False (ZK-15.4).
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

// Children lists the names in order of creation.
func (c *Client) Children(name string) ([]string, error) {
	n, err := c.find(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.names), nil
}

// Delete removes the znode with all below it whatever the options say: the fake's
// default is recursive (ZK-15.10). The parent's child watch comes first.
func (c *Client) Delete(name string, _ env.DeleteOptions) error { return c.remove(name, true) }

// DeleteLeaf is delete(path, recursive=False), which no agent asks for: a znode
// with children stays.
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

// watch never stops.
type watch struct{}

func (watch) Stopped() bool { return false }

// DataWatch has fn told of the data at a path, now and after each change, in place of an
// earlier watch of that path. On a missing znode it is silent until the znode is created
// (ZK-15.14); errors of the first call are lost (ZK-15.18).
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

// ChildrenWatch has fn told of the names below a path, now and after each change, in
// place of an earlier watch of that path (ZK-15.15).
func (c *Client) ChildrenWatch(name string, fn env.ChildrenFunc) (env.Watch, error) {
	return c.ChildrenEventWatch(name, func(children []string, _ *env.WatchEvent) error { return fn(children) })
}

// ChildrenEventWatch has fn told of the names below a path and of the event that changed
// them (send_event), in place of an earlier watch of that path.
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

// State is Connected while there is a tree; the reference's fake has none.
func (c *Client) State() env.SessionState {
	if c.tree == nil {
		return env.Lost
	}
	return env.Connected
}

// NewLock makes a lock that only this object knows of.
func (c *Client) NewLock(_, identifier string) env.Lock { return &lock{identifier: identifier} }

// NewElection makes an election that everybody wins at once (ZK-15.20).
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

// Cancel does nothing: on the reference's fake it is an AttributeError (Q87).
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

// words are how the fake ends its messages.
var words = map[zkerrors.Code]string{
	zkerrors.NoNode: " is not exists!", zkerrors.NodeExists: " Exists!", zkerrors.NotEmpty: " is not empty!",
}

func failure(code zkerrors.Code, path string) error {
	return &zkerrors.Error{Code: code, Path: path, Text: path + words[code]}
}
