package recipes

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// Watches holds the watchers that wait for events of a session. It also has the thread on which
// they are called, one after another.
type Watches struct {
	// Woken, if set, is called by the thread each time after it has waited for events.
	Woken func()

	data, children watchTable
	callbacks      callbacks
}

// NewWatches makes an empty set of watchers. The watchers will be called by a task that tasks
// starts.
func NewWatches(tasks env.Tasks) *Watches {
	w := &Watches{data: newWatchTable(), children: newWatchTable()}
	w.callbacks = callbacks{tasks: tasks, of: w}
	return w
}

// AddData adds a watcher that waits for the next event of a znode's data or existence. Adding it
// twice has no effect.
func (w *Watches) AddData(path string, watcher env.Watcher) { w.data.add(path, watcher) }

// AddChildren adds a watcher that waits for the next event of a znode's children, or for the
// znode's deletion. Adding it twice has no effect.
func (w *Watches) AddChildren(path string, watcher env.Watcher) { w.children.add(path, watcher) }

// Notify passes an event to the watchers that wait for it, and removes them (connection.py:311).
// Created and changed go to data watchers, child to children watchers, and deleted to both.
func (w *Watches) Notify(e env.WatchEvent) {
	if e.Type == env.EventCreated || e.Type == env.EventChanged {
		if m, ok := w.data.takeMember(e.Path); ok {
			w.callbacks.addMember(m, e.Type)
			return
		}
	}
	tell := func(watcher env.Watcher) { w.callbacks.add(watcher, e) }
	switch e.Type {
	case env.EventCreated, env.EventChanged:
		w.data.take(e.Path, tell)
	case env.EventDeleted:
		w.data.take(e.Path, tell)
		w.children.take(e.Path, tell)
	case env.EventChildrenChanged:
		w.children.take(e.Path, tell)
	}
}

// Tell passes an event to a single watcher, after the events that Notify has passed on before.
func (w *Watches) Tell(watcher env.Watcher, e env.WatchEvent) { w.callbacks.add(watcher, e) }

// Reset tells every watcher that the session has changed, and removes it (client.py:333). Recipes
// set new watches when they read again, because kazoo does not use setWatches (ZK-12.3).
func (w *Watches) Reset() {
	tell := func(watcher env.Watcher) { w.callbacks.add(watcher, env.WatchEvent{Type: env.EventNone}) }
	w.children.takeAll(tell)
	w.data.takeAll(tell)
}

// Join waits until the watchers have been called for all earlier events. If a watcher calls it,
// because it stops its own client, it does not wait for that watcher itself.
func (w *Watches) Join() { w.callbacks.join() }

// watchTable holds the watchers that wait for one kind of event, by path, in the order in which
// they were added. Adding and removing cost the same for any number of paths, because an agent of
// version 1 watches every replica of every model. A watcher that is a member of a family takes a
// single bit; any other has an entry.
type watchTable struct {
	byPath  map[string]uint32 // index in entries by path; nil while there are only a few
	entries []watched
	free    []uint32
	// families holds the families that have members in the table, with the prefixes of their paths.
	// byIndex finds a family by its index, and byPrefix by its prefix if there are many.
	families []prefixed
	byPrefix map[string]*family
	byIndex  []*family
	order    order
	live     int // number of entries of order that are still in use
}

// prefixed is a family with the prefix of its paths.
type prefixed struct {
	prefix string // ends with a slash
	f      *family
}

// watched is an entry: a path with its watchers, of which there is nearly always one. An unused
// entry has none.
type watched struct {
	path    string
	watcher env.Watcher
	more    []env.Watcher
}

func newWatchTable() watchTable {
	return watchTable{}
}

// add adds a watcher to a path. Adding it twice has no effect, as with kazoo's set.
func (t *watchTable) add(path string, w env.Watcher) {
	m, isMember := w.(member)
	isMember = isMember && t.admits(m.of)
	waiting, taken := m, isMember && m.of.is.has(m.number, flagWaiting)
	if !isMember {
		waiting, taken = t.memberAt(path)
	}
	switch at, ok := t.find(path); {
	case ok:
		t.entries[at].add(w)
	case taken && w == waiting:
	case taken:
		t.entries[t.enter(waiting)].add(w)
	case isMember:
		m.of.is.set(m.number, flagWaiting, true)
		t.append(refOf(m.of.index, m.number))
	default:
		t.append(refOf(0, t.newEntry(path, w)))
	}
}

// newEntry makes an entry, possibly at the index of an unused one. The caller has to add its ref at
// the end of the order.
func (t *watchTable) newEntry(path string, w env.Watcher) (at uint32) {
	last := len(t.free) - 1
	if last < 0 {
		return t.freshEntry(path, w)
	}
	at, t.free = t.free[last], t.free[:last]
	t.entries[at] = watched{path: path, watcher: w}
	if t.byPath != nil {
		t.byPath[path] = at
	}
	return at
}

func (t *watchTable) freshEntry(path string, w env.Watcher) (at uint32) {
	at = uint32(len(t.entries))
	t.entries = append(t.entries, watched{path: path, watcher: w})
	switch {
	case t.byPath != nil:
		t.byPath[path] = at
	case len(t.entries) > fewEntries:
		t.byPath = make(map[string]uint32, 2*len(t.entries))
		for i := range t.entries {
			if e := &t.entries[i]; e.watcher != nil {
				t.byPath[e.path] = uint32(i)
			}
		}
	}
	return at
}

// fewEntries is the number of entries up to which a linear search is as fast as a map.
const fewEntries = 12

// find returns the index of a path's entry. ok is false if the path has none.
func (t *watchTable) find(path string) (at uint32, ok bool) {
	if t.byPath != nil {
		at, ok = t.byPath[path]
		return at, ok
	}
	for i := range t.entries {
		if e := &t.entries[i]; e.watcher != nil && e.path == path {
			return uint32(i), true
		}
	}
	return 0, false
}

func (t *watchTable) append(r ref) {
	t.order.add(r, t.live, t.counts)
	t.live++
}

// admits reports whether a bit is enough for each member of a family. For that, no other family may
// have the same paths or the same index.
func (t *watchTable) admits(f *family) bool {
	if int(f.index) < len(t.byIndex) && t.byIndex[f.index] == f {
		return true
	}
	prefix := f.names.Prefix()
	for int(f.index) >= len(t.byIndex) {
		t.byIndex = append(t.byIndex, nil)
	}
	known := t.familyOf(prefix)
	if known == nil && t.byIndex[f.index] == nil {
		t.byIndex[f.index] = f
		t.addFamily(prefixed{prefix, f})
		return true
	}
	return known == f
}

func (t *watchTable) addFamily(p prefixed) {
	switch {
	case t.byPrefix != nil:
		t.byPrefix[p.prefix] = p.f
	case len(t.families) < fewEntries:
		t.families = append(t.families, p)
	default:
		t.byPrefix = map[string]*family{p.prefix: p.f}
		for _, known := range t.families {
			t.byPrefix[known.prefix] = known.f
		}
		t.families = nil
	}
}

// familyOf returns the family whose paths have the prefix, or nil.
func (t *watchTable) familyOf(prefix string) *family {
	if t.byPrefix != nil {
		return t.byPrefix[prefix]
	}
	for i := range t.families {
		if p := &t.families[i]; p.prefix == prefix {
			return p.f
		}
	}
	return nil
}

// memberAt returns the member that waits for a path and is stored as a bit.
func (t *watchTable) memberAt(path string) (member, bool) {
	if len(t.byIndex) == 0 {
		return member{}, false
	}
	name := strings.LastIndexByte(path, '/') + 1
	f := t.familyOf(path[:name])
	if f == nil {
		return member{}, false
	}
	number, ok := f.names.Find(path[name:])
	return member{f, number}, ok && f.is.has(number, flagWaiting)
}

// enter gives a member that is stored as a bit an entry, which takes over the member's place in the
// order.
func (t *watchTable) enter(m member) (at uint32) {
	m.of.is.set(m.number, flagWaiting, false)
	at = t.freshEntry(m.of.names.Path(m.number), m)
	t.order.replace(refOf(m.of.index, m.number), refOf(0, at))
	return at
}

// counts reports whether the watcher that the ref names still waits.
func (t *watchTable) counts(r ref) bool {
	if r.family() == 0 {
		return t.entries[r.member()].watcher != nil
	}
	return t.byIndex[r.family()].is.has(r.member(), flagWaiting)
}

// take removes the watchers of a path, and calls fn with each of them.
func (t *watchTable) take(path string, fn func(env.Watcher)) {
	if m, ok := t.takeMember(path); ok {
		fn(m)
		return
	}
	at, ok := t.find(path)
	if !ok {
		return
	}
	entry := t.entries[at]
	delete(t.byPath, path)
	t.entries[at] = watched{}
	t.free = append(t.free, at)
	t.live--
	entry.each(fn)
}

// takeMember removes the member that waits for a path and is stored as a bit. It returns false if
// there is none.
func (t *watchTable) takeMember(path string) (member, bool) {
	m, ok := t.memberAt(path)
	if ok {
		m.of.is.set(m.number, flagWaiting, false)
		t.live--
	}
	return m, ok
}

// takeAll empties the table, and calls fn with each watcher.
func (t *watchTable) takeAll(fn func(env.Watcher)) {
	t.order.tidy(t.live, t.counts)
	old := *t
	*t = newWatchTable()
	for _, f := range old.byIndex {
		if f != nil {
			f.is.clear(flagWaiting)
		}
	}
	for _, r := range old.order.refs {
		if r.family() == 0 {
			old.entries[r.member()].each(fn)
		} else {
			fn(member{old.byIndex[r.family()], r.member()})
		}
	}
}

func (at *watched) add(w env.Watcher) {
	if at.watcher != w && !slices.Contains(at.more, w) {
		at.more = append(at.more, w)
	}
}

func (at *watched) each(fn func(env.Watcher)) {
	fn(at.watcher)
	for _, w := range at.more {
		fn(w)
	}
}

// callbacks is the thread that calls watchers one after another (kazoo's
// SequentialThreadingHandler). Its task exists only while there is work.
type callbacks struct {
	tasks env.Tasks
	of    *Watches
	// queue holds the events to deliver, of which there may be thousands for each of thousands of
	// agents. Nearly all are for members of families. others holds the remaining events, in order.
	queue    []told
	others   []callback
	families []*family // families by their index, for the members in queue
	task     env.Task
	feeding  *feeding // makes the reads that follow from the events in queue
}

// told is an event in the queue. If its ref names a member of a family, it is about that member's
// path, or about the session, and typ is its type. If the ref has family 0, the event is the next
// one of callbacks.others.
type told struct {
	ref ref
	typ env.EventType
}

type callback struct {
	watcher env.Watcher
	event   env.WatchEvent
}

func (c *callbacks) add(w env.Watcher, e env.WatchEvent) {
	if m, ok := w.(member); ok && e == eventOf(m, e.Type) {
		c.addMember(m, e.Type)
		return
	}
	c.enqueue(told{}, callback{w, e})
}

// addMember queues an event for a member, about the member's own path or the session.
func (c *callbacks) addMember(m member, typ env.EventType) {
	if c.admits(m.of) {
		c.enqueue(told{refOf(m.of.index, m.number), typ}, callback{})
	} else {
		c.enqueue(told{}, callback{m, eventOf(m, typ)})
	}
}

// enqueue adds an event at the end of the queue. If it is not for a member of a family, it also
// goes to others.
func (c *callbacks) enqueue(t told, other callback) {
	c.queue = append(c.queue, t)
	if t.ref.family() == 0 {
		c.others = append(c.others, other)
	}
	if c.task == nil || c.task.Done() {
		c.task = c.tasks.Go("zookeeper callbacks", c.run)
	}
}

// admits reports whether a ref and a type are enough to store an event for a member of the family.
func (c *callbacks) admits(f *family) bool {
	for int(f.index) >= len(c.families) {
		c.families = append(c.families, nil)
	}
	if c.families[f.index] == nil {
		c.families[f.index] = f
	}
	return c.families[f.index] == f
}

// eventOf returns the event of the given type for a member. An event of the session has no path.
func eventOf(m member, typ env.EventType) env.WatchEvent {
	if typ == env.EventNone {
		return env.WatchEvent{Type: typ}
	}
	return env.WatchEvent{Type: typ, Path: m.of.names.Path(m.number)}
}

// pop removes and returns the first event of the queue.
func (c *callbacks) pop() told {
	first := c.queue[0]
	if c.queue = c.queue[1:]; len(c.queue) == 0 {
		c.queue = nil
	}
	return first
}

// callNext removes the first event of the queue and calls its watcher.
func (c *callbacks) callNext() {
	first := c.pop()
	if first.ref.family() != 0 {
		m := member{c.families[first.ref.family()], first.ref.member()}
		m.Notify(eventOf(m, first.typ))
		return
	}
	other := c.others[0]
	if c.others = c.others[1:]; len(c.others) == 0 {
		c.others = nil
	}
	other.watcher.Notify(other.event)
}

func (c *callbacks) run() {
	if c.of.Woken != nil {
		c.of.Woken()
	}
	for len(c.queue) > 0 {
		if !c.feed() {
			c.callNext()
		}
	}
}

func (c *callbacks) join() {
	if c.task != nil && c.task != c.tasks.Self() {
		c.task.Join()
	}
}
