package recipes

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// Watches are the watchers that wait for events of a session, and the thread on which
// they are called, one after the other.
type Watches struct {
	// Woken, when set, is called by the thread each time that it has waited for events.
	Woken func()

	data, children watchTable
	callbacks      callbacks
}

// NewWatches makes an empty set; watchers will be called by a task of tasks.
func NewWatches(tasks env.Tasks) *Watches {
	w := &Watches{data: newWatchTable(), children: newWatchTable()}
	w.callbacks = callbacks{tasks: tasks, of: w}
	return w
}

// AddData keeps a watcher until the next event of a znode's data or existence. One
// that is kept already is kept once.
func (w *Watches) AddData(path string, watcher env.Watcher) { w.data.add(path, watcher) }

// AddChildren keeps a watcher until the next event of a znode's children, or its end.
// One that is kept already is kept once.
func (w *Watches) AddChildren(path string, watcher env.Watcher) { w.children.add(path, watcher) }

// Notify hands an event to the watchers that wait for it, and forgets them
// (connection.py:311): created and changed go to those of the data, deleted to all,
// child to those of the children.
func (w *Watches) Notify(e env.WatchEvent) {
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

// Tell hands an event to one watcher, in turn with those that Notify has told.
func (w *Watches) Tell(watcher env.Watcher, e env.WatchEvent) { w.callbacks.add(watcher, e) }

// Reset tells every watcher that the session has changed, and forgets it
// (client.py:333). Recipes leave new watches when they read again, for kazoo has no
// setWatches (ZK-12.3).
func (w *Watches) Reset() {
	tell := func(watcher env.Watcher) { w.callbacks.add(watcher, env.WatchEvent{Type: env.EventNone}) }
	w.children.takeAll(tell)
	w.data.takeAll(tell)
}

// Join waits until all events have been told that were handed over before. A watcher
// that calls it, because it stops its own client, does not wait for itself.
func (w *Watches) Join() { w.callbacks.join() }

// watchTable holds the watchers that wait for one event, by path in the order of
// leaving. Adding and taking cost the same however many paths there are: an agent of
// v1 watches every replica of every model.
type watchTable struct {
	byPath      map[string]*watched
	first, last *watched
}

// watched is a path with its watchers, nearly always one.
type watched struct {
	path       string
	watcher    env.Watcher
	more       []env.Watcher
	prev, next *watched
}

func newWatchTable() watchTable { return watchTable{byPath: map[string]*watched{}} }

// add keeps a watcher once for a path, as kazoo's set does.
func (t *watchTable) add(path string, w env.Watcher) {
	at := t.byPath[path]
	switch {
	case at == nil:
		t.byPath[path] = t.append(&watched{path: path, watcher: w})
	case at.watcher != w && !slices.Contains(at.more, w):
		at.more = append(at.more, w)
	}
}

func (t *watchTable) append(at *watched) *watched {
	at.prev = t.last
	if t.last != nil {
		t.last.next = at
	} else {
		t.first = at
	}
	t.last = at
	return at
}

// take removes the watchers of a path and hands each to fn.
func (t *watchTable) take(path string, fn func(env.Watcher)) {
	at := t.byPath[path]
	if at == nil {
		return
	}
	delete(t.byPath, path)
	if at.prev != nil {
		at.prev.next = at.next
	} else {
		t.first = at.next
	}
	if at.next != nil {
		at.next.prev = at.prev
	} else {
		t.last = at.prev
	}
	at.each(fn)
}

// takeAll empties the table and hands each watcher to fn.
func (t *watchTable) takeAll(fn func(env.Watcher)) {
	at := t.first
	*t = newWatchTable()
	for ; at != nil; at = at.next {
		at.each(fn)
	}
}

func (at *watched) each(fn func(env.Watcher)) {
	fn(at.watcher)
	for _, w := range at.more {
		fn(w)
	}
}

// callbacks is the thread on which watchers are called, one after the other
// (kazoo's SequentialThreadingHandler). The task lives while there is work.
type callbacks struct {
	tasks env.Tasks
	of    *Watches
	queue []callback
	task  env.Task
}

type callback struct {
	watcher env.Watcher
	event   env.WatchEvent
}

func (c *callbacks) add(w env.Watcher, e env.WatchEvent) {
	c.queue = append(c.queue, callback{w, e})
	if c.task == nil || c.task.Done() {
		c.task = c.tasks.Go("zookeeper callbacks", c.run)
	}
}

func (c *callbacks) run() {
	if c.of.Woken != nil {
		c.of.Woken()
	}
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		next.watcher.Notify(next.event)
	}
}

func (c *callbacks) join() {
	if c.task != nil && c.task != c.tasks.Self() {
		c.task.Join()
	}
}
