package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// This file distinguishes damage from a torn end. A process that is killed, or loses power, while
// writing leaves the front part of a record and nothing after it. That record was never
// acknowledged and is cut off. Any other invalid record is damage, and an operator must decide what
// to do.

// tail describes what follows the last valid record of a file.
type tail struct {
	records int // records is the number of valid records before the tail
	end     int // end is the offset in the file at which the tail begins
	torn    int // torn is the length of the tail without its trailing zeros, which are unused room
	// damage says why the tail is not a torn record. It is "" for a torn record or an empty tail.
	damage string
	size   int
}

// describe returns the tail of a file. rest is what follows the valid records, which are already
// applied to the state.
func (s *state) describe(rest []byte, records, size int) tail {
	written := bytes.TrimRight(rest, "\x00")
	t := tail{records: records, end: size - len(rest), torn: len(written), size: size}
	if len(written) < recordHeader {
		return t
	}
	length := int64(binary.BigEndian.Uint32(rest))
	whole := recordHeader + length
	switch at := s.wholeRecord(written); {
	case at > 0:
		t.damage = fmt.Sprintf("and a whole record follows at byte %d", t.end+at)
	case length == 0:
		t.damage = "as it has no length, and bytes follow"
	case whole <= int64(len(written)), whole == int64(len(rest)) && whole == int64(len(written))+1:
		t.damage = fmt.Sprintf("as its %d bytes are there and have another checksum", whole)
	case endsSomewhere(rest, len(written)):
		t.damage = fmt.Sprintf("as its length, %d, is not that of its bytes", length)
	}
	return t
}

// wholeRecord returns the offset of a complete record after the front of b; 0 if there is none. It
// only accepts a record that continues the state. This avoids computing a checksum at every offset
// where four bytes look like a length.
func (s *state) wholeRecord(b []byte) int {
	for at := 1; at+recordHeader+3*8 <= len(b); at++ {
		n := int64(binary.BigEndian.Uint32(b[at:]))
		if n < 3*8 || n > int64(len(b)-at-recordHeader) {
			continue
		}
		r := reader{rest: b[at+recordHeader:]}
		nowMs, zxid, nextSessionID := r.int64(), r.int64(), r.int64()
		if nowMs < s.nowMs || nowMs>>45 != 0 || zxid < s.zxid || (zxid-s.zxid)>>40 != 0 || nextSessionID < s.nextSessionID {
			continue
		}
		if _, _, ok := nextRecord(b[at:]); ok {
			return at
		}
	}
	return 0
}

// mostZeros is the largest number of zero bytes at the end of a record with which endsSomewhere
// still finds the record's end.
const mostZeros = 64

// endsSomewhere reports whether a record's checksum is right if the record is assumed to end near
// the last written byte, and not where its length field says. If so, only the length field is
// damaged.
func endsSomewhere(rest []byte, written int) bool {
	want := binary.BigEndian.Uint32(rest[4:])
	sum := crc32.Checksum(rest[recordHeader:written], castagnoli)
	for end := written; end < len(rest) && end < written+mostZeros && sum != want; end++ {
		sum = crc32.Update(sum, castagnoli, rest[end:end+1])
	}
	return sum == want
}

// refusal returns the error for a damaged file, which is left unchanged. It returns nil for a valid
// or torn file.
func (t *tail) refusal(name string) error {
	if t.damage == "" {
		return nil
	}
	return fmt.Errorf("%s: record %d, at byte %d of %d, is damaged, %s; nothing was changed", name, t.records+1, t.end, t.size, t.damage)
}
