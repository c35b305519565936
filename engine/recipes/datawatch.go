package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/threading"
)

// dataWatch is kazoo's DataWatch (watchers.py:43).
type dataWatch struct {
	c        *Client
	path     string
	fn       env.DataFunc
	listener *listener
	running  *threading.Lock
	stopped  bool
	called   bool
	hasZxid  bool
	mzxid    int64
}

// DataWatch calls fn with the data now and after each change of it, also when the
// znode appears or goes, until fn returns ErrStopWatching. The error is that of the
// first read or call; later ones are logged.
func (c *Client) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	w := &dataWatch{c: c, path: path, fn: fn, running: threading.NewLock(c.e.Tasks, "data watch of "+path)}
	w.listener = c.addListener(w.sessionChanged)
	return w, w.read(nil)
}

// Stopped reports whether fn will never be called again.
func (w *dataWatch) Stopped() bool { return w.stopped }

// Notify reads again after an event.
func (w *dataWatch) Notify(event env.WatchEvent) { w.c.logged(w.path, w.read(&event)) }

// sessionChanged reads again after a reconnect (watchers.py:222).
func (w *dataWatch) sessionChanged(state env.SessionState) bool {
	if state == env.Connected {
		w.c.session.Spawn(func() { w.c.logged(w.path, w.read(nil)) })
	}
	return false
}

// read gets the data, leaves the next watch, and calls fn when the znode's mzxid
// is not the one that fn was last told of (watchers.py:176-214, ZK-15.16).
func (w *dataWatch) read(event *env.WatchEvent) error {
	w.running.Lock()
	defer w.running.Unlock()
	if w.stopped {
		return nil
	}
	hadZxid, oldMzxid := w.hasZxid, w.mzxid
	data, stat, again, err := w.fetch()
	if err != nil || again {
		return ignoreClosed(err)
	}
	w.hasZxid, w.mzxid = stat != nil, 0
	if stat != nil {
		w.mzxid = stat.Mzxid
	}
	if w.called && hadZxid == w.hasZxid && oldMzxid == w.mzxid {
		return nil
	}
	w.called = true
	err = w.fn(data, stat, event)
	if errors.Is(err, env.ErrStopWatching) {
		w.stopped = true
		w.c.removeListener(w.listener)
		return nil
	}
	return err
}

// fetch reads with a watch; a missing znode is watched by exists. When it has
// appeared in between, again is true and a new read is under way.
func (w *dataWatch) fetch() (data []byte, stat *env.Stat, again bool, err error) {
	err = RecipeRetry().Run(w.c.e, func() error {
		d, s, err := w.c.get(w.path, w)
		if err == nil {
			data, stat = d, &s
		}
		return err
	})
	if !errors.Is(err, zkerrors.ErrNoNode) {
		return data, stat, false, err
	}
	err = RecipeRetry().Run(w.c.e, func() error {
		var err error
		stat, err = w.c.exists(w.path, w)
		return err
	})
	if err != nil || stat == nil {
		return nil, nil, false, err
	}
	w.c.session.Spawn(func() { w.c.logged(w.path, w.read(nil)) })
	return nil, nil, true, nil
}

// ignoreClosed drops the error of a client that was closed (watchers.py:26).
func ignoreClosed(err error) error {
	if errors.Is(err, zkerrors.ErrConnectionClosed) {
		return nil
	}
	return err
}

// logged is where the errors of callbacks end: kazoo's handler thread logs them
// and goes on.
func (c *Client) logged(path string, err error) {
	if err != nil && c.e.Log != nil {
		c.e.Log.Logf(env.Error, "exception in watch of %s: %v", path, err)
	}
}

var _ env.Watcher = (*dataWatch)(nil)
