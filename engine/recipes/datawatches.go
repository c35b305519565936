package recipes

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// family is the data watches of the children of one znode. An agent of version 1 has one
// for each replica of each model in the cluster, so that what a [dataWatch] has in fields
// is here in bits and numbers: some 13 bytes a watch, with those in [Watches].
type family struct {
	c     *Client
	index uint32 // among the client's families, from 1
	fn    zkbulk.ChildDataFunc
	usual *zkbulk.Usual // nil for none
	names *env.Names
	busy  int // tasks that read a member by themselves

	// fed says that the session may make the reads.
	fed    bool
	is     memberFlags
	mzxids zxids
	// waited are the members that a task reads and for which another one waits, with the
	// lock that it waits for.
	waited map[uint32]*memberLock
}

// memberFlags is what members are, by their numbers: a byte each, so that all that is asked
// of one lies together.
type memberFlags []uint8

const (
	flagBegun   uint8 = 1 << iota // is watched, or was
	flagStopped                   // is watched no more
	flagCalled                    // its function was called
	flagExists                    // its znode was there when it was read last
	flagReading                   // is read by a task
	flagWaiting                   // waits for an event, of [Watches]
)

func (m memberFlags) has(i uint32, flag uint8) bool { return int(i) < len(m) && m[i]&flag != 0 }

func (m *memberFlags) set(i uint32, flag uint8, is bool) {
	switch now := m.at(i); {
	case is:
		setByte((*[]uint8)(m), i, now|flag)
	case now&flag != 0:
		(*m)[i] = now &^ flag
	}
}

func (m memberFlags) at(i uint32) uint8 {
	if int(i) < len(m) {
		return m[i]
	}
	return 0
}

// clear makes none of the members that.
func (m memberFlags) clear(flag uint8) {
	for i := range m {
		m[i] &^= flag
	}
}

// memberLock is the lock of one member from when on somebody has waited for it until
// nobody has it.
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
func (c *Client) NewDataWatches(parent string, fn zkbulk.ChildDataFunc, usual *zkbulk.Usual) zkbulk.DataWatches {
	if p, err := Normalize(parent, false); err != nil || p != parent || len(c.families) == maxFamily {
		return zkbulk.PlainDataWatches(c, parent, fn)
	}
	f := &family{c: c, fn: fn, usual: usual, names: c.names(parent), index: uint32(len(c.families) + 1)}
	f.mzxids.names = f.names
	c.families = append(c.families, f)
	if usual != nil && (c.fed == nil || c.fed.usual.Kind == usual.Kind) {
		if c.fed == nil {
			c.fed = f
		}
		c.fedParents = append(c.fedParents, parent)
		f.fed = true
	}
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
	_, err := f.WatchWhile(names, always)
	return err
}

func always() bool { return true }

// WatchWhile is Watch up to a child before which goOn says no.
func (f *family) WatchWhile(names []string, goOn func() bool) (watched int, err error) {
	var first *feeding
	if f.fed {
		first = f.firstReads(names, goOn)
	}
	for i, number := range f.names.Of(names) {
		if f.is.has(number, flagBegun) {
			continue
		}
		if first != nil && first.goOn() {
			if first.err != nil {
				return i + 1, first.err
			}
			if f.is.has(number, flagBegun) {
				continue
			}
		}
		if !goOn() {
			return i, nil
		}
		if err := f.watchFirst(number); err != nil {
			return i + 1, err
		}
	}
	return len(names), nil
}

// watchFirst begins to watch a child.
func (f *family) watchFirst(number uint32) error {
	f.is.set(number, flagBegun, true)
	path := f.names.Path(number)
	if p, err := Normalize(path, false); err != nil || p != path || number >= maxMembers {
		return f.watchAlone(path)
	}
	f.c.listeners.add(refOf(f.index, number), f.names)
	return f.read(number, nil)
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
	f.busy++
	defer func() { f.busy-- }()
	f.lock(number)
	defer f.unlock(number)
	if f.is.has(number, flagStopped) {
		return nil
	}
	data, found, err := f.c.get(f.names.Path(number), member{f, number})
	return f.answered(number, data, &found, err, event)
}

// answered goes on with a read that was answered, or has failed.
func (f *family) answered(number uint32, data []byte, found *env.Stat, err error, event *env.WatchEvent) error {
	last := f.lastSeen(number)
	data, stat, told, err := f.c.fetched(f.names.Path(number), member{f, number}, &last, data, found, err)
	if err != nil {
		return ignoreClosed(err)
	}
	return f.took(number, last, told, data, stat, event)
}

// lastSeen is what was seen of a member when it was read last.
func (f *family) lastSeen(number uint32) seen {
	return seen{called: f.is.has(number, flagCalled), exists: f.is.has(number, flagExists), mzxid: f.mzxids.get(number)}
}

// took notes what was seen, and tells it when it is to be told.
func (f *family) took(number uint32, last seen, told bool, data []byte, stat *env.Stat, event *env.WatchEvent) error {
	f.is.set(number, flagCalled, last.called)
	f.is.set(number, flagExists, last.exists)
	f.mzxids.set(number, last.mzxid)
	if !told {
		return nil
	}
	err := f.fn(f.names.Path(number), data, stat, event)
	if errors.Is(err, env.ErrStopWatching) {
		f.is.set(number, flagStopped, true)
		f.c.listeners.remove(refOf(f.index, number))
		return nil
	}
	return err
}

// lock takes the lock of a member. There are many, and seldom does one wait for another.
func (f *family) lock(number uint32) {
	l := f.waited[number]
	switch {
	case l == nil && !f.is.has(number, flagReading):
		f.is.set(number, flagReading, true)
		return
	case l == nil:
		l = &memberLock{lock: threading.NewLock(f.c.e.Tasks, lockOfDataWatch+f.names.Path(number)), users: 1}
		l.lock.Lock() // on behalf of the one that has it
		if f.waited == nil {
			f.waited = map[uint32]*memberLock{}
		}
		f.waited[number] = l
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
}

func (f *family) unlock(number uint32) {
	l := f.waited[number]
	if l == nil {
		f.is.set(number, flagReading, false)
		return
	}
	if l.users--; l.users == 0 {
		delete(f.waited, number)
		f.is.set(number, flagReading, false)
	}
	l.lock.Unlock()
}

var (
	_ env.Watcher             = member{}
	_ zkbulk.DataWatchesMaker = (*Client)(nil)
)
