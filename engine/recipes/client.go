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

// Client implements kazoo's KazooClient on top of a session. It is an env.ZooKeeper, whose
// documentation has the contracts of the methods.
type Client struct {
	// MaxPause is the longest pause of Retry; 0 means the longest pause of [CommandRetry].
	MaxPause time.Duration

	e         *env.Env
	session   env.ZooKeeperSession
	listeners listeners
	families  []*family
	// fed is the first family whose reads the session may make by itself, with a [bulk.Feed].
	// fedParents lists the parents of all such families.
	fed        *family
	fedParents []string
}

// listeners are called at each change of the session's state, in the order in which they were
// added. A listener is given as a ref: a member of a family, or, with family 0, an index in alone.
type listeners struct {
	refs  []ref
	alone []*listener
	free  []uint32 // places in alone
}

type listener struct {
	fn func(env.SessionState) bool
	at ref
}

// New makes a client for the process of e. The session must not be started, and belongs to the
// client from then on.
func New(e *env.Env, session env.ZooKeeperSession) *Client {
	c := &Client{e: e, session: session}
	session.OnState(c.tell)
	return c
}

// Start connects (client.py:567). A limit of 0 means 15 s. After the limit it stops the client and
// returns ConnectionTimeout.
func (c *Client) Start(limit time.Duration) error {
	limit = cmp.Or(limit, 15*time.Second)
	return c.session.Start(limit)
}

// Stop ends the session on the server. It waits for running callbacks, for 10 s or the session
// timeout at most. A stopped client can be started again.
func (c *Client) Stop() { c.session.Stop() }

// Restart calls Stop and then Start(0) (client.py:644).
func (c *Client) Restart() error {
	c.Stop()
	return c.Start(0)
}

// Close frees the resources of the session. The client cannot be used afterwards.
func (c *Client) Close() { c.session.Close() }

// State returns the state that kazoo tells its listeners: Connected, Suspended or Lost.
func (c *Client) State() env.SessionState { return c.session.State() }

// AddListener makes the client call fn at every change of State, on the connection task. A function
// that returns true is removed.
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

// tell calls the listeners with a new state. It works on a copy of the list, because a listener may
// remove itself (client.py:519).
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

// Retry calls fn, and repeats the call by the policy [CommandRetry] as long as it fails with an
// error that may pass (see [MayPass]).
func (c *Client) Retry(fn func() error) error {
	policy := CommandRetry()
	policy.MaxDelay = cmp.Or(c.MaxPause, policy.MaxDelay)
	return policy.Run(c.e, fn)
}

// Create creates a znode and returns its path, which includes the number of a sequential znode.
// With MakePath it makes missing parents and then tries the create once more (client.py:1021-1047).
// The server itself makes only one level (ZK-6.5).
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

// EnsurePath creates the znode and its missing parents, empty and persistent (client.py:1064). It
// is no error if the znode exists. If the path ends with a slash, it creates no parents: kazoo then
// takes the empty name after the slash for the znode, and creates it at once (ZK-16.2).
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

// Set replaces a znode's data. Version -1 matches any version; a version other than the znode's is
// BadVersion.
func (c *Client) Set(path string, data []byte, version int32) error {
	p, err := Normalize(path, false)
	if err != nil {
		return err
	}
	return c.session.Set(p, data, version)
}

// Get returns the data and the stat of a znode. A missing znode is NoNode.
func (c *Client) Get(path string) ([]byte, env.Stat, error) { return c.get(path, nil) }

func (c *Client) get(path string, watch env.Watcher) ([]byte, env.Stat, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, env.Stat{}, err
	}
	return c.session.Get(p, watch)
}

// Exists returns the stat of a znode, or nil if the znode is missing.
func (c *Client) Exists(path string) (*env.Stat, error) { return c.exists(path, nil) }

func (c *Client) exists(path string, watch env.Watcher) (*env.Stat, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return c.session.Exists(p, watch)
}

// Children returns the names of the children in the server's order.
func (c *Client) Children(path string) ([]string, error) { return c.children(path, nil) }

func (c *Client) children(path string, watch env.Watcher) ([]string, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return c.session.Children(p, watch)
}

// childrenNames lists the children as blocks of names, if the session supports that.
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

// Delete removes a znode. With Recursive it first removes everything below the znode. Then a znode
// that is already gone is no error, not even the one that is to be deleted (client.py:1511).
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
