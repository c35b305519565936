package dict

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// model is the simplest implementation of a map with Python's order, to compare a Dict with.
type model struct {
	keys   []int
	values map[int]int
}

func (m *model) set(k, v int) {
	if _, ok := m.values[k]; !ok {
		m.keys = append(m.keys, k)
	}
	m.values[k] = v
}

func (m *model) delete(k int) {
	if i := slices.Index(m.keys, k); i >= 0 {
		m.keys = slices.Delete(m.keys, i, i+1)
	}
	delete(m.values, k)
}

// text formats all keys and values in order.
func (m *model) text() string {
	var b []byte
	for _, k := range m.keys {
		b = fmt.Appendf(b, "%d:%d ", k, m.values[k])
	}
	return string(b)
}

func text[K, V comparable](d *Dict[K, V]) string {
	var b []byte
	for k, v := range d.All {
		b = fmt.Appendf(b, "%v:%v ", k, v)
	}
	return string(b)
}

// Goal: a Dict behaves as a Python dict. A change of a copy does not change the original. Two maps
// are equal exactly if they have the same keys and values in the same order. Method: random changes
// of several maps and their models, all compared with one another.
func TestADictIsOneOfPython(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			d *Dict[int, int]
			m *model
		}
		keys := rapid.SampledFrom([]int{3, 40, 1000}).Draw(t, "keys")
		pairs := []pair{{&Dict[int, int]{}, &model{values: map[int]int{}}}}
		for range rapid.IntRange(1, 300).Draw(t, "changes") {
			of := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "of")]
			next := pair{of.d.Copy(), &model{slices.Clone(of.m.keys), map[int]int{}}}
			maps.Copy(next.m.values, of.m.values)
			k := rapid.IntRange(0, keys).Draw(t, "key")
			if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
				next.d.Delete(k)
				next.m.delete(k)
			} else {
				v := rapid.IntRange(0, 1).Draw(t, "value")
				next.d.Set(k, v)
				next.m.set(k, v)
			}
			pairs = append(pairs, next)
		}
		for i, p := range pairs {
			if got, want := text(p.d), p.m.text(); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			if of := Of(p.d.All); !of.Equal(p.d) || of.Len() != p.d.Len() {
				t.Fatalf("made at once: got %s, want %s", text(of), text(p.d))
			}
			if p.d.Len() != len(p.m.keys) || !slices.Equal(slices.Collect(p.d.Keys()), p.m.keys) {
				t.Fatalf("%d keys %v, want %v", p.d.Len(), slices.Collect(p.d.Keys()), p.m.keys)
			}
			k := rapid.IntRange(-1, keys+1).Draw(t, "looked up")
			v, ok := p.d.Get(k)
			if want, has := p.m.values[k]; v != want || ok != has || p.d.Has(k) != has {
				t.Fatalf("%d: got %d %v, want %d %v", k, v, ok, want, has)
			}
			for _, q := range pairs[:i] {
				if equal := p.m.text() == q.m.text(); p.d.Equal(q.d) != equal {
					t.Fatalf("%s equals %s: got %v", p.m.text(), q.m.text(), !equal)
				}
			}
		}
	})
}

// Goal: keys with equal hashes stay distinct. Method: items with artificial hashes, some of which
// end a chunk.
func TestKeysOfOneHashAreKeptApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash := func(k int) uint64 { return uint64(k%3) * meanChunk / 2 }
		var d Dict[int, string]
		had := map[int]bool{}
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			k := rapid.IntRange(0, 20).Draw(t, "key")
			if had[k] = rapid.Bool().Draw(t, "set"); had[k] {
				d.set(item[int, string]{hash(k), k, strconv.Itoa(k)})
			} else {
				d.delete(hash(k), k)
			}
		}
		var again Dict[int, string]
		for k, v := range d.All {
			if i, j := d.find(hash(k), k); i < 0 || d.chunks[i].items[j].key != k || v != strconv.Itoa(k) || !had[k] {
				t.Fatalf("%d: got %q", k, v)
			}
			delete(had, k)
			again.set(item[int, string]{hash(k), k, v})
		}
		for k := range 21 {
			if had[k] {
				t.Fatalf("%d is gone", k)
			}
		}
		if !again.Equal(&d) {
			t.Fatal("an equal map is cut in another way")
		}
	})
}

// Goal: the order is as the package documentation promises. Method: the example in Python's
// documentation.
func TestAKeyThatIsSetAgainKeepsItsPlace(t *testing.T) {
	with := func(d *Dict[string, int], delete, set string, v int) *Dict[string, int] {
		d = d.Copy()
		d.Delete(delete)
		d.Set(set, v)
		return d
	}
	d := of([]string{"a"}, 1)
	d.Set("b", 2)
	d.Set("c", 3)
	if got := text(with(d, "", "a", 9)); got != "a:9 b:2 c:3 " {
		t.Errorf("set again: got %s", got)
	}
	if got := text(with(d, "a", "a", 1)); got != "b:2 c:3 a:1 " {
		t.Errorf("deleted and set again: got %s", got)
	}
	if got := text(d); got != "a:1 b:2 c:3 " {
		t.Errorf("the map itself: got %s", got)
	}
	twice := func(yield func(string, int) bool) {
		_ = yield("a", 0) && yield("b", 2) && yield("a", 1) && yield("c", 3)
	}
	if got := text(Of(twice)); got != text(d) {
		t.Errorf("made at once: got %s, want %s", got, text(d))
	}
	for _, k := range []string{"a", "b", "c", "c"} {
		d.Delete(k)
	}
	if d.Len() != 0 || d.Has("a") || !d.Equal(&Dict[string, int]{}) {
		t.Error("a map without keys has some")
	}
}

// names returns n keys of the kind that agents use.
func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("replica-%05d", i)
	}
	return list
}

func of(keys []string, value int) *Dict[string, int] {
	d := &Dict[string, int]{}
	for _, k := range keys {
		d.Set(k, value)
	}
	return d
}

// Goal: many goroutines can use maps at the same time, and equal maps made on different goroutines
// compare as equal. Method: each goroutine makes the same maps, in an order of its own.
func TestManyGoroutinesFindTheSameMaps(t *testing.T) {
	keys := names(300)
	var wait sync.WaitGroup
	made := make([]*Dict[string, int], 8)
	for g := range made {
		wait.Go(func() {
			d := of(keys, 0)
			for i := range keys {
				d.Set(keys[(i*7+g)%len(keys)], 1)
			}
			d.Delete(keys[5])
			d.Set(keys[5], 1)
			made[g] = d
		})
	}
	wait.Wait()
	for _, d := range made {
		if !d.Equal(made[0]) {
			t.Fatal("equal maps of two goroutines have different chunks")
		}
	}
}

// Goal: reading allocates no memory. A change allocates none either if the resulting chunk already
// exists.
func TestReadingAllocatesNothing(t *testing.T) {
	keys := names(1000)
	d := of(keys, 0)
	other := d.Copy()
	other.Set(keys[500], 1)
	change := of(keys, 0)
	for _, test := range []struct {
		what string
		fn   func()
	}{
		{"Get", func() { d.Get(keys[700]) }},
		{"All", func() { d.All(func(string, int) bool { return true }) }},
		{"Equal", func() { d.Equal(other) }},
		{"an equal value", func() { d.Set(keys[500], 0) }},
		{"a change again", func() { change.Set(keys[500], 1); change.Set(keys[500], 0) }},
		{"a key not there", func() { d.Delete("none") }},
	} {
		if n := testing.AllocsPerRun(100, test.fn); n != 0 {
			t.Errorf("%s: got %.1f allocations, want none", test.what, n)
		}
	}
	runtime.KeepAlive([]*Dict[string, int]{other, of(keys, 0)})
}

func heapBytes() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Goal: a thousand slightly different maps of a thousand keys take a fraction of the memory of a
// thousand Go maps. Method: in map number n the first n keys have another value, as if its holder
// had seen only a part of the changes. A Go map is measured for comparison.
func TestNearlyEqualMapsAreShared(t *testing.T) {
	keys := names(1000)
	before := heapBytes()
	plain := make(map[string]int, len(keys))
	for _, k := range keys {
		plain[k] = 0
	}
	one := heapBytes() - before
	runtime.KeepAlive(plain)

	before = heapBytes()
	holders := make([]*Dict[string, int], 1000)
	d := of(keys, 0)
	for i := range holders {
		d.Set(keys[i], 1)
		holders[i] = d.Copy()
	}
	all := heapBytes() - before
	if per := all / int64(len(holders)); per > one/10 {
		t.Errorf("a holder takes %d bytes, a map of Go's %d; want a tenth", per, one)
	}
	runtime.KeepAlive(holders)
}

// Goal: chunks that no map uses are freed. Method: make maps of a type of their own, drop them, and
// look into the space of that type.
func TestWhatNobodyHoldsGoes(t *testing.T) {
	type own string
	func() {
		var d Dict[own, int]
		for i := range 5000 {
			d.Set(own(strconv.Itoa(i%300)), i)
		}
	}()
	heapBytes()
	s := spaceOf[own, int]()
	s.sweep()
	if n := len(s.at); n > 20 {
		t.Errorf("%d parts of maps are left, want those of one at most", n)
	}
	var again Dict[own, int]
	if again.Set("1", 1); again.Len() != 1 || !again.Has("1") {
		t.Error("a map after that is wrong")
	}
}

func BenchmarkDict(b *testing.B) {
	keys := names(1000)
	d := of(keys, 0)
	b.Run("get", func(b *testing.B) {
		for i := range b.N {
			d.Get(keys[i%len(keys)])
		}
	})
	b.Run("all", func(b *testing.B) {
		for range b.N {
			d.All(func(string, int) bool { return true })
		}
	})
	b.Run("set that is there", func(b *testing.B) {
		other := of(keys, 1)
		m := d.Copy()
		b.ReportAllocs()
		for i := range b.N {
			m.Set(keys[i%len(keys)], i/len(keys)%2)
		}
		runtime.KeepAlive(other)
	})
	b.Run("set anew", func(b *testing.B) {
		b.ReportAllocs()
		m := d.Copy()
		for i := range b.N {
			m.Set(keys[i%len(keys)], i)
		}
	})
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			of(keys, i)
		}
	})
}
