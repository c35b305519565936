// Package fileops writes files while a graph runs, and dumps of embeddings into them (file_ops.py,
// and file_ops.cc behind it).
//
// Two things to use first:
//
//   - [NewWritableFile] makes a file.
//   - [WritableFile.AppendEntryDump] appends embeddings to it, as TFRecords.
//
// [ReadEntryDumps] reads them back. The reference ends the process when embeddings do not fit their
// ids; here that is an error, and errors of input and of a closed file have the kinds and texts of the
// Rust port (TRN-5.20). To change what fits: AppendEntryDump.
//
// Cost: a dump grows with its ids and the lengths of their embeddings. Memory does not grow with the file,
// because what waits is written from 64 KiB on.
//
// Unstable: any commit may change it.
package fileops

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	hashtable "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/hash_table"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// WritableFile is a file to which data can be appended (file_ops.py:22).
type WritableFile struct {
	files  env.Files
	name   string
	ahead  []byte
	closed bool
}

// writeBehind is the number of bytes that are buffered before they are written.
const writeBehind = 1 << 16

// NewWritableFile creates an empty file and its missing parent directories.
func NewWritableFile(files env.Files, name string) (*WritableFile, error) {
	if dir := pysem.Dirname(name); dir != "" {
		if err := gfile.MakeDirs(files, dir); err != nil {
			return nil, err
		}
	}
	return &WritableFile{files: files, name: name}, session.FileError(name, files.WriteFile(name, nil))
}

// Append appends content unchanged.
func (f *WritableFile) Append(content []byte) error {
	if err := f.open(); err != nil {
		return err
	}
	f.ahead = append(f.ahead, content...)
	return f.write(writeBehind)
}

// AppendEntryDump appends one record per id with its bias and its part of the embeddings, which has
// the same length for all ids (file_ops.cc). It raises an InvalidInput and appends nothing if there
// are no ids, the number of biases is wrong, or the embeddings cannot be divided evenly. These come
// before the BrokenPipe of a closed file.
func (f *WritableFile) AppendEntryDump(ids []int64, biases, embeddings []float32) error {
	switch {
	case len(ids) == 0:
		return pysem.Raise("InvalidInput", "item_id must be non-empty")
	case len(biases) != len(ids):
		return pysem.Raise("InvalidInput", "bias must have the same length as item_id")
	case len(embeddings)%len(ids) != 0:
		return pysem.Raise("InvalidInput", "embedding length must be divisible by batch size")
	}
	if err := f.open(); err != nil {
		return err
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

// open returns the error for a closed file.
func (f *WritableFile) open() error {
	if f.closed {
		return pysem.Raise("BrokenPipe", "file is closed")
	}
	return nil
}

// write writes the buffer if it holds at least the given number of bytes.
func (f *WritableFile) write(least int) error {
	if len(f.ahead) < least || len(f.ahead) == 0 {
		return nil
	}
	err := f.files.AppendFile(f.name, f.ahead)
	f.ahead = f.ahead[:0]
	return session.FileError(f.name, err)
}

// Close writes the buffered data. A second call does nothing.
func (f *WritableFile) Close() error {
	f.closed = true
	return f.write(1)
}

// FileCloseHook closes files at the end of a session (file_ops.py:42).
type FileCloseHook struct {
	session.NoHook
	Files []*WritableFile
}

// End closes all files and returns their joined errors.
func (h *FileCloseHook) End(session.Session) error {
	return errors.Join(lists.MapOrNil(h.Files, (*WritableFile).Close)...)
}

// ReadEntryDumps parses the entries in a file's content. If the content is damaged, it returns the
// entries before the damage and an error.
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
