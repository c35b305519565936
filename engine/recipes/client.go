package recipes

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Client is kazoo's KazooClient over a session.
type Client struct {
	e         *env.Env
	session   env.ZooKeeperSession
	listeners []*listener
}

type listener struct{ fn func(env.SessionState) bool }

// New makes a client of the process that e belongs to.
func New(e *env.Env, session env.ZooKeeperSession) *Client {
	c := &Client{e: e, session: session}
	session.OnState(c.tell)
	return c
}

// Start connects (client.py:567). After a failure the client is stopped.
func (c *Client) Start(limit time.Duration) error {
	if limit == 0 {
		limit = 15 * time.Second
	}
	return c.session.Start(limit)
}

// Stop ends the session.
func (c *Client) Stop() { c.session.Stop() }

// Restart is Stop and Start (client.py:644).
func (c *Client) Restart() error {
	c.Stop()
	return c.Start(0)
}

// Close frees the client.
func (c *Client) Close() { c.session.Close() }

// State is kazoo's simplified state.
func (c *Client) State() env.SessionState { return c.session.State() }

// AddListener adds a listener of the state.
func (c *Client) AddListener(fn func(env.SessionState) bool) { c.addListener(fn) }

func (c *Client) addListener(fn func(env.SessionState) bool) *listener {
	l := &listener{fn}
	c.listeners = append(c.listeners, l)
	return l
}

func (c *Client) removeListener(l *listener) {
	if i := slices.Index(c.listeners, l); i >= 0 {
		c.listeners = slices.Delete(slices.Clone(c.listeners), i, i+1)
	}
}

// tell calls the listeners on a copy: one may remove itself (client.py:519).
func (c *Client) tell(state env.SessionState) {
	for _, l := range slices.Clone(c.listeners) {
		if l.fn(state) {
			c.removeListener(l)
		}
	}
}

// Retry runs fn by the command policy.
func (c *Client) Retry(fn func() error) error { return CommandRetry().Run(c.e, fn) }

// Create makes a znode. With MakePath a missing parent is made and the create
// tried once more (client.py:1021-1047).
func (c *Client) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	p, err := Normalize(path, o.Sequence)
	if err != nil {
		return "", err
	}
	real, err := c.session.Create(p, data, o.Ephemeral, o.Sequence)
	if !o.MakePath || !errors.Is(err, env.ErrNoNode) {
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

// EnsurePath makes the path and its missing parents (client.py:1064). A path
// that ends in a slash gets no parents made: kazoo splits off an empty name
// there and creates at once.
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
	if errors.Is(err, env.ErrNodeExists) {
		return nil
	}
	return err
}

// Set replaces the data.
func (c *Client) Set(path string, data []byte, version int32) (env.Stat, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return env.Stat{}, err
	}
	return c.session.Set(p, data, version)
}

// Get reads the data.
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

// Children lists the names of the children in the server's order.
func (c *Client) Children(path string) ([]string, error) { return c.children(path, nil) }

func (c *Client) children(path string, watch env.Watcher) ([]string, error) {
	p, err := Normalize(path, false)
	if err != nil {
		return nil, err
	}
	return c.session.Children(p, watch)
}

// Delete removes a znode; the recursive form goes on when something is gone
// already (client.py:1511).
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
	if errors.Is(err, env.ErrNoNode) {
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
	if errors.Is(err, env.ErrNoNode) {
		return nil
	}
	return err
}

// NewReads makes the session's own reads where it has some and knows all paths as
// they are sent.
func (c *Client) NewReads(paths []string) env.Reads {
	session, ok := c.session.(env.ReadsMaker)
	if !ok {
		return env.PlainReads(c, paths)
	}
	sent := make([]string, len(paths))
	for i, path := range paths {
		var err error
		if sent[i], err = Normalize(path, false); err != nil {
			return env.PlainReads(c, paths)
		}
	}
	return session.NewReads(sent)
}

var _ env.ReadsMaker = (*Client)(nil)
var _ env.ZooKeeper = (*Client)(nil)
