package hosts

import (
	"slices"
	"strings"
)

// Vars holds the environment variables of one process.
type Vars struct {
	list []string // list holds key=value, sorted by key
	// shared means that list is also used elsewhere and must not be written to.
	shared bool
	// last caches the last look-up, because loops look up the same key again and again.
	last struct {
		key, value string
		ok         bool
	}
}

// NewVars makes variables from key=value entries. The caller must not change the slice afterwards.
// If a key occurs twice, the later entry counts. Entries without = are dropped, because the C
// library cannot look them up.
func NewVars(entries []string) *Vars {
	if sorted(entries) {
		return &Vars{list: entries, shared: true}
	}
	v := &Vars{}
	for _, e := range entries {
		if key, _, ok := strings.Cut(e, "="); ok && key != "" {
			v.put(key, e)
		}
	}
	return v
}

// sorted reports whether the keys are in ascending order without duplicates, so that NewVars can
// use the slice unchanged.
func sorted(entries []string) bool {
	last := ""
	for _, e := range entries {
		key, _, ok := strings.Cut(e, "=")
		if !ok || key <= last {
			return false
		}
		last = key
	}
	return true
}

// Lookup returns the value of a key; ok is false if the key is not set.
func (v *Vars) Lookup(key string) (value string, ok bool) {
	l := &v.last
	if key == l.key && key != "" {
		return l.value, l.ok
	}
	l.key, l.value = key, ""
	i, ok := v.find(key)
	if ok {
		l.value = v.list[i][len(key)+1:]
	}
	l.ok = ok
	return l.value, ok
}

// Set sets the value of a key.
func (v *Vars) Set(key, value string) { v.put(key, key+"="+value) }

// own copies a shared list before a write, and clears the cached look-up.
func (v *Vars) own() {
	v.last.key = ""
	if v.shared {
		v.list, v.shared = slices.Clone(v.list), false
	}
}

func (v *Vars) put(key, entry string) {
	v.own()
	i, ok := v.find(key)
	if ok {
		v.list[i] = entry
	} else {
		v.list = slices.Insert(v.list, i, entry)
	}
}

// Unset removes a key, if it is set.
func (v *Vars) Unset(key string) {
	i, ok := v.find(key)
	if !ok {
		return
	}
	v.own()
	v.list = slices.Delete(v.list, i, i+1)
}

// List returns a copy of all entries as key=value, sorted by key.
func (v *Vars) List() []string { return append([]string{}, v.list...) }

func (v *Vars) find(key string) (int, bool) {
	return slices.BinarySearchFunc(v.list, key, func(entry, key string) int {
		k, _, _ := strings.Cut(entry, "=")
		return strings.Compare(k, key)
	})
}
