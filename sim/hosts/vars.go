package hosts

import (
	"slices"
	"strings"
)

// Vars are the environment variables of one process.
type Vars struct {
	list []string // key=value, sorted by key
	// last is what was looked up last: loops ask for the same key again and again.
	last struct {
		key, value string
		ok         bool
	}
}

// NewVars makes variables from key=value entries; of two with one key the later
// counts. Entries without = are left out, as the C library cannot look them up.
func NewVars(entries []string) *Vars {
	v := &Vars{}
	for _, e := range entries {
		if key, value, ok := strings.Cut(e, "="); ok && key != "" {
			v.Set(key, value)
		}
	}
	return v
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
func (v *Vars) Set(key, value string) {
	v.last.key = ""
	i, ok := v.find(key)
	if ok {
		v.list[i] = key + "=" + value
	} else {
		v.list = slices.Insert(v.list, i, key+"="+value)
	}
}

// List returns a copy of all entries as key=value, sorted by key.
func (v *Vars) List() []string { return append([]string{}, v.list...) }

func (v *Vars) find(key string) (int, bool) {
	return slices.BinarySearchFunc(v.list, key, func(entry, key string) int {
		k, _, _ := strings.Cut(entry, "=")
		return strings.Compare(k, key)
	})
}
