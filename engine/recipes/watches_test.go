package recipes

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// named is a watcher that is not a member of a family.
type named struct{ name string }

func (named) Notify(env.WatchEvent) {}

// plainTable is the simplest implementation of a watch table, to compare the real one with.
type plainTable struct {
	paths    []string
	watchers map[string][]env.Watcher
}

func (t *plainTable) add(path string, w env.Watcher) {
	if len(t.watchers[path]) == 0 {
		t.paths = append(t.paths, path)
	}
	if !slices.Contains(t.watchers[path], w) {
		t.watchers[path] = append(t.watchers[path], w)
	}
}

func (t *plainTable) take(path string) []env.Watcher {
	list := t.watchers[path]
	delete(t.watchers, path)
	t.paths = slices.DeleteFunc(t.paths, func(p string) bool { return p == path })
	return list
}

func (t *plainTable) takeAll() (list []env.Watcher) {
	for _, path := range slices.Clone(t.paths) {
		list = append(list, t.take(path)...)
	}
	return list
}

// Goal: a table with bits returns the same watchers as a list for each path, in the same order.
// Method: random operations with families, with other watchers of the same paths, and with two
// families of one parent.
func TestBitsAreAWatchTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := bulk.NewNumbers("/a")
		families := []*family{
			{index: 1, names: a}, {index: 2, names: bulk.NewNumbers("/b")}, {index: 3, names: a}, {index: 4, names: bulk.NewNumbers("/")},
		}
		children := []string{"x", "y", "z", "u", "v"}
		for _, f := range families {
			f.names.Of(children)
		}
		watchers := []env.Watcher{&named{"1"}, &named{"2"}}
		table, plain := newWatchTable(), &plainTable{watchers: map[string][]env.Watcher{}}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			f := rapid.SampledFrom(families).Draw(t, "family")
			number := rapid.Uint32Range(0, 4).Draw(t, "number")
			path := f.names.Path(number)
			var got, want []env.Watcher
			keep := func(w env.Watcher) { got = append(got, w) }
			switch rapid.SampledFrom([]string{"member", "member", "member", "alone", "take", "take", "all"}).Draw(t, "step") {
			case "member":
				table.add(path, member{f, number})
				plain.add(path, member{f, number})
			case "alone":
				w := rapid.SampledFrom(watchers).Draw(t, "watcher")
				table.add(path, w)
				plain.add(path, w)
			case "take":
				table.take(path, keep)
				want = plain.take(path)
			case "all":
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					table.takeAll(keep)
					want = plain.takeAll()
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("taken: got %v, want %v", got, want)
			}
		}
		var rest []env.Watcher
		table.takeAll(func(w env.Watcher) { rest = append(rest, w) })
		if want := plain.takeAll(); !slices.Equal(rest, want) {
			t.Fatalf("taken in the end: got %v, want %v", rest, want)
		}
	})
}

// Goal: listeners are called in the order in which they were added. A listener can remove another
// one, or be removed while it is called.
func TestListenersAreToldInTheOrderOfAdding(t *testing.T) {
	c := &Client{}
	var told []string
	var late *listener
	add := func(name string, remove bool) *listener {
		return c.addListener(func(env.SessionState) bool { told = append(told, name); return remove })
	}
	add("1", false)
	add("2, once", true)
	late = add("3", false)
	c.addListener(func(env.SessionState) bool {
		c.removeListener(late)
		add(fmt.Sprint("new ", len(told)), false)
		return true
	})
	add("5", false)
	c.tell(env.Connected)
	c.tell(env.Lost)
	want := []string{"1", "2, once", "3", "5", "1", "5", "new 3"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
