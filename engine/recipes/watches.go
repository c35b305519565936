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
	var watchers []env.Watcher
	switch e.Type {
	case env.EventCreated, env.EventChanged:
		watchers = w.data.take(e.Path)
	case env.EventDeleted:
		watchers = append(w.data.take(e.Path), w.children.take(e.Path)...)
	case env.EventChildrenChanged:
		watchers = w.children.take(e.Path)
	}
	for _, watcher := range watchers {
		w.callbacks.add(watcher, e)
	}
}

// Tell hands an event to one watcher, in turn with those that Notify has told.
func (w *Watches) Tell(watcher env.Watcher, e env.WatchEvent) { w.callbacks.add(watcher, e) }

// Reset tells every watcher that the session has changed, and forgets it
// (client.py:333). Recipes leave new watches when they read again, for kazoo has no
// setWatches (ZK-12.3).
func (w *Watches) Reset() {
	for _, watcher := range append(w.children.takeAll(), w.data.takeAll()...) {
		w.callbacks.add(watcher, env.WatchEvent{Type: env.EventNone})
	}
}

// Join waits until all events have been told that were handed over before. A watcher
// that calls it, because it stops its own client, does not wait for itself.
func (w *Watches) Join() { w.callbacks.join() }

// watchTable holds the watchers that wait for one event, by path in the order of
// leaving.
type watchTable struct {
	paths    []string
	watchers map[string][]env.Watcher
}

func newWatchTable() watchTable { return watchTable{watchers: map[string][]env.Watcher{}} }

// add keeps a watcher once for a path, as kazoo's set does.
func (t *watchTable) add(path string, w env.Watcher) {
	list, ok := t.watchers[path]
	if !ok {
		t.paths = append(t.paths, path)
	}
	if !slices.Contains(list, w) {
		t.watchers[path] = append(list, w)
	}
}

// take removes and returns the watchers of a path.
func (t *watchTable) take(path string) []env.Watcher {
	list, ok := t.watchers[path]
	if !ok {
		return nil
	}
	delete(t.watchers, path)
	t.paths = slices.DeleteFunc(t.paths, func(p string) bool { return p == path })
	return list
}

// takeAll empties the table.
func (t *watchTable) takeAll() []env.Watcher {
	var all []env.Watcher
	for _, path := range t.paths {
		all = append(all, t.watchers[path]...)
	}
	t.paths = nil
	clear(t.watchers)
	return all
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
