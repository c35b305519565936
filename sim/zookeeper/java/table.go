package java

import (
	"iter"

	"github.com/monosim/monosim/engine/lists"
)

// Table simulates a Java HashMap or HashSet of strings, but only the order of its keys. It must be
// told of all keys that come and go, because the order also depends on keys that have been removed.
type Table struct {
	set *Set
	// keys holds the keys in the order of arrival, with gaps where a key was removed.
	keys []key
	at   map[string]int
}

type key struct {
	Member
	gone bool
}

// NewTable returns an empty table. first is the number of buckets with which it begins.
func NewTable(first uint32) *Table {
	return &Table{set: NewSet(first), at: map[string]int{}}
}

// Set returns the table's buckets, which the table goes on to use; nil for a nil table.
func (t *Table) Set() *Set {
	if t == nil {
		return nil
	}
	return t.set
}

// Len returns the number of keys; 0 for a nil table.
func (t *Table) Len() int {
	if t == nil {
		return 0
	}
	return len(t.at)
}

// Has reports whether a key is there. A nil table has none.
func (t *Table) Has(text string) bool {
	if t == nil {
		return false
	}
	_, ok := t.at[text]
	return ok
}

// Add adds a key. It does nothing if the key is already there.
func (t *Table) Add(text string) {
	if _, ok := t.at[text]; ok {
		return
	}
	t.at[text] = len(t.keys)
	m := Member{Text: text, Spread: Spread(text)}
	t.keys = append(t.keys, key{Member: m})
	t.set.Add(m, t.members())
}

// Remove removes a key. It does nothing if the key is missing, or the table nil.
func (t *Table) Remove(text string) {
	if t == nil {
		return
	}
	at, ok := t.at[text]
	if !ok {
		return
	}
	t.set.Remove(t.keys[at].Member)
	t.keys[at].gone = true
	delete(t.at, text)
	if len(t.keys) > 2*len(t.at)+sparse {
		t.pack()
	}
}

// sparse limits the gaps in keys. The gaps are removed once their number exceeds the number of
// present keys by more than sparse.
const sparse = 16

// pack removes the gaps.
func (t *Table) pack() {
	kept := t.keys[:0]
	for _, k := range t.keys {
		if !k.gone {
			t.at[k.Text] = len(kept)
			kept = append(kept, k)
		}
	}
	clear(t.keys[len(kept):])
	t.keys = kept
}

// members yields the keys in the order of arrival.
func (t *Table) members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for i := range t.keys {
			if !t.keys[i].gone && !yield(t.keys[i].Member) {
				return
			}
		}
	}
}

// Listed returns the keys in the order in which Java iterates over them. A nil table has none.
func (t *Table) Listed() []string {
	if t == nil {
		return nil
	}
	members := make([]Member, 0, len(t.at))
	for m := range t.members() {
		members = append(members, m)
	}
	Ordered(t.set, members, func(m Member) Member { return m })
	return lists.Map(members, func(m Member) string { return m.Text })
}
