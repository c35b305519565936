// Package tfrecord reads and writes TFRecord files: records of bytes, each behind its length,
// both with a masked CRC-32C (record_reader.cc and record_writer.cc of TensorFlow 2.4).
//
// Two things to use first:
//
//   - [NewReader] reads records one after the other and checks them.
//   - [Append] adds a record to bytes that become a file.
//
// A damaged file gives all records before the damage, then a [DamageError]. To change how records
// are framed look in tfrecord.go; what damage is, in reader.go.
//
// Unstable: any commit may change it.
package tfrecord

import (
	"encoding/binary"
	"hash/crc32"
)

// A record consists of its length (8 bytes, little endian), the checksum of these 8 bytes, the
// data, and the checksum of the data.
const (
	lengthBytes = 8
	crcBytes    = 4
	headerBytes = lengthBytes + crcBytes
)

// Overhead is the number of bytes that a record needs in addition to its data.
const Overhead = headerBytes + crcBytes

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskDelta alters a stored checksum, so that data containing checksums can be checksummed safely.
const maskDelta = 0xa282ead8

// MaskedCRC returns the checksum of data in the form in which files store it.
func MaskedCRC(data []byte) uint32 {
	crc := crc32.Checksum(data, castagnoli)
	return (crc>>15 | crc<<17) + maskDelta
}

// Append appends the record of data to dst and returns the extended slice.
func Append(dst, data []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(data)))
	dst = binary.LittleEndian.AppendUint32(dst, MaskedCRC(dst[at:at+lengthBytes]))
	dst = append(dst, data...)
	return binary.LittleEndian.AppendUint32(dst, MaskedCRC(data))
}
