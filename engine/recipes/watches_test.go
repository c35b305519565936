package recipes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/env"
)

// named is a watcher by itself.
type named struct{ name string }

func (named) Notify(env.WatchEvent) {}

// plainTable is a watch table as one would write it down.
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

// A table of bits gives what a list of watchers for each path does, in the same order:
// with families, with other watchers of the same paths, and with two families of one
// parent.
func TestBitsAreAWatchTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := env.NewNames("/a")
		families := []*family{
			{index: 1, names: a}, {index: 2, names: env.NewNames("/b")}, {index: 3, names: a}, {index: 4, names: env.NewNames("/")},
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

// Goal: each of several clients gets the zxids that it has set, whatever others set,
// also when there have been more than fit into a byte, or more than there are stamps.
func TestZxidsAreThoseThatWereSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := env.NewNames("/a")
		clients := [2]zxids{{names: names}, {names: names}}
		want := [2]map[uint32]int64{{}, {}}
		for k := range int64(rapid.SampledFrom([]int{0, 254, 1100}).Draw(t, "stamps")) {
			names.Stamp(7, -k)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			of := rapid.IntRange(0, 1).Draw(t, "client")
			i := rapid.SampledFrom([]uint32{0, 1, 7, 70}).Draw(t, "number")
			zxid := rapid.Int64Range(0, 3).Draw(t, "epoch")<<32 | rapid.Int64Range(0, 2).Draw(t, "counter")
			clients[of].set(i, zxid)
			want[of][i] = zxid
			for of := range clients {
				for _, i := range []uint32{0, 1, 7, 70, 71} {
					if got := clients[of].get(i); got != want[of][i] {
						t.Fatalf("client %d, child %d: got %#x, want %#x", of, i, got, want[of][i])
					}
				}
			}
		}
	})
}

// A listener may be removed by another, and while it is called.
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

// Goal: a list of refs gives back what was put in, of families with names and without, of
// so many that not all are told by a byte, and after others took their place. Method: lists
// of several clients share names, and few members follow each other in all orders.
func TestAListOfRefsIsWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		families := rapid.SampledFrom([]uint32{1, 3, 30}).Draw(t, "families")
		names := map[uint32]*env.Names{maxFamily: env.NewNames("/last")}
		for family := range families {
			names[family+1] = env.NewNames("/a")
		}
		var lists [2]refList
		var want [2][]ref
		for range rapid.IntRange(0, 200).Draw(t, "refs") {
			of := rapid.IntRange(0, 1).Draw(t, "client")
			r := refOf(rapid.Uint32Range(0, families).Draw(t, "family"), rapid.Uint32Range(0, 20).Draw(t, "member"))
			switch rapid.IntRange(0, 30).Draw(t, "kind") {
			case 0:
				r = refOf(maxFamily, 200)
			case 1:
				r = refOf(0, maxMembers-1)
			case 2:
				want[of] = want[of][len(want[of])/2:]
				lists[of].become(want[of])
			}
			lists[of].add(r, names[r.family()])
			want[of] = append(want[of], r)
		}
		for of := range lists {
			if got := lists[of].list(); !slices.Equal(got, want[of]) {
				t.Fatalf("client %d: got %v, want %v", of, got, want[of])
			}
		}
	})
}

// Goal: refs of two dozen families take little more than a byte each, where they come in
// nearly the same order for all clients.
func TestAListOfRefsIsSmall(t *testing.T) {
	var names [25]*env.Names
	for i := range names {
		names[i] = env.NewNames("/a")
	}
	r := rand.New(rand.NewPCG(1, 1))
	usual := r.Perm(400)
	for client := range 10 {
		order := slices.Clone(usual)
		for range 40 {
			i := r.IntN(len(order) - 1)
			order[i], order[i+1] = order[i+1], order[i]
		}
		var l refList
		for _, number := range order {
			for family := range uint32(24) {
				l.add(refOf(family+1, uint32(number)), names[family+1])
			}
		}
		if got, most := cap(l.bytes), l.count*115/100; got > most {
			t.Errorf("client %d: %d refs take %d bytes, want %d at most", client, l.count, got, most)
		}
	}
}
