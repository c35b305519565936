// Package tfrecord reads and writes TFRecord files: records of bytes with
// checksums (tensorflow core/lib/io/record_reader.cc).
//
// The two things to use first:
//
//	r := tfrecord.NewReader(data)
//	record, err := r.Next()       // io.EOF at the end
//	data = tfrecord.Append(data, record)
package tfrecord

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// Around a record are its length with a checksum, and its own checksum.
const (
	lengthBytes   = 8
	checksumBytes = 4
	headerBytes   = lengthBytes + checksumBytes
)

// DataLoss is damage that a reader found, in TensorFlow's words.
type DataLoss string

func (e DataLoss) Error() string { return string(e) }

// Reader reads the records of a file in memory. Newer adds what TensorFlow after
// 2.4 says more of damage; set it before the first Next.
type Reader struct {
	Newer  bool
	data   []byte
	offset uint64
}

// NewReader reads from the beginning of data, which must not change.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// Next returns the next record, a part of the data. The error is io.EOF or a DataLoss,
// which names the offset of the record, or of its content if only that is damaged. A
// file that ends within the length of a record ends before it.
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

// checked is n bytes at an offset; their checksum follows them. io.EOF says that
// the data ends before.
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
	case binary.LittleEndian.Uint32(rest[n:]) != checksum(rest[:n]):
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

// Append appends a record with its checksums to the bytes of a file, and returns them.
func Append(file, record []byte) []byte {
	header := binary.LittleEndian.AppendUint64(nil, uint64(len(record)))
	file = append(file, header...)
	file = binary.LittleEndian.AppendUint32(file, checksum(header))
	file = append(file, record...)
	return binary.LittleEndian.AppendUint32(file, checksum(record))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is the masked CRC (tensorflow lib/hash/crc32c.h): a CRC of data that
// holds CRCs would be weak.
func checksum(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + 0xa282ead8
}
