package clients

import (
	"encoding/binary"
	"math"

	"github.com/monosim/monosim/engine/pysem"
)

// StreamFraming says what stands before each message of a data file, as the flags of
// the model server client do (tfs_client.py:58-61). Numbers in it are of 8 bytes,
// little-endian.
type StreamFraming struct {
	// LagrangexHeader is a header of 8 bytes; it makes the others void.
	LagrangexHeader bool
	// HasSortID is a sort id: its size as a number, and its bytes.
	HasSortID bool
	// KafkaDump is 8 bytes more, at the end of what stands before a message.
	KafkaDump bool
	// KafkaDumpPrefix is a number, and another one when that is 0.
	KafkaDumpPrefix bool
}

// DataStream reads messages from a data file, one after the other.
type DataStream struct {
	data []byte
	at   int
	// allocates says that a read takes the memory for all that it asks for, as
	// that of a file does, and not only for what is there.
	allocates bool
}

// NewDataStream reads from the bytes of a file.
func NewDataStream(data []byte) *DataStream { return &DataStream{data: data} }

// Consumed returns how many bytes were read so far.
func (s *DataStream) Consumed() int { return s.at }

// maxAllocationBytes is more than any process can have.
const maxAllocationBytes = 1 << 47

// read takes up to n bytes.
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

// readSize takes a number of 8 bytes; fewer are a struct.error.
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

// ReadHeader skips what stands before a message (tfs_client.py:69). A number that is
// cut off is a struct.error. With prefix and sort id, a prefix of 0 makes it read
// three sizes, of which the second is lost; any other prefix is taken for the size of
// the sort id. The training side frames the same, so there is nothing to repair
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

// ReadData reads what stands before a message, its size, and that many bytes, fewer at
// the end of the file (tfs_client.py:93). A number that is cut off is a struct.error.
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
