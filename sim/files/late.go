package files

import (
	"slices"
	"time"
)

// lateness is a directory in which names become visible late, as in an object store whose
// listing lags.
type lateness struct {
	top   string
	lag   time.Duration
	after func(d time.Duration, fn func())
}

// hiding is a name that only who made it sees.
type hiding struct {
	dir, entry *entry
	rel        string
	by         *FS // the tree through which it was made
}

// Late has names that are made from now on, at or below a directory, be visible to others only
// after a time: until then they are not there, in no list and under no path, for every tree that
// the directory is mounted in but the one that made them, and this one. A file that replaces a
// visible one is visible at once. after does something later. It takes the place of an earlier one
// of the same directory.
func (f *FS) Late(dir string, lag time.Duration, after func(d time.Duration, fn func())) {
	f.late = f.withoutLate(clean(dir))
	f.late = append(f.late, lateness{clean(dir), lag, after})
}

// Prompt ends Late of the same directory: what is not visible below it is so now.
func (f *FS) Prompt(dir string) {
	f.late = f.withoutLate(clean(dir))
	for _, h := range slices.Clone(f.hidden) {
		if within(clean(h.rel), clean(dir)) {
			f.show(h)
		}
	}
}

func (f *FS) withoutLate(dir string) []lateness {
	return slices.DeleteFunc(slices.Clone(f.late), func(l lateness) bool { return l.top == dir })
}

// hide begins to hide a name that was made through a tree, where names are late.
func (f *FS) hide(dir, e *entry, rel string, by *FS) {
	for _, l := range f.late {
		if !within(clean(rel), l.top) {
			continue
		}
		f.hidden = slices.DeleteFunc(f.hidden, func(h *hiding) bool { return h.entry == e })
		h := &hiding{dir, e, rel, by}
		f.hidden = append(f.hidden, h)
		l.after(l.lag, func() { f.show(h) })
		return
	}
}

// renamed has a name be as visible as the one that it replaces; a new one is late.
func (f *FS) renamed(from, to place, by *FS) {
	if to.entry == nil {
		f.hide(to.dir, from.entry, to.rel, by)
		return
	}
	for _, h := range slices.Clone(f.hidden) {
		if h.entry == from.entry {
			f.show(h)
		}
	}
	for _, h := range f.hidden {
		if h.entry == to.entry {
			h.entry = from.entry
		}
	}
}

// show ends a hiding, unless another has taken its place.
func (f *FS) show(h *hiding) {
	at := slices.Index(f.hidden, h)
	if at < 0 {
		return
	}
	f.changes()
	f.hidden = slices.Delete(f.hidden, at, at+1)
	f.version++
	h.dir.version = f.version
	f.notify(clean(h.rel))
}

// hides reports whether an entry is not visible yet through a tree.
func (f *FS) hides(e *entry, through *FS) bool {
	return len(f.hidden) > 0 && e != nil && through != f && slices.ContainsFunc(f.hidden, func(h *hiding) bool { return h.entry == e && h.by != through })
}

// visible are the names of a directory that are visible through a tree.
func (p *place) visible(through *FS) []string {
	names := p.entry.sorted()
	if len(p.fs.hidden) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return p.fs.hides(p.entry.child(name), through) })
}
