package files

import (
	"bytes"
	"hash/crc32"
	"slices"
)

// contents shares equal small file contents between the trees of one image. It remembers recently
// written contents only. Pods of one cluster write the same files and the same first lines of
// logs, so nearly all contents are shared.
type contents struct {
	recent [256][]byte // recent is indexed by checksum
	joined []byte      // joined is the buffer of contents.with
}

// maxShared is the size in bytes up to which contents are shared. Longer contents are rarely equal
// and cost more to compare.
const maxShared = 4096

// with appends the bytes in more to the content old and returns the result. If an equal content is
// known, it returns the known slice, to save memory. It does not keep the argument more.
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
