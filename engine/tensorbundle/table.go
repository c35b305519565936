package tensorbundle

import (
	"encoding/binary"

	"github.com/monosim/monosim/engine/tfrecord"
)

// A table consists of blocks of sorted keys and their values, an empty block, a block that has the
// last key of each other block with its place, and a footer (table_builder.cc and format.cc of
// TensorFlow 2.4, after LevelDB).
const (
	// blockBytes is the size from which a block of keys is closed.
	blockBytes = 262144
	// restartInterval is the number of keys from one that is written whole to the next. The keys
	// between omit the prefix that they share with the key before.
	restartInterval = 16
	// trailerBytes is the length of what follows a block: its kind, and a checksum.
	trailerBytes = 5
	footerBytes  = 48
	magicBytes   = 8
	magic        = 0xdb4775248b80fb57
)

// table is a table that is being written. Keys are added in their order.
type table struct {
	file  []byte
	keys  block // the present block
	last  string
	index block
	// closed is the place of a block that has no key in the index yet; nil for none.
	closed *handle
}

// handle is the place of a block in a file.
type handle struct{ offset, size int }

func (h handle) append(to []byte) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(h.offset)), uint64(h.size))
}

func (t *table) add(key string, value []byte) {
	if t.closed != nil {
		t.indexed(separator(t.last, key))
	}
	t.keys.add(key, value, restartInterval)
	t.last = key
	if t.keys.size() >= blockBytes {
		t.close()
	}
}

// close ends the present block of keys.
func (t *table) close() {
	h := t.write(t.keys.finish())
	t.closed, t.keys = &h, block{}
}

// indexed adds the closed block to the index, under a key that is not before any of its keys.
func (t *table) indexed(key string) {
	t.index.add(key, t.closed.append(nil), 1)
	t.closed = nil
}

// write appends a block with its trailer.
func (t *table) write(content []byte) handle {
	h := handle{len(t.file), len(content)}
	t.file = append(append(t.file, content...), 0) // not compressed
	t.file = binary.LittleEndian.AppendUint32(t.file, tfrecord.MaskedCRC(t.file[h.offset:]))
	return h
}

func (t *table) finish() []byte {
	if !t.keys.isEmpty() {
		t.close()
	}
	meta := t.write((&block{}).finish())
	if t.closed != nil {
		t.indexed(successor(t.last))
	}
	index := t.write(t.index.finish())
	footer := index.append(meta.append(nil))
	footer = append(footer, make([]byte, footerBytes-magicBytes-len(footer))...)
	return append(t.file, binary.LittleEndian.AppendUint64(footer, magic)...)
}

// separator returns a short key from a on that is before b.
func separator(a, b string) string {
	at := shared(a, b)
	if at < len(a) && at < len(b) && a[at] < 0xff && a[at]+1 < b[at] {
		return a[:at] + string([]byte{a[at] + 1})
	}
	return a
}

// successor returns a short key from a on.
func successor(a string) string {
	for i := range len(a) {
		if a[i] != 0xff {
			return a[:i] + string([]byte{a[i] + 1})
		}
	}
	return a
}

// shared returns the length of what two keys begin with.
func shared(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// block is a block that is being written.
type block struct {
	content  []byte
	restarts []uint32
	since    int // number of keys since the last one that is stored whole
	last     string
}

func (b *block) isEmpty() bool { return len(b.content) == 0 }

func (b *block) add(key string, value []byte, interval int) {
	same := 0
	if len(b.restarts) == 0 || b.since == interval {
		b.restarts, b.since = append(b.restarts, uint32(len(b.content))), 0
	} else {
		same = shared(b.last, key)
	}
	for _, n := range []int{same, len(key) - same, len(value)} {
		b.content = binary.AppendUvarint(b.content, uint64(n))
	}
	b.content = append(append(b.content, key[same:]...), value...)
	b.last, b.since = key, b.since+1
}

// size returns how long the block is at present.
func (b *block) size() int { return len(b.content) + 4*max(len(b.restarts), 1) + 4 }

func (b *block) finish() []byte {
	restarts := b.restarts
	if len(restarts) == 0 {
		restarts = []uint32{0}
	}
	for _, at := range append(restarts, uint32(len(restarts))) {
		b.content = binary.LittleEndian.AppendUint32(b.content, at)
	}
	return b.content
}
