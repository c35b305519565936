package recipes

import (
	"cmp"
	"errors"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// DataWatches watches the data of a znode's children, with one function for all of them.
type DataWatches interface {
	// Watch watches the data of children, as ZooKeeper.DataWatch does for each path in the order of
	// the names. It skips a child that it has watched before, even if that watch has ended. It
	// stops at the first error, but the child that has the error counts as watched. The caller must
	// not change names afterwards.
	Watch(names []string) error
	// WatchAgain works as Watch, but a child that was watched before gets another watch in
	// addition.
	WatchAgain(names []string) error
}

// ChildDataFunc works as a DataFunc, and also gets the path of the child that the data belongs to.
type ChildDataFunc func(path string, data []byte, stat *env.Stat, event *env.WatchEvent) error

// Usual says which calls of a ChildDataFunc only store their arguments. Such a call does not wait,
// does not call env, and returns no error, so that a simulated session may make it without waking
// the task.
type Usual struct {
	// Data reports whether a call with this data only stores its arguments. The result depends only
	// on the arguments.
	Data func(path string, data []byte) bool
	// Ready reports whether a call only stores its arguments in the present state of the process.
	// Only tasks of the process can change the result.
	Ready func() bool
}

// NewDataWatches makes the data watches for a znode's children, and watches none of them yet. usual
// says which calls of told only store their arguments; nil stands for none.
func NewDataWatches(zk env.ZooKeeper, parent string, told ChildDataFunc, usual *Usual) DataWatches {
	if c, ok := zk.(*Client); ok {
		if p, err := Normalize(parent, false); err == nil && p == parent && len(c.families) < maxFamily {
			return c.newFamily(parent, told, usual)
		}
	}
	return &plainDataWatches{zk: zk, prefix: bulk.PrefixOf(parent), told: told, watched: map[string]bool{}}
}

// plainDataWatches implements DataWatches by a separate data watch for each child.
type plainDataWatches struct {
	zk      env.ZooKeeper
	prefix  string
	told    ChildDataFunc
	watched map[string]bool
}

func (w *plainDataWatches) Watch(names []string) error { return w.watch(names, false) }

func (w *plainDataWatches) WatchAgain(names []string) error { return w.watch(names, true) }

func (w *plainDataWatches) watch(names []string, again bool) error {
	for _, name := range names {
		if w.watched[name] && !again {
			continue
		}
		w.watched[name] = true
		if err := watchAlone(w.zk, w.prefix+name, w.told); err != nil {
			return err
		}
	}
	return nil
}

// watchAlone sets a separate data watch for one child.
func watchAlone(zk env.ZooKeeper, path string, told ChildDataFunc) error {
	_, err := zk.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		return told(path, data, stat, event)
	})
	return err
}

// family implements [DataWatches] for the children of one znode, in little memory. An agent of
// version 1 has a data watch for each replica of each model in the cluster. So the fields of a
// [dataWatch] are stored here as bits and numbers: some 17 bytes for each watch, including its part
// in [Watches].
type family struct {
	c     *Client
	index uint32 // number among the client's families, from 1
	fn    ChildDataFunc
	usual *Usual // nil for none
	names *bulk.Numbers
	busy  int // number of tasks that read a member by themselves

	// fed says that the session may make the reads without waking the task ([bulk.Feed]).
	fed    bool
	is     memberFlags
	mzxids []int64 // last mzxid of each member by its number; 0 if the znode was missing
	// waited holds the lock of each member for which one task waits while another one reads it.
	waited map[uint32]*memberLock
}

// memberFlags has a byte of flags for each member, by the member's number. Together they take
// little memory.
type memberFlags []uint8

const (
	flagBegun   uint8 = 1 << iota // the member is watched, or was
	flagStopped                   // the member is no longer watched
	flagCalled                    // the function was called for the member
	flagExists                    // the member's znode existed when it was read last
	flagReading                   // a task is reading the member
	flagWaiting                   // the member's watch waits for an event in [Watches]
)

func (m memberFlags) has(i uint32, flag uint8) bool { return int(i) < len(m) && m[i]&flag != 0 }

func (m *memberFlags) set(i uint32, flag uint8, is bool) {
	switch now := m.at(i); {
	case is:
		setAt((*[]uint8)(m), i, now|flag)
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

// clear clears a flag for all members.
func (m memberFlags) clear(flag uint8) {
	for i := range m {
		m[i] &^= flag
	}
}

// memberLock is the lock of one member. It exists only from the first task that waits for it until
// no task uses it.
type memberLock struct {
	lock  *threading.Lock
	users int
}

// member identifies one watch of a family. Equal values identify the same watch.
type member struct {
	of     *family
	number uint32
}

// newFamily makes a family for the children of parent. The path parent must be in canonical form.
func (c *Client) newFamily(parent string, told ChildDataFunc, usual *Usual) *family {
	f := &family{c: c, fn: told, usual: usual, names: c.numbers(parent), index: uint32(len(c.families) + 1)}
	c.families = append(c.families, f)
	if usual != nil && (c.fed == nil || kindOf(c.fed.usual.Data) == kindOf(usual.Data)) {
		c.fed = cmp.Or(c.fed, f)
		c.fedParents = append(c.fedParents, parent)
		f.fed = true
	}
	return f
}

// numbers returns the numbering of a znode's children. All clients share it if the session supports
// that.
func (c *Client) numbers(parent string) *bulk.Numbers {
	if session, ok := c.session.(bulk.Numberer); ok {
		return session.Numbers(parent)
	}
	prefix := bulk.PrefixOf(parent)
	for _, f := range c.families {
		if f.names.Prefix() == prefix {
			return f.names
		}
	}
	return bulk.NewNumbers(parent)
}

func (f *family) Watch(names []string) error {
	var first *feeding
	if f.fed {
		first = f.firstReads(names)
	}
	for _, number := range f.names.Of(names) {
		if f.is.has(number, flagBegun) {
			continue
		}
		if first != nil && first.goOn() {
			if first.err != nil {
				return first.err
			}
			if f.is.has(number, flagBegun) {
				continue
			}
		}
		if err := f.watchFirst(number); err != nil {
			return err
		}
	}
	return nil
}

func (f *family) WatchAgain(names []string) error {
	begun := func(name string) bool {
		number, ok := f.names.Find(name)
		return ok && f.is.has(number, flagBegun)
	}
	for len(names) > 0 {
		if begun(names[0]) {
			if err := watchAlone(f.c, f.names.Prefix()+names[0], f.fn); err != nil {
				return err
			}
			names = names[1:]
			continue
		}
		fresh := slices.IndexFunc(names, begun)
		if fresh < 0 {
			fresh = len(names)
		}
		if err := f.Watch(names[:fresh]); err != nil {
			return err
		}
		names = names[fresh:]
	}
	return nil
}

// watchFirst begins to watch a child.
func (f *family) watchFirst(number uint32) error {
	f.is.set(number, flagBegun, true)
	path := f.names.Path(number)
	if p, err := Normalize(path, false); err != nil || p != path || number >= maxMembers {
		return watchAlone(f.c, path, f.fn)
	}
	f.c.listeners.add(refOf(f.index, number))
	return f.read(number, nil)
}

// Notify reads the member's data again after an event.
func (m member) Notify(event env.WatchEvent) {
	m.of.c.logged(m.of.names.Path(m.number), m.of.read(m.number, &event))
}

// sessionChanged reads the member's data again after a reconnect (watchers.py:222).
func (m member) sessionChanged(state env.SessionState) {
	if state == env.Connected {
		m.of.c.session.Spawn(m.again)
	}
}

func (m member) again() { m.of.c.logged(m.of.names.Path(m.number), m.of.read(m.number, nil)) }

// read reads a member's data, as the read of a [dataWatch] does.
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

// answered is the second part of read, after the first attempt to read has succeeded or failed.
func (f *family) answered(number uint32, data []byte, found *env.Stat, err error, event *env.WatchEvent) error {
	last := f.lastSeen(number)
	data, stat, told, err := f.c.fetched(f.names.Path(number), member{f, number}, &last, data, found, err)
	if err != nil {
		return ignoreClosed(err)
	}
	return f.took(number, last, told, data, stat, event)
}

// lastSeen returns what the last read of a member has found.
func (f *family) lastSeen(number uint32) seen {
	return seen{called: f.is.has(number, flagCalled), exists: f.is.has(number, flagExists), mzxid: f.mzxid(number)}
}

func (f *family) mzxid(number uint32) int64 {
	if int(number) < len(f.mzxids) {
		return f.mzxids[number]
	}
	return 0
}

// took records what a read has found. If told is true, it calls the family's function.
func (f *family) took(number uint32, last seen, told bool, data []byte, stat *env.Stat, event *env.WatchEvent) error {
	f.is.set(number, flagCalled, last.called)
	f.is.set(number, flagExists, last.exists)
	setAt(&f.mzxids, number, last.mzxid)
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

// lock locks a member. Members are many, and tasks seldom wait for one, so a lock for which nobody
// waits is only a flag.
func (f *family) lock(number uint32) {
	l := f.waited[number]
	switch {
	case l == nil && !f.is.has(number, flagReading):
		f.is.set(number, flagReading, true)
		return
	case l == nil:
		l = &memberLock{lock: threading.NewLock(f.c.e.Tasks, lockOfDataWatch+f.names.Path(number)), users: 1}
		l.lock.Lock() // takes the lock on behalf of the task that is reading the member now
		if f.waited == nil {
			f.waited = map[uint32]*memberLock{}
		}
		f.waited[number] = l
	}
	l.users++
	locked := false
	defer func() {
		if !locked {
			l.users-- // the task that held the lock has unwound
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

var _ env.Watcher = member{}
