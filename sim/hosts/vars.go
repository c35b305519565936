package hosts

import (
	"slices"
	"strings"
)

// Vars are the environment variables of one process.
type Vars struct {
	list []string // key=value, sorted by key
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

// Lookup returns the value of a key.
func (v *Vars) Lookup(key string) (value string, ok bool) {
	if i, ok := v.find(key); ok {
		return v.list[i][len(key)+1:], true
	}
	return "", false
}

// Set gives a key its value.
func (v *Vars) Set(key, value string) {
	i, ok := v.find(key)
	if ok {
		v.list[i] = key + "=" + value
	} else {
		v.list = slices.Insert(v.list, i, key+"="+value)
	}
}

// List is a copy of all entries as key=value, sorted by key.
func (v *Vars) List() []string { return append([]string{}, v.list...) }

func (v *Vars) find(key string) (int, bool) {
	return slices.BinarySearchFunc(v.list, key, func(entry, key string) int {
		k, _, _ := strings.Cut(entry, "=")
		return strings.Compare(k, key)
	})
}
