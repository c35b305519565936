package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// childrenWatch implements kazoo's ChildrenWatch (watchers.py:228).
type childrenWatch struct {
	c        *Client
	path     string
	list     func(path string, watch env.Watcher) (*bulk.Names, error)
	fn       func(*bulk.Names) error
	listener *listener
	running  *threading.Lock
	stopped  bool
	// established says whether the connection has lasted since the last read.
	established bool
	prior       *bulk.Names // nil before the first read
}

// ChildrenWatch calls fn with the children now and after each change of them. It ends when fn
// returns ErrStopWatching, or when the znode is missing. It returns the error of the first read or
// call; later errors are logged.
func (c *Client) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	list := func(path string, watch env.Watcher) (*bulk.Names, error) {
		children, err := c.children(path, watch)
		if err != nil {
			return nil, err
		}
		return bulk.NamesOf(children), nil
	}
	return c.childrenWatch(path, list, func(names *bulk.Names) error { return fn(names.List()) })
}

func (c *Client) childrenWatch(path string, list func(path string, watch env.Watcher) (*bulk.Names, error), fn func(*bulk.Names) error) (env.Watch, error) {
	w := &childrenWatch{c: c, path: path, list: list, fn: fn, running: threading.NewLock(c.e.Tasks, "children watch of "+path)}
	w.listener = c.addListener(w.sessionChanged)
	return w, w.read()
}

// Stopped reports whether fn will never be called again.
func (w *childrenWatch) Stopped() bool { return w.stopped }

// Notify reads the children again after an event. It ignores events about the session, which
// sessionChanged handles (watchers.py:366).
func (w *childrenWatch) Notify(event env.WatchEvent) {
	if event.Type != env.EventNone {
		w.c.logged(w.path, w.read())
	}
}

func (w *childrenWatch) sessionChanged(state env.SessionState) bool {
	switch {
	case state != env.Connected:
		w.established = false
	case !w.established && !w.stopped:
		w.c.session.Spawn(func() { w.c.logged(w.path, w.read()) })
	}
	return false
}

// read lists the children, sets the next watch, and calls fn. After a reconnect it does not call fn
// if nothing has changed (watchers.py:331-364).
func (w *childrenWatch) read() error {
	w.running.Lock()
	defer w.running.Unlock()
	if w.stopped {
		return nil
	}
	var names *bulk.Names
	err := w.c.Retry(func() error {
		var err error
		names, err = w.list(w.path, w)
		return err
	})
	if errors.Is(err, zkerrors.ErrNoNode) {
		w.stopped = true
		return nil
	}
	if err != nil {
		return ignoreClosed(err)
	}
	if !w.established {
		w.established = true
		if w.prior != nil && w.prior.SameAs(names) {
			return nil
		}
	}
	w.prior = names
	err = w.fn(names)
	if errors.Is(err, env.ErrStopWatching) {
		w.stopped = true
		w.c.removeListener(w.listener)
		return nil
	}
	return err
}

var _ env.Watcher = (*childrenWatch)(nil)
