// Package dict has maps with Python's order that share what is the same: a thousand processes
// that hold nearly equal maps hold little more than one, and comparing two costs next to nothing.
//
// Two things to use first:
//
//   - [Dict], whose zero value is empty: m.Set(k, v) is Python's m[k] = v.
//   - [Dict.All] goes through a map in its order.
//
// To change how
//
//   - a map is looked up and changed, look in dict.go;
//   - it is cut into parts that maps share, and equal parts are found, in chunk.go;
//   - contents are decoded once for all, in readings.go.
//
// Unstable: any commit may change it.
package dict

import (
	"hash/maphash"
	"iter"
	"slices"
)

// Dict is a map in the order in which its keys were set first. A key that is set again keeps its
// place; one that was deleted and is set again comes last. The zero value is empty. Use [Dict.Copy]
// to duplicate a map, never an assignment. Only one goroutine at a time may use a map, also to look
// keys up.
//
// Cost: a look-up or a change goes through the list of chunks, with some 8 keys in each, and
// searches about one of them. Keys that are looked up in the order of the map are found at once.
type Dict[K, V comparable] struct {
	chunks []part[K, V]
	length int
	shared bool // another map uses the same list of chunks, so the list must not be changed
	near   int  // the index of the chunk in which a key was found last
}

// Of returns a map with the keys and values of the sequence, set in its order.
func Of[K, V comparable](all iter.Seq2[K, V]) *Dict[K, V] {
	d := &Dict[K, V]{}
	var open []item[K, V] // behind those of d
	for k, v := range all {
		it := item[K, V]{maphash.Comparable(seed, k), k, v}
		if i, _ := d.find(it.hash, k); i >= 0 {
			d.set(it)
			continue
		}
		if j := slices.IndexFunc(open, func(o item[K, V]) bool { return o.hash == it.hash && o.key == k }); j >= 0 {
			open[j] = it
			continue
		}
		if open = append(open, it); it.ends() {
			d.chunks = append(d.chunks, spaceOf[K, V]().chunk(open...).part())
			d.length, open = d.length+len(open), open[:0]
		}
	}
	if len(open) > 0 {
		d.chunks = append(d.chunks, spaceOf[K, V]().chunk(open...).part())
		d.length += len(open)
	}
	return d
}

// Copy returns a map with the same keys and values. It copies nothing until one of the two maps is
// changed.
func (d *Dict[K, V]) Copy() *Dict[K, V] {
	d.shared = true
	return &Dict[K, V]{chunks: d.chunks, length: d.length, shared: true}
}

// seed is the seed of all hashes. It influences where maps are divided into chunks, which callers
// cannot see.
var seed = maphash.MakeSeed()

// Len counts the keys.
func (d *Dict[K, V]) Len() int { return d.length }

// Get looks a key up; ok reports whether the map has it.
func (d *Dict[K, V]) Get(k K) (v V, ok bool) {
	if i, j := d.find(maphash.Comparable(seed, k), k); i >= 0 {
		return d.chunks[i].items[j].value, true
	}
	return v, false
}

// Has reports whether the map has a key.
func (d *Dict[K, V]) Has(k K) bool {
	_, ok := d.Get(k)
	return ok
}

// find returns the index of the chunk with a key, and the key's index in that chunk. It returns -1,
// -1 if the map does not have the key.
func (d *Dict[K, V]) find(hash uint64, k K) (i, j int) {
	bits := bitsOf(hash)
	i = d.near
	for range d.chunks {
		if i >= len(d.chunks) {
			i = 0
		}
		if p := &d.chunks[i]; p.words[0]&bits[0] != 0 && p.words[1]&bits[1] != 0 {
			if j := p.find(hash, k); j >= 0 {
				d.near = i
				return i, j
			}
		}
		i++
	}
	return -1, -1
}

// Equal reports whether two maps have the same keys with the same values in the same order.
func (d *Dict[K, V]) Equal(o *Dict[K, V]) bool { return slices.Equal(d.chunks, o.chunks) }

// Set gives a key a value.
func (d *Dict[K, V]) Set(k K, v V) {
	d.set(item[K, V]{maphash.Comparable(seed, k), k, v})
}

func (d *Dict[K, V]) set(it item[K, V]) {
	i, j := d.find(it.hash, it.key)
	if i >= 0 && d.chunks[i].items[j].value == it.value {
		return
	}
	d.own()
	if i < 0 {
		d.length++
		j, i = -1, len(d.chunks)-1
		if i < 0 || d.chunks[i].last().ends() {
			d.chunks = append(d.chunks, spaceOf[K, V]().chunk(it).part())
			return
		}
	}
	d.chunks[i] = d.chunks[i].set(j, it).part()
}

// Delete removes a key. It does nothing if the map does not have the key.
func (d *Dict[K, V]) Delete(k K) { d.delete(maphash.Comparable(seed, k), k) }

func (d *Dict[K, V]) delete(hash uint64, k K) {
	i, j := d.find(hash, k)
	if i < 0 {
		return
	}
	d.own()
	d.length--
	items := slices.Delete(slices.Clone(d.chunks[i].items), j, j+1)
	// the removed item ended its chunk, so the chunk has to be joined with the next one
	if j == len(items) && i+1 < len(d.chunks) {
		items = append(items, d.chunks[i+1].items...)
		d.chunks = slices.Delete(d.chunks, i, i+1)
	}
	if len(items) == 0 {
		d.chunks = slices.Delete(d.chunks, i, i+1)
	} else {
		d.chunks[i] = spaceOf[K, V]().chunk(items...).part()
	}
}

// own copies the list of chunks if another map shares it, so that it can be changed.
func (d *Dict[K, V]) own() {
	if d.shared {
		d.chunks, d.shared = slices.Clone(d.chunks), false
	}
}

// All passes each key and its value to yield, in the order of the map. It stops when yield returns
// false.
func (d *Dict[K, V]) All(yield func(K, V) bool) {
	for _, c := range d.chunks {
		for i := range c.items {
			if it := &c.items[i]; !yield(it.key, it.value) {
				return
			}
		}
	}
}

// Keys returns the keys in the order of the map.
func (d *Dict[K, V]) Keys() iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range d.All {
			if !yield(k) {
				return
			}
		}
	}
}
