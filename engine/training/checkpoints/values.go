package checkpoints

import (
	"fmt"
	"strconv"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// Int64 reads a single int64 of a checkpoint. In a simulation the index is that number in decimal, and
// nothing else. Any other index is one that TensorFlow can read, and has the name of the tensor. What
// is neither, or has no such tensor, is a DataLossError, and a missing file a NotFoundError.
func Int64(f env.Files, prefix, tensor string) (int64, error) {
	index, err := gfile.Read(f, prefix+IndexSuffix)
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(index), 10, 64); err == nil {
		return n, nil
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
	n, ok := entry.Int64(data)
	if err == nil && !ok {
		err = session.Raise("DataLossError", "%s: found %d bytes of data, want %s at %d", prefix, len(data), tensor, entry.Offset)
	}
	return n, err
}
