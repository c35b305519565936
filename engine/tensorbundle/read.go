package tensorbundle

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/monosim/monosim/engine/tfrecord"
)

// Entries returns all keys of an index with their values: "" has a BundleHeaderProto, and the name of
// each tensor a BundleEntryProto. A file that is no table is an error.
func Entries(data []byte) (map[string][]byte, error) {
	if len(data) < footerBytes {
		return nil, errors.New("file is too short to be an sstable")
	}
	footer := data[len(data)-footerBytes:]
	if binary.LittleEndian.Uint64(footer[footerBytes-magicBytes:]) != magic {
		return nil, errors.New("not an sstable (bad magic number)")
	}
	_, footer, err := readHandle(footer) // skips the metaindex, in which TensorFlow lists no blocks
	if err != nil {
		return nil, err
	}
	index, _, err := readHandle(footer)
	if err != nil {
		return nil, err
	}
	entries := map[string][]byte{}
	err = walkBlock(data, index, func(_ string, value []byte) error {
		block, _, err := readHandle(value)
		if err != nil {
			return err
		}
		return walkBlock(data, block, func(key string, value []byte) error {
			entries[key] = value
			return nil
		})
	})
	return entries, err
}

// blockHandle is the offset and size of a block in the file, in bytes.
type blockHandle struct{ offset, size uint64 }

func readHandle(data []byte) (h blockHandle, rest []byte, err error) {
	for _, field := range []*uint64{&h.offset, &h.size} {
		x, n := binary.Uvarint(data)
		if n <= 0 {
			return h, nil, errors.New("bad block handle")
		}
		*field, data = x, data[n:]
	}
	return h, data, nil
}

// walkBlock calls visit for every entry of a block. Keys are stored without the prefix that they
// share with the key before them.
func walkBlock(data []byte, h blockHandle, visit func(key string, value []byte) error) error {
	if h.offset > uint64(len(data)) || h.size > uint64(len(data))-h.offset || uint64(len(data))-h.offset-h.size < trailerBytes {
		return errors.New("truncated block read")
	}
	block, trailer := data[h.offset:h.offset+h.size], data[h.offset+h.size:]
	if trailer[0] != 0 {
		return fmt.Errorf("block has compression %d, want none", trailer[0])
	}
	if tfrecord.MaskedCRC(data[h.offset:h.offset+h.size+1]) != binary.LittleEndian.Uint32(trailer[1:]) {
		return errors.New("block checksum mismatch")
	}
	if len(block) < 4 {
		return errors.New("bad block contents")
	}
	restarts := uint64(binary.LittleEndian.Uint32(block[len(block)-4:]))
	if restarts > uint64(len(block)-4)/4 {
		return errors.New("bad block contents")
	}
	block = block[:uint64(len(block))-4-4*restarts]
	key := ""
	for len(block) > 0 {
		var sizes [3]uint64 // lengths: prefix shared with the key before, rest of the key, value
		for i := range sizes {
			x, n := binary.Uvarint(block)
			if n <= 0 {
				return errors.New("bad entry in block")
			}
			sizes[i], block = x, block[n:]
		}
		room := uint64(len(block))
		if sizes[0] > uint64(len(key)) || sizes[1] > room || sizes[2] > room-sizes[1] {
			return errors.New("bad entry in block")
		}
		key = key[:sizes[0]] + string(block[:sizes[1]])
		if err := visit(key, block[sizes[1]:sizes[1]+sizes[2]]); err != nil {
			return err
		}
		block = block[sizes[1]+sizes[2]:]
	}
	return nil
}
