package files

import (
	"bytes"
	"hash/crc32"
	"slices"
)

// contents are the small ones that were written last to trees of one image. Pods of one
// cluster write the same files and the same first lines of logs, so that nearly all of
// them share what they have written.
type contents struct {
	recent [256][]byte // by checksum
	joined []byte      // for with
}

// maxShared is the size up to which contents are shared: longer ones are seldom alike, and
// looking for one takes as long as they are.
const maxShared = 4096

// with is old with more behind it, for the content of a file. Neither is kept but as what
// it is.
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
