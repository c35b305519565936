// Package tfrecord reads TFRecord files from memory, and reports damage with TensorFlow's error
// texts (tensorflow core/lib/io/record_reader.cc). Package engine/tfrecord defines the format of
// records, and writes them.
//
// The two things to use first:
//
//	r := tfrecord.NewReader(data)
//	record, err := r.Next()       // io.EOF at the end
//
// Unstable: any commit may change it.
package tfrecord

import (
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/tfrecord"
)

// A record consists of its length, the checksum of the length, the content, and the checksum of the
// content.
const (
	lengthBytes   = 8
	checksumBytes = 4
	headerBytes   = lengthBytes + checksumBytes
)

// DataLoss is the error for a damaged file, with TensorFlow's text.
type DataLoss string

func (e DataLoss) Error() string { return string(e) }

// Reader reads the records of a file in memory. Newer selects the longer error texts of TensorFlow
// versions after 2.4. Set it before the first Next.
type Reader struct {
	Newer  bool
	data   []byte
	offset uint64
}

// NewReader returns a reader at the beginning of data, which must not change.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Next returns the next record, as a slice of the data. The error is io.EOF at the end of the data,
// also if the data ends within a record's length. For damage it is a DataLoss with the offset of
// the record, or of its content if only the content is damaged.
func (r *Reader) Next() ([]byte, error) {
	header, err := r.checked(r.offset, lengthBytes)
	if err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint64(header)
	record, err := r.checked(r.offset+headerBytes, length)
	if err == io.EOF {
		return nil, r.loss("truncated record at %d", r.offset, "' failed with Read less bytes than requested")
	}
	if err != nil {
		return nil, err
	}
	r.offset += headerBytes + length + checksumBytes
	return record, nil
}

// checked returns the n bytes at an offset, if the checksum after them matches. It returns io.EOF
// if the data is too short.
func (r *Reader) checked(offset, n uint64) ([]byte, error) {
	tail := ""
	if offset == 0 {
		tail = " (Is this even a TFRecord file?)"
	}
	rest := r.data[min(offset, uint64(len(r.data))):]
	switch {
	case n >= 1<<64-1-checksumBytes:
		return nil, r.loss("record size too large", 0, tail)
	case uint64(len(rest)) < n+checksumBytes:
		return nil, io.EOF
	case binary.LittleEndian.Uint32(rest[n:]) != tfrecord.MaskedCRC(rest[:n]):
		return nil, r.loss("corrupted record at %d", offset, tail)
	}
	return rest[:n:n], nil
}

func (r *Reader) loss(text string, offset uint64, tail string) DataLoss {
	text = strings.Replace(text, "%d", strconv.FormatUint(offset, 10), 1)
	if r.Newer {
		text += tail
	}
	return DataLoss(text)
}
