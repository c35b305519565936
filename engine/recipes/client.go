package recipes

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// Client is kazoo's KazooClient over a session, an env.ZooKeeper: contracts that its
// methods do not state are written there.
type Client struct {
	// MaxPause is the longest pause of Retry; 0 means that of [CommandRetry].
	MaxPause time.Duration

	e         *env.Env
	session   env.ZooKeeperSession
	listeners listeners
	families  []*family
	// fed is the first family whose reads may come from a [bulk.Feed], fedParents those of
	// all such families.
	fed        *family
	fedParents []string
}

// listeners are told of each change of the session's state, in the order in which they
// were added: members of families, and with the ref of family 0 functions.
type listeners struct {
	refs  []ref
	alone []*listener
	free  []uint32 // places in alone
}

type listener struct {
	fn func(env.SessionState) bool
	at ref
}

// New makes a client for the process that e belongs to. The session is the client's
// from now on, and is not started.
func New(e *env.Env, session env.ZooKeeperSession) *Client {
	c := &Client{e: e, session: session}
	session.OnState(c.tell)
	return c
}

// Start connects (client.py:567). A limit of 0 means 15 s; when it is exceeded, the
// client is stopped and the error is ConnectionTimeout.
func (c *Client) Start(limit time.Duration) error {
	limit = cmp.Or(limit, 15*time.Second)
	return c.session.Start(limit)
}

// Stop ends the session on the server and waits for callbacks that are under way, for
// 10 s or the session timeout at most. A stopped client may be started again.
func (c *Client) Stop() { c.session.Stop() }

// Restart is Stop and then Start(0) (client.py:644).
func (c *Client) Restart() error {
	c.Stop()
	return c.Start(0)
}

// Close frees what the session holds; the client cannot be used after it.
func (c *Client) Close() { c.session.Close() }

// State is Connected, Suspended or Lost: what kazoo tells listeners.
func (c *Client) State() env.SessionState { return c.session.State() }

// AddListener calls fn at every change of State, on the connection task, until it
// returns true.
func (c *Client) AddListener(fn func(env.SessionState) bool) { c.addListener(fn) }

func (c *Client) addListener(fn func(env.SessionState) bool) *listener {
	ls := &c.listeners
	l := &listener{fn: fn}
	if last := len(ls.free) - 1; last >= 0 {
		l.at, ls.free = refOf(0, ls.free[last]), ls.free[:last]
		ls.alone[l.at.member()] = l
	} else {
		l.at = refOf(0, uint32(len(ls.alone)))
		ls.alone = append(ls.alone, l)
	}
	ls.add(l.at)
	return l
}

func (c *Client) removeListener(l *listener) {
	ls := &c.listeners
	if at := l.at.member(); ls.alone[at] == l {
		ls.alone[at], ls.free = nil, append(ls.free, at)
		ls.remove(l.at)
	}
}

// add puts a listener at the end.
func (ls *listeners) add(r ref) { ls.refs = appended(ls.refs, r) }

func (ls *listeners) remove(r ref) {
	if i := slices.Index(ls.refs, r); i >= 0 {
		ls.refs = slices.Delete(ls.refs, i, i+1)
	}
}

// tell calls the listeners on a copy: one may remove itself (client.py:519).
func (c *Client) tell(state env.SessionState) {
	alone := slices.Clone(c.listeners.alone)
	for _, r := range slices.Clone(c.listeners.refs) {
		if r.family() != 0 {
			member{c.families[r.family()-1], r.member()}.sessionChanged(state)
		} else if l := alone[r.member()]; l.fn(state) {
			c.removeListener(l)
		}
	}
}

// Retry runs fn with [CommandRetry]: again and again while its error may pass.
func (c *Client) Retry(fn func() error) error {
	policy := CommandRetry()
	policy.MaxDelay = cmp.Or(c.MaxPause, policy.MaxDelay)
	return policy.Run(c.e, fn)
}

// Create makes a znode and returns its path, which a sequence has extended. With
// MakePath missing parents are made and the create tried once more
// (client.py:1021-1047): the server itself makes one level only (ZK-6.5).
func (c *Client) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	p, err := Normalize(path, o.Sequence)
	if err != nil {
		return "", err
	}
	real, err := c.session.Create(p, data, o.Ephemeral, o.Sequence)
	if !o.MakePath || !errors.Is(err, zkerrors.ErrNoNode) {
		return real, err
	}
	parent, _ := split(path)
	if o.Sequence && strings.HasSuffix(path, "/") {
		parent = strings.TrimRight(path, "/")
	}
	if err := c.EnsurePath(parent); err != nil {
		return "", err
	}
	return c.session.Create(p, data, o.Ephemeral, o.Sequence)
}

// EnsurePath makes the znode at path and its missing parents, empty and persistent
// (client.py:1064). One that exists is no error. A path that ends in a slash gets no
// parents made: kazoo splits off an empty name there and creates at once (ZK-16.2).
func (c *Client) EnsurePath(path string) error {
	p, err := Normalize(path, false)
	if err != nil {
		return err
	}
	stat, err := c.session.Exists(p, nil)
	if err != nil || stat != nil {
		return err
	}
	if parent, name := split(path); name != "" {
		if err := c.EnsurePath(parent); err != nil {
			return err
		}
	}
	_, err = c.session.Create(p, []byte{}, false, false)
	if errors.Is(err, zkerrors.ErrNodeExists) {
		return nil
	}
	return err
}

// Set replaces the data; version -1 matches any, and another one than the znode's is
// BadVersion.
func (c *Client) Set(path string, data []byte, version int32) error {
	p, err := Normalize(path, false)
	if err != nil {
		return err
	}
	return c.session.Set(p, data, version)
}

// Get reads data and stat; a missing znode is NoNode.
func (c *Client) Get(path string) ([]byte, env.Stat, error) { return c.get(path, nil) }

func (c *Client) get(path string, watch env.Watcher) ([]byte, env.Stat, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, env.Stat{}, err
	}
	return c.session.Get(p, watch)
}

// Exists returns the stat, nil for a missing znode.
func (c *Client) Exists(path string) (*env.Stat, error) { return c.exists(path, nil) }

func (c *Client) exists(path string, watch env.Watcher) (*env.Stat, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return c.session.Exists(p, watch)
}

// Children lists the names of the children in the order in which the server answers
// them.
func (c *Client) Children(path string) ([]string, error) { return c.children(path, nil) }

func (c *Client) children(path string, watch env.Watcher) ([]string, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return c.session.Children(p, watch)
}

// childrenNames is children in blocks, where the session has them so.
func (c *Client) childrenNames(path string, watch env.Watcher) (*bulk.Names, error) {
	session, ok := c.session.(bulk.NamesLister)
	if !ok {
		children, err := c.children(path, watch)
		if err != nil {
			return nil, err
		}
		return bulk.NamesOf(children), nil
	}
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return session.ChildrenNames(p, watch)
}

// Delete removes a znode. The recursive form removes what is below it first and goes
// on when something is gone already, so that a missing znode is no error
// (client.py:1511).
func (c *Client) Delete(path string, o env.DeleteOptions) error {
	if o.Recursive {
		return c.deleteTree(path)
	}
	p, err := Normalize(path, false)
	if err != nil {
		return err
	}
	return c.session.Delete(p, o.Version)
}

func (c *Client) deleteTree(path string) error {
	children, err := c.Children(path)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := c.deleteTree(strings.TrimSuffix(path, "/") + "/" + child); err != nil {
			return err
		}
	}
	err = c.Delete(path, env.AnyVersion)
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil
	}
	return err
}

var _ env.ZooKeeper = (*Client)(nil)
