package checkpoints

import (
	"encoding/binary"
	"fmt"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// int64Bytes is the length of an int64 in a checkpoint.
const int64Bytes = 8

// Int64 reads a single int64 of a checkpoint that TensorFlow can read. What is no such checkpoint, or
// has no such tensor, is a DataLossError, and a missing file a NotFoundError.
func Int64(f env.Files, prefix, tensor string) (int64, error) {
	index, err := gfile.Read(f, prefix+IndexSuffix)
	if err != nil {
		return 0, err
	}
	entry, ok, err := tensorbundle.Find(index, tensor)
	if err != nil || !ok || entry.Type != tensorbundle.Int64 {
		return 0, session.Raise("DataLossError", "%s: found %d bytes, want an index with %s", prefix, len(index), tensor)
	}
	files := gfile.Glob(f, fmt.Sprintf("%s.data-%05d-of-*", gfile.Escape(prefix), entry.Shard))
	if len(files) == 0 {
		return 0, session.Raise("NotFoundError", "%s; No such file or directory", DataFile(prefix, entry.Shard, 1))
	}
	data, err := gfile.Read(f, files[0])
	if err != nil {
		return 0, err
	}
	if entry.Size != int64Bytes || entry.Offset < 0 || entry.Offset > len(data)-int64Bytes {
		return 0, session.Raise("DataLossError", "%s: found %d bytes of data, want %s at %d", prefix, len(data), tensor, entry.Offset)
	}
	return int64(binary.LittleEndian.Uint64(data[entry.Offset:])), nil
}
