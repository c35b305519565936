package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/threading"
)

// family is the data watches of the children of one znode. An agent of version 1 has one
// for each replica of each model in the cluster, so that what a [dataWatch] has in fields
// is here in bits and numbers: some 13 bytes a watch, with those in [Watches].
type family struct {
	c     *Client
	index uint32 // among the client's families, from 1
	fn    zkbulk.ChildDataFunc
	names *env.Names

	begun, stopped, called, exist bits
	mzxids                        zxids
	// running are the locks of the members that are being read.
	running map[uint32]*memberLock
	// waiting are the members that wait for an event, of [Watches].
	waiting bits
}

// memberLock is the lock of one member while somebody has it or waits for it.
type memberLock struct {
	lock  *threading.Lock
	users int
}

// member is one watch of a family. Two values of one watch are equal.
type member struct {
	of     *family
	number uint32
}

// NewDataWatches makes data watches of the children of a znode, of which none is watched
// yet. The znode's path is to be in the form that is sent; else they are a watch each.
func (c *Client) NewDataWatches(parent string, fn zkbulk.ChildDataFunc) zkbulk.DataWatches {
	if p, err := Normalize(parent, false); err != nil || p != parent || len(c.families) == maxFamily {
		return zkbulk.PlainDataWatches(c, parent, fn)
	}
	f := &family{c: c, fn: fn, names: c.names(parent), index: uint32(len(c.families) + 1)}
	f.mzxids.names = f.names
	c.families = append(c.families, f)
	return f
}

// names numbers the children of a znode: for all processes of the world where there is
// one, else for the client.
func (c *Client) names(parent string) *env.Names {
	if c.e.Shared != nil {
		return c.e.Shared.Names(parent)
	}
	own := env.NewNames(parent)
	for _, f := range c.families {
		if f.names.Prefix() == own.Prefix() {
			return f.names
		}
	}
	return own
}

// Watch watches the children that it has not watched before.
func (f *family) Watch(names []string) error {
	for _, number := range f.names.Of(names) {
		if f.begun.has(number) {
			continue
		}
		f.begun.set(number, true)
		path := f.names.Path(number)
		if p, err := Normalize(path, false); err != nil || p != path || number >= maxMembers {
			if err := f.watchAlone(path); err != nil {
				return err
			}
			continue
		}
		f.c.listeners.add(refOf(f.index, number))
		if err := f.read(number, nil); err != nil {
			return err
		}
	}
	return nil
}

// watchAlone makes a watch of its own for a path that is sent in another form.
func (f *family) watchAlone(path string) error {
	_, err := f.c.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		return f.fn(path, data, stat, event)
	})
	return err
}

// Notify reads again after an event.
func (m member) Notify(event env.WatchEvent) {
	m.of.c.logged(m.of.names.Path(m.number), m.of.read(m.number, &event))
}

// sessionChanged reads again after a reconnect (watchers.py:222).
func (m member) sessionChanged(state env.SessionState) {
	if state == env.Connected {
		m.of.c.session.Spawn(m.again)
	}
}

func (m member) again() { m.of.c.logged(m.of.names.Path(m.number), m.of.read(m.number, nil)) }

// read is that of a [dataWatch].
func (f *family) read(number uint32, event *env.WatchEvent) error {
	unlock := f.lock(number)
	defer unlock()
	if f.stopped.has(number) {
		return nil
	}
	path, m := f.names.Path(number), member{f, number}
	last := seen{called: f.called.has(number), exists: f.exist.has(number), mzxid: f.mzxids.get(number)}
	data, stat, told, err := f.c.fetch(path, m, &last, m.again)
	if err != nil {
		return ignoreClosed(err)
	}
	f.called.set(number, last.called)
	f.exist.set(number, last.exists)
	f.mzxids.set(number, last.mzxid)
	if !told {
		return nil
	}
	err = f.fn(path, data, stat, event)
	if errors.Is(err, env.ErrStopWatching) {
		f.stopped.set(number, true)
		f.c.listeners.remove(refOf(f.index, number))
		return nil
	}
	return err
}

// lock takes the lock of a member, which is made for as long as somebody wants it.
func (f *family) lock(number uint32) (unlock func()) {
	l := f.running[number]
	if l == nil {
		l = &memberLock{lock: threading.NewLock(f.c.e.Tasks, lockOfDataWatch+f.names.Path(number))}
		if f.running == nil {
			f.running = map[uint32]*memberLock{}
		}
		f.running[number] = l
	}
	l.users++
	locked := false
	defer func() {
		if !locked {
			l.users-- // its task has unwound
		}
	}()
	l.lock.Lock()
	locked = true
	return func() {
		if l.users--; l.users == 0 {
			if delete(f.running, number); len(f.running) == 0 {
				f.running = nil
			}
		}
		l.lock.Unlock()
	}
}

var (
	_ env.Watcher             = member{}
	_ zkbulk.DataWatchesMaker = (*Client)(nil)
)
