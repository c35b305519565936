package files

import "slices"

type watcher struct {
	name  string
	trail []string // trail holds the paths to compare with; nil means name alone
	fn    func()
	over  bool // over means that it was cancelled
}

// Watch calls fn after every change at or below a path, and when a parent of the path appears,
// disappears or is covered by a mount. Links in the path are followed, and their changes count
// too. Links below the path are not followed. In a shared store the change may be made by another
// host. fn is called in the middle of the change and must not block.
func (f *FS) Watch(name string, fn func()) (cancel func()) {
	w := &watcher{name: name, fn: fn}
	f.follow(w)
	f.watchers = append(f.watchers[:len(f.watchers):len(f.watchers)], w)
	return func() {
		if w.over {
			return
		}
		w.over = true
		// The slice is copied, because a notification may be iterating over the old one.
		f.watchers = slices.DeleteFunc(slices.Clone(f.watchers), func(x *watcher) bool { return x == w })
	}
}

// trail returns list with more paths appended: the name itself, and a new path after each link or
// "..". These are the paths that the name leads through. Only a change at, above or below one of
// them can change where the name leads.
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

// follow updates the trail of a watcher: the paths that its name leads through.
func (f *FS) follow(w *watcher) {
	w.trail = f.trail(w.trail[:0], w.name)
	if len(w.trail) == 1 && w.trail[0] == w.name {
		w.trail = nil
	}
}

// concerns reports whether a change at a path may affect the watcher.
func (w *watcher) concerns(at string) bool {
	if w.trail == nil {
		return within(at, w.name) || within(w.name, at)
	}
	return slices.ContainsFunc(w.trail, func(name string) bool { return within(at, name) || within(name, at) })
}

// notify calls the watchers affected by a change at a path, in this tree and in the trees that
// mount it.
func (f *FS) notify(at string) {
	for _, w := range f.watchers {
		if !w.over && w.concerns(at) {
			f.follow(w)
			w.fn()
		}
	}
	for _, m := range f.parents {
		if len(m.fs.watchers)+len(m.fs.parents) == 0 {
			continue
		}
		if at == "/" {
			m.fs.notify(m.prefix)
		} else {
			m.fs.notify(m.prefix + at)
		}
	}
}
