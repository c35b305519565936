// Package tensorbundle writes and reads checkpoints of TensorFlow: an index that lists tensors, and
// a file of data for each shard (tensor_bundle.cc of TensorFlow 2.4). The bytes are those that
// TensorFlow writes.
//
// Two things to use first:
//
//   - [Write] makes the files of tensors.
//   - [Find] looks a tensor up in an index, and [Entries] returns all that it has.
//
// To change what an entry of the index has: bundle.go; how a table of keys is written: table.go; how
// it is read: read.go.
//
// Unstable: any commit may change it.
package tensorbundle

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/monosim/monosim/engine/tfrecord"
)

// Type is the type of a tensor's elements, as types.proto of TensorFlow numbers them.
type Type int

// The types that checkpoints of training jobs have.
const (
	Float32 Type = 1
	Int64   Type = 9
)

// Tensor is a tensor of a checkpoint. Data holds its elements in little endian.
type Tensor struct {
	Name  string
	Type  Type
	Shape []int64
	Shard int
	Data  []byte
}

// Entry says where the data of a tensor are.
type Entry struct {
	Type                Type
	Shard, Offset, Size int
}

// The fields of BundleHeaderProto, BundleEntryProto and TensorShapeProto.
const (
	headerShards, headerVersion, versionProducer = 1, 3, 1
	entryType, entryShape, entryShard            = 1, 2, 3
	entryOffset, entrySize, entryCRC             = 4, 5, 6
	shapeDim, dimSize                            = 2, 1
)

// producer is the version of the format.
const producer = 1

// Write returns the index of the tensors and the data of each shard. Names must be unique.
func Write(tensors []Tensor, shards int) (index []byte, data [][]byte) {
	data = make([][]byte, shards)
	t := &table{}
	version := protowire.AppendVarint(protowire.AppendTag(nil, versionProducer, protowire.VarintType), producer)
	header := number(nil, headerShards, uint64(shards))
	t.add("", protowire.AppendBytes(protowire.AppendTag(header, headerVersion, protowire.BytesType), version))
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
	for _, one := range sorted {
		t.add(one.Name, one.entry(len(data[one.Shard])))
		data[one.Shard] = append(data[one.Shard], one.Data...)
	}
	return t.finish(), data
}

// entry returns the tensor's entry in the index, for data that begin at an offset.
func (t *Tensor) entry(offset int) []byte {
	var shape []byte
	for _, size := range t.Shape {
		shape = protowire.AppendBytes(protowire.AppendTag(shape, shapeDim, protowire.BytesType), number(nil, dimSize, uint64(size)))
	}
	e := number(nil, entryType, uint64(t.Type))
	e = protowire.AppendBytes(protowire.AppendTag(e, entryShape, protowire.BytesType), shape)
	e = number(e, entryShard, uint64(t.Shard))
	e = number(e, entryOffset, uint64(offset))
	e = number(e, entrySize, uint64(len(t.Data)))
	return protowire.AppendFixed32(protowire.AppendTag(e, entryCRC, protowire.Fixed32Type), tfrecord.MaskedCRC(t.Data))
}

// number appends a field, unless it has its default of 0.
func number(to []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return to
	}
	return protowire.AppendVarint(protowire.AppendTag(to, field, protowire.VarintType), n)
}

// Find returns the entry of a tensor. ok is false if the index has no tensor of the name. A file that
// is no index is an error.
func Find(index []byte, name string) (e Entry, ok bool, err error) {
	all, err := Entries(index)
	if err != nil {
		return e, false, err
	}
	value, ok := all[name]
	if !ok || name == "" {
		return e, false, nil
	}
	return e, true, e.read(value)
}

func (e *Entry) read(value []byte) error {
	for len(value) > 0 {
		field, typ, n := protowire.ConsumeTag(value)
		if n < 0 {
			return fmt.Errorf("entry: %w", protowire.ParseError(n))
		}
		rest := value[n:]
		size := protowire.ConsumeFieldValue(field, typ, rest)
		if size < 0 {
			return fmt.Errorf("entry: %w", protowire.ParseError(size))
		}
		if typ == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(rest)
			switch field {
			case entryType:
				e.Type = Type(v)
			case entryShard:
				e.Shard = int(v)
			case entryOffset:
				e.Offset = int(v)
			case entrySize:
				e.Size = int(v)
			}
		}
		value = rest[size:]
	}
	return nil
}
