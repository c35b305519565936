package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// dataWatch implements kazoo's DataWatch (watchers.py:43).
type dataWatch struct {
	c        *Client
	path     string
	fn       env.DataFunc
	listener *listener
	running  *threading.Lock
	seen     seen
}

// seen is what a data watch remembers between two reads.
type seen struct {
	stopped bool
	called  bool
	exists  bool
	mzxid   int64 // 0 if the znode was missing
}

// DataWatch calls fn with a znode's data now and after each change, also when the znode appears or
// disappears. It ends when fn returns ErrStopWatching. It returns the error of the first read or
// call; later errors are logged.
func (c *Client) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	w := &dataWatch{c: c, path: path, fn: fn, running: threading.NewLock(c.e.Tasks, lockOfDataWatch+path)}
	w.listener = c.addListener(w.sessionChanged)
	return w, w.read(nil)
}

const lockOfDataWatch = "data watch of "

// Stopped reports whether fn will never be called again.
func (w *dataWatch) Stopped() bool { return w.seen.stopped }

// Notify reads the data again after an event.
func (w *dataWatch) Notify(event env.WatchEvent) { w.c.logged(w.path, w.read(&event)) }

// sessionChanged reads the data again after a reconnect (watchers.py:222).
func (w *dataWatch) sessionChanged(state env.SessionState) bool {
	if state == env.Connected {
		w.c.session.Spawn(w.again)
	}
	return false
}

func (w *dataWatch) again() { w.c.logged(w.path, w.read(nil)) }

func (w *dataWatch) read(event *env.WatchEvent) error {
	w.running.Lock()
	defer w.running.Unlock()
	if w.seen.stopped {
		return nil
	}
	data, stat, told, err := w.c.fetch(w.path, w, &w.seen)
	if err != nil || !told {
		return ignoreClosed(err)
	}
	err = w.fn(data, stat, event)
	if errors.Is(err, env.ErrStopWatching) {
		w.seen.stopped = true
		w.c.removeListener(w.listener)
		return nil
	}
	return err
}

// fetch reads the data and sets the next watch. told says that the znode's mzxid differs from the
// last one, so that the watch's function has to be called (watchers.py:176-214, ZK-15.16). A
// missing znode is watched by exists. If the znode has appeared in the meantime, told is false, and
// a new task reads again.
func (c *Client) fetch(path string, w rereader, last *seen) (data []byte, stat *env.Stat, told bool, err error) {
	data, found, err := c.get(path, w)
	return c.fetched(path, w, last, data, &found, err)
}

// fetched is the second part of fetch, after its first attempt to read.
func (c *Client) fetched(path string, w rereader, last *seen, data []byte, found *env.Stat, err error) (_ []byte, stat *env.Stat, told bool, _ error) {
	if err == nil {
		stat = found
	} else if MayPass(err) {
		data, stat, err = c.getAgain(path, w, err)
	}
	if errors.Is(err, zkerrors.ErrNoNode) {
		err = RecipeRetry().Run(c.e, func() error {
			var err error
			stat, err = c.exists(path, w)
			return err
		})
		if err == nil && stat != nil {
			c.session.Spawn(w.again)
			return nil, nil, false, nil
		}
	}
	if err != nil {
		return nil, nil, false, err
	}
	return data, stat, last.sees(stat), nil
}

// sees records the stat that was read, nil for a missing znode. It reports whether the watch's
// function has to be called.
func (s *seen) sees(stat *env.Stat) (told bool) {
	before := *s
	s.called, s.exists, s.mzxid = true, stat != nil, 0
	if stat != nil {
		s.mzxid = stat.Mzxid
	}
	return !before.called || before != *s
}

// rereader is a watcher with a method that reads the data once more.
type rereader interface {
	env.Watcher
	again()
}

// getAgain repeats a read whose first attempt has failed with the given error.
func (c *Client) getAgain(path string, w env.Watcher, failed error) (data []byte, stat *env.Stat, err error) {
	err = RecipeRetry().Run(c.e, func() error {
		if err := failed; err != nil {
			failed = nil
			return err
		}
		d, s, err := c.get(path, w)
		if err == nil {
			data, stat = d, &s
		}
		return err
	})
	return data, stat, err
}

// ignoreClosed drops the error that the client was closed (watchers.py:26). It returns other errors
// unchanged.
func ignoreClosed(err error) error {
	if errors.Is(err, zkerrors.ErrConnectionClosed) {
		return nil
	}
	return err
}

// logged logs the error of a callback, as kazoo's handler thread does before it continues.
func (c *Client) logged(path string, err error) {
	if err != nil && c.e.Log != nil {
		c.e.Log.Logf(env.Error, "exception in watch of %s: %v", path, err)
	}
}

var _ env.Watcher = (*dataWatch)(nil)
