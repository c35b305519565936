package bulk_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/recipes/bulk"
)

// Goal: a list in blocks behaves like a plain list: a new name comes after all names with the same
// key, names can be removed, and no list ever changes. Method: random changes, compared with a
// slice.
func TestNamesAreASortedList(t *testing.T) {
	type entry struct {
		name string
		key  uint32
	}
	rapid.Check(t, func(t *rapid.T) {
		var model []entry
		keys := uint32(rapid.IntRange(1, 500).Draw(t, "keys"))
		for i := range rapid.IntRange(0, 300).Draw(t, "before") {
			model = append(model, entry{fmt.Sprint("n", i), uint32(i) * keys / 300})
		}
		list := func() (names []string) {
			for _, e := range model {
				names = append(names, e.name)
			}
			return names
		}
		var first []uint32
		for _, e := range model {
			first = append(first, e.key)
		}
		names := bulk.SortedNames(list(), first)
		for i := range rapid.IntRange(0, 200).Draw(t, "changes") {
			before, was := names, list()
			if len(model) > 0 && rapid.Bool().Draw(t, "goes") {
				at := rapid.IntRange(0, len(model)-1).Draw(t, "at")
				names = names.Without(model[at].name, model[at].key)
				model = slices.Delete(model, at, at+1)
			} else {
				e := entry{fmt.Sprint("m", i), rapid.Uint32Range(0, keys).Draw(t, "key")}
				at := slices.IndexFunc(model, func(o entry) bool { return o.key > e.key })
				if at < 0 {
					at = len(model)
				}
				names, model = names.With(e.name, e.key), slices.Insert(model, at, e)
			}
			bytes := 0
			for _, name := range list() {
				bytes += len(name)
			}
			if !slices.Equal(names.List(), list()) || names.Len() != len(model) || names.Bytes() != bytes {
				t.Fatalf("got %v of %d bytes, want %v of %d", names.List(), names.Bytes(), list(), bytes)
			}
			if !slices.Equal(before.List(), was) {
				t.Fatalf("a list has changed: got %v, want %v", before.List(), was)
			}
			added := slices.DeleteFunc(slices.Clone(list()), func(name string) bool { return slices.Contains(was, name) })
			for range 2 {
				if got := names.Since(before); !slices.Equal(got, added) {
					t.Fatalf("new are %v, want %v", got, added)
				}
			}
			if name := fmt.Sprint("m", i); names.Has(name) != slices.Contains(list(), name) || names.Has("none") {
				t.Fatalf("has %s: %v", name, names.Has(name))
			}
			if names.SameAs(before) || !names.SameAs(bulk.NamesOf(list())) {
				t.Fatal("lists are compared wrongly")
			}
			if names.Without("none", 0) != nil {
				t.Fatal("a name went that was not there")
			}
		}
	})
}

func ExampleNames_With() {
	names := bulk.SortedNames([]string{"a", "c"}, []uint32{1, 3})
	more := names.With("b", 2)
	fmt.Println(names.List(), more.List(), more.Without("a", 1).List())
	// Output: [a c] [a b c] [b c]
}
