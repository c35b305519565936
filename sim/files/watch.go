package files

type watcher struct {
	name  string
	trail []string // nil for the name alone
	fn    func()
	over  bool
}

// Watch calls fn after every change at or below the path, and when one of its parents
// appears, goes or is covered by a mount. Links in the path are followed, and a change of
// one of them is a change too; those below it are not followed. fn is called in the
// middle of whatever changes the tree, also of another host's process in a shared store,
// and must not wait.
func (f *FS) Watch(name string, fn func()) (cancel func()) {
	w := &watcher{name: name, fn: fn}
	f.follow(w)
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

// trail adds to list the paths that a name stands for, one after each link or ".." that
// is followed; a change decides where it leads only when it is at, above or below one of
// them.
func (f *FS) trail(list []string, name string) []string {
	for links := 0; name != "" && links <= maxLinks; {
		list = append(list, clean(name))
		var p place
		next, err := f.walk(&p, name, followed)
		if err != nil {
			break
		}
		if p.entry.isLink() {
			links++
			list = append(list, clean(p.path))
		}
		name = next
	}
	return list
}

// follow finds the trail of what is watched anew.
func (f *FS) follow(w *watcher) {
	w.trail = f.trail(w.trail[:0], w.name)
	if len(w.trail) == 1 && w.trail[0] == w.name {
		w.trail = nil
	}
}

// concerns reports whether a change at a path can be one of what is watched.
func (w *watcher) concerns(at string) bool {
	if w.trail == nil {
		return within(at, w.name) || within(w.name, at)
	}
	for _, name := range w.trail {
		if within(at, name) || within(name, at) {
			return true
		}
	}
	return false
}

// notify tells of a change at a path, here and where the tree is mounted.
func (f *FS) notify(at string) {
	for _, w := range f.watchers {
		if !w.over && w.concerns(at) {
			f.follow(w)
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
