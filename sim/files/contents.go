package files

import (
	"bytes"
	"hash/crc32"
	"slices"
)

// contents shares the small contents that were written last to the trees of one image. Pods of one
// cluster write the same files and the same first lines of logs, so nearly all of that is shared.
type contents struct {
	recent [256][]byte // by checksum
	joined []byte      // with's buffer
}

// maxShared is the size in bytes up to which contents are shared. Longer ones are seldom equal, and a
// search takes as long as they are.
const maxShared = 4096

// with returns old with more appended, as the content of a file. It returns a shared slice where it
// can, and does not keep more.
func (c *contents) with(old, more []byte) []byte {
	if c == nil || len(old)+len(more) > maxShared {
		return append(old, more...)
	}
	c.joined = append(append(c.joined[:0], old...), more...)
	if len(c.joined) == 0 {
		return nil
	}
	at := &c.recent[crc32.ChecksumIEEE(c.joined)%uint32(len(c.recent))]
	if !bytes.Equal(*at, c.joined) {
		*at = slices.Clip(bytes.Clone(c.joined))
	}
	return *at
}
