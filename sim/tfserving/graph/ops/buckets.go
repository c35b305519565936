package ops

import (
	"maps"
	"slices"

	"github.com/monosim/monosim/sim/tfserving/graph/value"
)

// bucketOps holds the handles of tables whose keys and values lie in buckets, which an export shows
// (core/kernels/lookup_table_op.cc, MutableDenseHashTable).
var bucketOps = map[string]Kernel{"MutableDenseHashTable": bucketHandle, "MutableDenseHashTableV2": bucketHandle}

// buckets is a table with open addressing. Two keys stand for a bucket that is empty and for one
// whose key was removed, so that neither may be a key.
type buckets struct {
	empty, deleted Value
	size           int     // size is the number of buckets, a power of 2
	load           float64 // load is the greatest part of the buckets that may be in use
	entries        int
	used           map[int]bucket // used has the buckets that are not empty
	shape          []int          // shape is the shape of a value, of the given dtype
	dtype          DType
}

// bucket holds a key, which may be the one for a removed key, and its last value.
type bucket struct{ key, value Value }

func bucketHandle(c *Call) ([]Value, error) {
	size := c.Number("initial_num_buckets")
	shape, _ := c.Shape("value_shape")
	keyShape, _ := c.Shape("key_shape")
	switch {
	case size < 4:
		return nil, Invalidf("Number of buckets must be at least 4, got: %d", size)
	case size&(size-1) != 0:
		return nil, Invalidf("Number of buckets must be a power of 2, got: %d", size)
	case len(keyShape) > 0 || c.In[0].Rank() > 0 || c.In[1].Rank() > 0:
		return nil, c.Unsupported("keys that are no scalars")
	case keyAt(c.In[0], 0) == keyAt(c.In[1], 0):
		return nil, Invalidf("Empty and deleted keys cannot be equal")
	}
	found := c.Env.State().find(c.sharedName(), cell{keyType: c.TypeOf("key_dtype"), valueType: c.TypeOf("value_dtype"), valueShape: shape})
	found.state.lock.Lock()
	defer found.state.lock.Unlock()
	if found.buckets == nil {
		found.buckets = &buckets{empty: c.In[0].Reshape([]int{1}), deleted: c.In[1].Reshape([]int{1}), size: size, load: c.Float("max_load_factor"),
			used: map[int]bucket{}, shape: shape, dtype: c.TypeOf("value_dtype")}
	}
	return handle(found)
}

// hashOf returns the number that says where the search for a key begins.
func hashOf(key any) int {
	switch key := key.(type) {
	case int64:
		return int(key)
	case string:
		return int(murmurHash(hashSeed, key))
	}
	return 0
}

// place returns the bucket that holds a key, or else the one in which the search ends: the first
// that is empty or, if taken is false, whose key was removed.
func (b *buckets) place(key any, taken bool) (at int, found bool) {
	at = hashOf(key) & (b.size - 1)
	for probe := 1; ; probe++ {
		held, ok := b.used[at]
		switch {
		case ok && keyAt(held.key, 0) == key:
			return at, true
		case !ok || !taken && keyAt(held.key, 0) == keyAt(b.deleted, 0), probe > b.size:
			return at, false
		}
		at = (at + probe) & (b.size - 1)
	}
}

// keys checks the shape of the input that holds keys, and returns the number of keys.
func (b *buckets) keys(v Value) (int, error) {
	n := 1
	if v.Rank() > 0 {
		n = v.Shape()[0]
	}
	if v.Len() != n {
		return 0, Invalidf("Expected key shape [%d] got %s", n, value.ShapeText(v.Shape()))
	}
	return n, nil
}

// valid returns the error for a key that stands for a bucket without one.
func (b *buckets) valid(key any) error {
	switch key {
	case keyAt(b.empty, 0):
		return Invalidf("Using the empty_key as a table key is not allowed")
	case keyAt(b.deleted, 0):
		return Invalidf("Using the deleted_key as a table key is not allowed")
	}
	return nil
}

// insert puts keys with their values into the table. The keys before one that is not valid stay.
func (b *buckets) insert(keys, values Value) error {
	n, err := b.keys(keys)
	if err != nil {
		return err
	}
	size := b.size
	for float64(b.entries+n) > float64(size)*b.load {
		size *= 2
	}
	if size > MaxElements {
		return OutOfMemory(b.dtype, []int{size})
	}
	if size > b.size {
		b.resize(size)
	}
	keys, values = keys.Reshape([]int{n}), values.Reshape(append([]int{n}, b.shape...))
	for i := range n {
		if err := b.valid(keyAt(keys, i)); err != nil {
			return err
		}
		b.put(bucket{keys.Rows(i, i+1), values.Rows(i, i+1)})
	}
	return nil
}

func (b *buckets) put(x bucket) {
	at, found := b.place(keyAt(x.key, 0), false)
	if !found {
		b.entries++
	}
	b.used[at] = x
}

// resize moves all entries into a table of another size, in the order of their buckets.
func (b *buckets) resize(size int) {
	old := b.used
	b.size, b.entries, b.used = size, 0, map[int]bucket{}
	for _, at := range slices.Sorted(maps.Keys(old)) {
		if keyAt(old[at].key, 0) != keyAt(b.deleted, 0) {
			b.put(old[at])
		}
	}
}

// remove removes keys, up to one that is not valid. Their values stay in the buckets.
func (b *buckets) remove(keys Value) error {
	n, err := b.keys(keys)
	if err != nil {
		return err
	}
	for i := range n {
		key := keyAt(keys, i)
		if err := b.valid(key); err != nil {
			return err
		}
		if at, found := b.place(key, true); found {
			b.used[at] = bucket{b.deleted, b.used[at].value}
			b.entries--
		}
	}
	return nil
}

// find returns the values of keys, and the first value of fallback for those that the table lacks.
func (b *buckets) find(keys, fallback Value) (Value, error) {
	if _, err := b.keys(keys); err != nil {
		return Value{}, err
	}
	each, _ := value.Count(b.shape)
	values := []Value{fallback.Reshape([]int{fallback.Len()}).Rows(0, min(each, fallback.Len()))}
	rows := make([]int, keys.Len())
	for i := range rows {
		key := keyAt(keys, i)
		if err := b.valid(key); err != nil {
			return Value{}, err
		}
		if at, found := b.place(key, true); found {
			rows[i] = len(values)
			values = append(values, b.used[at].value)
		}
	}
	return rowsAt(value.Join(values...), b.shape, rows).Reshape(slices.Concat(keys.Shape(), b.shape)), nil
}

// all returns the keys and the values of all buckets.
func (b *buckets) all() (keys, values Value) {
	each, _ := value.Count(b.shape)
	none, _ := value.Zeros(b.dtype, []int{each})
	allKeys, allValues := make([]Value, b.size), make([]Value, b.size)
	for at := range b.size {
		held, ok := b.used[at]
		if !ok {
			held = bucket{b.empty, none}
		}
		allKeys[at], allValues[at] = held.key, held.value
	}
	return value.Join(allKeys...).Reshape([]int{b.size, 1}), value.Join(allValues...).Reshape(append([]int{b.size}, b.row()...))
}

// row returns the shape of a value in an export, which has no scalars.
func (b *buckets) row() []int {
	if len(b.shape) == 0 {
		return []int{1}
	}
	return b.shape
}

// restore replaces all buckets by those of an export.
func (b *buckets) restore(keys, values Value) error {
	want := b.row()
	if keys.Rank() > 1 {
		want = slices.Concat(keys.Shape()[:1], want)
	}
	if !slices.Equal(values.Shape(), want) {
		return Invalidf("Expected shape %s for value, got %s", value.ShapeText(want), value.ShapeText(values.Shape()))
	}
	n := keys.Len()
	if keys.Rank() != 2 || keys.Shape()[1] != 1 || n < 4 || n&(n-1) != 0 {
		return &Unsupported{"LookupTableImportV2: keys that are no buckets, which end the process"}
	}
	b.size, b.entries, b.used = n, 0, map[int]bucket{}
	for i := range n {
		key := keys.Reshape([]int{n}).Rows(i, i+1)
		if keyAt(key, 0) == keyAt(b.empty, 0) {
			continue
		}
		b.used[i] = bucket{key, values.Rows(i, i+1)}
		if b.valid(keyAt(key, 0)) == nil {
			b.entries++
		}
	}
	return nil
}
