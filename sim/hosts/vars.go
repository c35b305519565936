package hosts

import (
	"slices"
	"strings"
)

// Vars are the environment variables of one process.
type Vars struct {
	list []string // key=value, sorted by key
	// shared says that the list is somebody else's too, and must not be written to.
	shared bool
	// last is what was looked up last: loops ask for the same key again and again.
	last struct {
		key, value string
		ok         bool
	}
}

// NewVars makes variables from key=value entries, which must not be changed from now on; of
// two with one key the later counts. Entries without = are left out, as the C library
// cannot look them up.
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

// sorted reports whether entries are a list of variables as they are.
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

// Lookup returns the value of a key; ok is false when the key is not set.
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

// Set gives a key its value.
func (v *Vars) Set(key, value string) { v.put(key, key+"="+value) }

func (v *Vars) put(key, entry string) {
	v.last.key = ""
	if v.shared {
		v.list, v.shared = slices.Clone(v.list), false
	}
	i, ok := v.find(key)
	if ok {
		v.list[i] = entry
	} else {
		v.list = slices.Insert(v.list, i, entry)
	}
}

// Unset takes a key away, if it is there.
func (v *Vars) Unset(key string) {
	i, ok := v.find(key)
	if !ok {
		return
	}
	v.last.key = ""
	if v.shared {
		v.list, v.shared = slices.Clone(v.list), false
	}
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
