package clients

import (
	"encoding/binary"
	"math"

	"github.com/monosim/monosim/engine/pysem"
)

// StreamFraming describes what precedes each message in a data file, as the client's flags set it
// (tfs_client.py:58-61). Numbers take 8 bytes in little-endian order.
type StreamFraming struct {
	// LagrangexHeader means that a header of 8 bytes comes first. Then the other fields have no
	// effect.
	LagrangexHeader bool
	// HasSortID means that a sort id comes first: its size as a number, then its bytes.
	HasSortID bool
	// KafkaDump means that 8 more bytes come directly before the message.
	KafkaDump bool
	// KafkaDumpPrefix means that a number comes first. If that number is 0, another number follows.
	KafkaDumpPrefix bool
}

// DataStream reads messages from a data file, one after another.
type DataStream struct {
	data []byte
	at   int
	// allocates makes a read allocate all the bytes it asks for, as reading a real file does, even
	// if fewer are there.
	allocates bool
}

// NewDataStream reads from the bytes of a file.
func NewDataStream(data []byte) *DataStream { return &DataStream{data: data} }

// Consumed returns how many bytes have been read so far.
func (s *DataStream) Consumed() int { return s.at }

// maxAllocationBytes is a size that no process can allocate.
const maxAllocationBytes = 1 << 47

// read returns the next n bytes, or fewer at the end of the data.
func (s *DataStream) read(n uint64) ([]byte, error) {
	if n > math.MaxInt64 {
		return nil, pysem.Raise("OverflowError", "cannot fit 'int' into an index-sized integer")
	}
	if s.allocates && n >= maxAllocationBytes {
		return nil, &pysem.Error{Type: "MemoryError"}
	}
	end := s.at + int(min(n, uint64(len(s.data)-s.at)))
	data := s.data[s.at:end]
	s.at = end
	return data, nil
}

// readSize reads a number of 8 bytes. If fewer bytes are left, it is a struct.error.
func (s *DataStream) readSize() (uint64, error) {
	const sizeBytes = 8
	data, err := s.read(sizeBytes)
	if err != nil {
		return 0, err
	}
	if len(data) < sizeBytes {
		return 0, pysem.Raise("error", "unpack requires a buffer of 8 bytes")
	}
	return binary.LittleEndian.Uint64(data), nil
}

// ReadHeader skips what precedes a message (tfs_client.py:69). A number that is cut off is a
// struct.error. If there are both a prefix and a sort id, the prefix decides. After a prefix of 0
// it reads two more sizes, and ignores the first of them. Any other prefix is taken for the size of
// the sort id. The training side writes files in the same way, so there is nothing to repair
// (Q137).
func (s *DataStream) ReadHeader(f StreamFraming) error {
	const headerBytes = 8
	if f.LagrangexHeader {
		_, err := s.read(headerBytes)
		return err
	}
	var size uint64
	var err error
	known := false
	if f.KafkaDumpPrefix {
		if size, err = s.readSize(); err != nil {
			return err
		}
		known = size != 0
		if !known {
			if size, err = s.readSize(); err != nil {
				return err
			}
		}
	}
	if f.HasSortID {
		if !known {
			if size, err = s.readSize(); err != nil {
				return err
			}
		}
		if _, err := s.read(size); err != nil {
			return err
		}
	}
	if f.KafkaDump {
		_, err = s.read(headerBytes)
	}
	return err
}

// ReadData skips what precedes a message, reads the message's size, and returns that many bytes. At
// the end of the file it returns fewer (tfs_client.py:93). A number that is cut off is a
// struct.error.
func (s *DataStream) ReadData(f StreamFraming) ([]byte, error) {
	if err := s.ReadHeader(f); err != nil {
		return nil, err
	}
	size, err := s.readSize()
	if err != nil {
		return nil, err
	}
	return s.read(size)
}
