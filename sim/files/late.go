package files

import (
	"slices"
	"time"
)

// lateness makes new names in a directory visible late, as in an object store whose listing lags.
type lateness struct {
	top   string
	lag   time.Duration
	after func(d time.Duration, fn func())
}

// hiding is a new name that is still hidden. Only the tree that created it can see it.
type hiding struct {
	dir, entry *entry
	rel        string
	by         *FS // tree through which the name was created, and through which it is visible
}

// Late delays the visibility of names created at or below a directory from now on. Until lag has
// passed, other trees that mount the directory see the names neither in listings nor as paths. The
// tree that created a name sees it at once, and so does f. A file that replaces a visible one is
// visible at once. after schedules a function. A second call for the same directory replaces the
// first.
func (f *FS) Late(dir string, lag time.Duration, after func(d time.Duration, fn func())) {
	f.late = f.withoutLate(clean(dir))
	f.late = append(f.late, lateness{clean(dir), lag, after})
}

// Prompt ends Late for the same directory, and makes the hidden names below it visible.
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

// hide hides the entry of a new name if its path rel is in a late directory. by is the tree that
// created the name.
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

// renamed decides the visibility of a renamed entry. If it replaces another entry, it inherits that
// entry's visibility. Otherwise its name is new and may be hidden.
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

// show makes a hidden name visible. It does nothing if h is no longer in the list of hidden names.
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

// hides reports whether f still hides an entry from the tree that is passed as through.
func (f *FS) hides(e *entry, through *FS) bool {
	return len(f.hidden) > 0 && e != nil && through != f && slices.ContainsFunc(f.hidden, func(h *hiding) bool { return h.entry == e && h.by != through })
}

// visible returns the names in a directory. It omits the names that Late still hides from the tree
// that is passed as through.
func (p *place) visible(through *FS) []string {
	names := p.entry.sorted()
	if len(p.fs.hidden) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return p.fs.hides(p.entry.child(name), through) })
}
