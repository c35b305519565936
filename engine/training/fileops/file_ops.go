// Package fileops writes files while a graph runs, and dumps of embeddings in them
// (file_ops.py, and file_ops.cc behind it).
//
// Two things to use first:
//
//   - [NewWritableFile] makes a file.
//   - [WritableFile.AppendEntryDump] adds embeddings to one, as TFRecords.
//
// [ReadEntryDumps] reads them back. The reference ends the process on embeddings that do not fit
// their ids; here that is an error, as it is in the Rust port (TRN-5.20). To change what fits look
// in AppendEntryDump.
package fileops

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	hashtable "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/hash_table"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// WritableFile is a file that grows (file_ops.py:22).
type WritableFile struct {
	files  env.Files
	name   string
	ahead  []byte
	closed bool
}

// writeBehind is how much is kept before it is written.
const writeBehind = 1 << 16

// NewWritableFile makes the file, empty, and the directories above it.
func NewWritableFile(files env.Files, name string) (*WritableFile, error) {
	if dir := pysem.Dirname(name); dir != "" {
		if err := gfile.MakeDirs(files, dir); err != nil {
			return nil, err
		}
	}
	return &WritableFile{files: files, name: name}, session.FileError(name, files.WriteFile(name, nil))
}

// Append adds content as it is.
func (f *WritableFile) Append(content []byte) error {
	if err := f.open(); err != nil {
		return err
	}
	f.ahead = append(f.ahead, content...)
	return f.write(writeBehind)
}

// AppendEntryDump adds one record for each id: its bias, then its part of the embeddings, which
// have the same length for all (file_ops.cc). No ids, biases that are not as many as the ids, and
// embeddings that do not part evenly are an InvalidArgumentError; nothing is added then.
func (f *WritableFile) AppendEntryDump(ids []int64, biases, embeddings []float32) error {
	if err := f.open(); err != nil {
		return err
	}
	switch {
	case len(ids) == 0:
		return session.Raise("InvalidArgumentError", "entry dump of %s: found no ids, want one at least", f.name)
	case len(biases) != len(ids):
		return session.Raise("InvalidArgumentError", "entry dump of %s: found %d biases, want one for each of %d ids", f.name, len(biases), len(ids))
	case len(embeddings)%len(ids) != 0:
		return session.Raise("InvalidArgumentError", "entry dump of %s: found %d numbers of embeddings, want a multiple of %d ids", f.name, len(embeddings), len(ids))
	}
	width := len(embeddings) / len(ids)
	for i, id := range ids {
		dump := &hashtable.EntryDump{Id: proto.Int64(id), Num: append([]float32{biases[i]}, embeddings[i*width:(i+1)*width]...)}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(dump)
		if err != nil {
			return err
		}
		f.ahead = tfrecord.Append(f.ahead, data)
	}
	return f.write(writeBehind)
}

func (f *WritableFile) open() error {
	if f.closed {
		return session.Raise("FailedPreconditionError", "%s is closed", f.name)
	}
	return nil
}

// write writes what is ahead where that is as much as least.
func (f *WritableFile) write(least int) error {
	if len(f.ahead) < least || len(f.ahead) == 0 {
		return nil
	}
	err := f.files.AppendFile(f.name, f.ahead)
	f.ahead = f.ahead[:0]
	return session.FileError(f.name, err)
}

// Close writes what is left. Closing again does nothing.
func (f *WritableFile) Close() error {
	f.closed = true
	return f.write(1)
}

// FileCloseHook closes files at the end of a session (file_ops.py:42).
type FileCloseHook struct {
	session.NoHook
	Files []*WritableFile
}

// End closes all of them; the errors are joined.
func (h *FileCloseHook) End(session.Session) error {
	var problems []error
	for _, f := range h.Files {
		problems = append(problems, f.Close())
	}
	return errors.Join(problems...)
}

// ReadEntryDumps reads the entries of a file's content. Where it is damaged, those before the
// damage come with an error.
func ReadEntryDumps(content []byte) ([]*hashtable.EntryDump, error) {
	var dumps []*hashtable.EntryDump
	for r := tfrecord.NewReader(bytes.NewReader(content)); ; {
		data, err := r.Next()
		if errors.Is(err, io.EOF) {
			return dumps, nil
		}
		if err != nil {
			return dumps, err
		}
		dump := &hashtable.EntryDump{}
		if err := proto.Unmarshal(data, dump); err != nil {
			return dumps, fmt.Errorf("record %d: found %d bytes that are no EntryDump: %w", len(dumps), len(data), err)
		}
		dumps = append(dumps, dump)
	}
}
