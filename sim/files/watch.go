package files

type watcher struct {
	path string
	fn   func()
	over bool
}

// Watch calls fn after every change at or below the path, and when one of its
// parents appears, goes or is covered by a mount. It is called in the middle of
// whatever changes the tree, also of another host's process in a shared store,
// and must not wait.
func (f *FS) Watch(name string, fn func()) (cancel func()) {
	w := &watcher{path: clean(name), fn: fn}
	f.watchers = append(f.watchers[:len(f.watchers):len(f.watchers)], w)
	return func() {
		if w.over {
			return
		}
		w.over = true
		// A new slice, because a notification may be running through the old one.
		kept := make([]*watcher, 0, len(f.watchers))
		for _, x := range f.watchers {
			if x != w {
				kept = append(kept, x)
			}
		}
		f.watchers = kept
	}
}

// notify tells of a change at a path, here and where the tree is mounted.
func (f *FS) notify(at string) {
	for _, w := range f.watchers {
		if !w.over && (within(at, w.path) || within(w.path, at)) {
			w.fn()
		}
	}
	for _, m := range f.parents {
		if at == "/" {
			m.fs.notify(m.prefix)
		} else {
			m.fs.notify(m.prefix + at)
		}
	}
}
