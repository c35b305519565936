package tfrecord

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/monosim/monosim/engine/pysem"
)

// Reader reads records.
type Reader struct {
	src     io.Reader
	buf     []byte
	from    int   // index in buf of the first byte that was read but not returned
	to      int   // index in buf behind the last byte that was read
	offset  int64 // position in the file of buf[from]
	records int
	err     error
}

// readAhead is the number of bytes requested from the source at a time.
const readAhead = 1 << 18

// NewReader returns a reader of the records in src.
func NewReader(src io.Reader) *Reader { return &Reader{src: src} }

// DamageError reports where a file stops being a valid record file. The records before that
// position are valid.
type DamageError struct {
	// Records is the number of records before the damage.
	Records int
	// Offset is the byte offset at which the damaged part of a record begins.
	Offset int64
	// Reason describes what was found and what was expected.
	Reason string
	// TornHeader reports whether the file ends within the twelve bytes before a record's data.
	// TensorFlow treats that as the end of the file. Nothing of the record's data is present.
	TornHeader bool

	python error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("record %d at byte %d: %s", e.Records, e.Offset, e.Reason)
}

// Unwrap returns the DataLossError that TensorFlow raises.
func (e *DamageError) Unwrap() error { return e.python }

func (r *Reader) damage(ahead int, python error, format string, args ...any) error {
	r.err = &DamageError{Records: r.records, Offset: r.offset + int64(ahead), Reason: fmt.Sprintf(format, args...), python: python}
	return r.err
}

// Next returns the next record, which is valid until the next call. After the last record the
// error is io.EOF. A damaged file results in a [DamageError]. After an error, Next returns the
// same error again.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	have, err := r.fill(headerBytes)
	switch {
	case err != nil:
		return nil, err
	case have == 0:
		r.err = io.EOF
		return nil, r.err
	case have < headerBytes:
		torn := &DamageError{Records: r.records, Offset: r.offset, TornHeader: true,
			Reason: fmt.Sprintf("found %d bytes at the end, want %d before the data of a record", have, headerBytes)}
		torn.python, r.err = truncated(r.offset), torn
		return nil, r.err
	}
	head := r.buf[r.from : r.from+headerBytes]
	if found, want := binary.LittleEndian.Uint32(head[lengthBytes:]), MaskedCRC(head[:lengthBytes]); found != want {
		return nil, r.damage(0, corrupted(r.offset), "found the checksum %08x of the length, want %08x", found, want)
	}
	return r.data(binary.LittleEndian.Uint64(head))
}

// data reads a record's data and checksum, which follow the header.
func (r *Reader) data(length uint64) ([]byte, error) {
	whole := int64(length) + Overhead
	if length > 1<<62 {
		whole = 1 << 62
	}
	have, err := r.fill(int(whole))
	if err != nil {
		return nil, err
	}
	if int64(have) < whole {
		return nil, r.damage(0, truncated(r.offset), "found %d bytes behind the header, want %d of data and %d of their checksum", have-headerBytes, length, crcBytes)
	}
	record := r.buf[r.from : r.from+int(whole)]
	data := record[headerBytes : headerBytes+int(length)]
	if found, want := binary.LittleEndian.Uint32(record[headerBytes+int(length):]), MaskedCRC(data); found != want {
		return nil, r.damage(headerBytes, corrupted(r.offset+headerBytes), "found the checksum %08x of %d bytes of data, want %08x", found, length, want)
	}
	r.from, r.offset, r.records = r.from+int(whole), r.offset+whole, r.records+1
	return data, nil
}

func corrupted(offset int64) error {
	return pysem.Raise("DataLossError", "corrupted record at %d", offset)
}

func truncated(offset int64) error {
	return pysem.Raise("DataLossError", "truncated record at %d' failed with Read less bytes than requested", offset)
}

// fill makes n bytes available in buf, starting at from, unless the source ends earlier. It
// returns how many are available, at most n. Memory grows with the bytes read, not with n.
func (r *Reader) fill(n int) (int, error) {
	for r.to-r.from < n {
		r.room(n)
		got, err := r.src.Read(r.buf[r.to:])
		r.to += got
		switch {
		case errors.Is(err, io.EOF):
			return min(n, r.to-r.from), nil
		case err != nil:
			r.err = err
			return 0, err
		}
	}
	return n, nil
}

// room makes space in buf after index to, for up to n bytes in total. buf grows to at most twice
// the bytes that it holds, or to readAhead.
func (r *Reader) room(n int) {
	if r.from > 0 && r.from == r.to {
		r.from, r.to = 0, 0
	}
	have := r.to - r.from
	if r.to < len(r.buf) && r.from+min(n, have+1) <= len(r.buf) {
		return
	}
	if size := min(n, max(2*have, readAhead)); size > len(r.buf) {
		grown := make([]byte, max(size, readAhead))
		copy(grown, r.buf[r.from:r.to])
		r.buf = grown
	} else {
		copy(r.buf, r.buf[r.from:r.to])
	}
	r.from, r.to = 0, have
}
