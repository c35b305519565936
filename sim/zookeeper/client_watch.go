package zookeeper

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

// clientWatches holds the watchers that wait for one event, by path in the order of
// leaving.
type clientWatches struct {
	paths    []string
	watchers map[string][]env.Watcher
}

func newClientWatches() *clientWatches { return &clientWatches{watchers: map[string][]env.Watcher{}} }

// add keeps a watcher once for a path, as kazoo's set does.
func (t *clientWatches) add(path string, w env.Watcher) {
	list, ok := t.watchers[path]
	if !ok {
		t.paths = append(t.paths, path)
	}
	if !slices.Contains(list, w) {
		t.watchers[path] = append(list, w)
	}
}

// take removes and returns the watchers of a path.
func (t *clientWatches) take(path string) []env.Watcher {
	list, ok := t.watchers[path]
	if !ok {
		return nil
	}
	delete(t.watchers, path)
	t.paths = slices.DeleteFunc(t.paths, func(p string) bool { return p == path })
	return list
}

// takeAll empties the table.
func (t *clientWatches) takeAll() []env.Watcher {
	var all []env.Watcher
	for _, path := range t.paths {
		all = append(all, t.watchers[path]...)
	}
	t.paths = nil
	clear(t.watchers)
	return all
}

func (s *Session) table(op OpCode) *clientWatches {
	if op == OpGetChildren {
		return s.children
	}
	return s.data
}

// notify hands an event to its watchers (connection.py:311): created and changed
// to data watchers, deleted to both, child to child watchers.
func (s *Session) notify(e Event) {
	var watchers []env.Watcher
	switch e.Type {
	case created, changed:
		watchers = s.data.take(e.Path)
	case deleted:
		watchers = append(s.data.take(e.Path), s.children.take(e.Path)...)
	case children:
		watchers = s.children.take(e.Path)
	}
	for _, w := range watchers {
		s.callbacks.add(s.p, w, env.WatchEvent{Type: e.Type, Path: e.Path})
	}
}

// resetWatches tells every watcher that the session has changed (client.py:333);
// recipes leave new watches when they read again.
func (s *Session) resetWatches() {
	for _, w := range append(s.children.takeAll(), s.data.takeAll()...) {
		s.callbacks.add(s.p, w, env.WatchEvent{Type: env.EventNone})
	}
}

// callbacks is the thread on which watchers are called, one after the other
// (kazoo's SequentialThreadingHandler). The task lives while there is work.
type callbacks struct {
	queue []callback
	task  *vtime.Task
}

type callback struct {
	watcher env.Watcher
	event   env.WatchEvent
}

func (c *callbacks) add(p *vtime.Process, w env.Watcher, e env.WatchEvent) {
	c.queue = append(c.queue, callback{w, e})
	if c.task == nil || c.task.Done() {
		c.task = p.Start("zookeeper callbacks", c.run)
	}
}

func (c *callbacks) run() {
	for len(c.queue) > 0 {
		next := c.queue[0]
		c.queue = c.queue[1:]
		next.watcher.Notify(next.event)
	}
}

// join waits for the callbacks that are under way. A callback that stops its own
// client does not wait for itself.
func (c *callbacks) join(current *vtime.Task) {
	if c.task != nil && c.task != current {
		c.task.Join()
	}
}
