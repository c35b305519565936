// Package tensorbundle writes and reads checkpoints of TensorFlow: an index that lists tensors, and
// a file of data for each shard (tensor_bundle.cc of TensorFlow 2.4). The bytes are those that
// TensorFlow writes.
//
// Two things to use first:
//
//   - [Write] makes the files of tensors.
//   - [Find] looks a tensor up in an index. [Entries] returns all keys, [ParseEntry] and [Shards] decode
//     their values.
//
// [MetaGraph] makes the graph that is written beside a checkpoint.
//
// To change what an entry of the index has: bundle.go; how a table of keys is written: table.go; how
// it is read: read.go; the graph: metagraph.go.
//
// Unstable: any commit may change it.
package tensorbundle

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
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

// Int64Scalar returns a tensor on the first shard that is a single int64.
func Int64Scalar(name string, v int64) Tensor {
	return Tensor{Name: name, Type: Int64, Data: binary.LittleEndian.AppendUint64(nil, uint64(v))}
}

// Float32s returns a tensor of a shard that is a list of numbers.
func Float32s(name string, shard int, values ...float32) Tensor {
	t := Tensor{Name: name, Type: Float32, Shape: []int64{int64(len(values))}, Shard: shard}
	for _, v := range values {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	return t
}

// Entry is what an index says of a tensor: its type and shape, and where its data are.
type Entry struct {
	Type Type
	// Shape is an encoded TensorShapeProto.
	Shape string
	// Shard is the number of the file with the data, from 0. Offset and Size are in bytes.
	Shard        int
	Offset, Size uint64
	// CRC is the masked checksum of the data.
	CRC uint32
	// Sliced is set for a partitioned tensor, which has data of its own for each slice.
	Sliced bool
}

// The fields of BundleHeaderProto, VersionDef, BundleEntryProto and TensorShapeProto.
const (
	headerShards, headerEndianness, headerVersion, versionProducer = 1, 2, 3, 1
	entryType, entryShape, entryShard                              = 1, 2, 3
	entryOffset, entrySize, entryCRC, entrySlices                  = 4, 5, 6, 7
	shapeDim, dimSize                                              = 2, 1
)

// producer is the version of the format.
const producer = 1

// Write returns the index of the tensors and the data of each shard. Names must be unique.
func Write(tensors []Tensor, shards int) (index []byte, data [][]byte) {
	data = make([][]byte, shards)
	t := &table{}
	version := message{}.number(versionProducer, producer)
	t.add("", message{}.counter(headerShards, shards).bytes(headerVersion, version))
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b Tensor) int { return cmp.Compare(a.Name, b.Name) })
	for _, one := range sorted {
		t.add(one.Name, one.entry(len(data[one.Shard])))
		data[one.Shard] = append(data[one.Shard], one.Data...)
	}
	return t.finish(), data
}

// entry returns the tensor's entry in the index, for data that begin at an offset.
func (t *Tensor) entry(offset int) []byte {
	e := message{}.counter(entryType, int(t.Type)).bytes(entryShape, shapeOf(t.Shape)).counter(entryShard, t.Shard).
		counter(entryOffset, offset).counter(entrySize, len(t.Data))
	return protowire.AppendFixed32(protowire.AppendTag(e, entryCRC, protowire.Fixed32Type), tfrecord.MaskedCRC(t.Data))
}

// shapeOf returns an encoded TensorShapeProto.
func shapeOf(sizes []int64) (shape message) {
	for _, size := range sizes {
		shape = shape.bytes(shapeDim, message{}.counter(dimSize, int(size)))
	}
	return shape
}

// message is an encoded protobuf message. Its methods append a field.
type message []byte

func (m message) bytes(field protowire.Number, data []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), data)
}

func (m message) text(field protowire.Number, s string) message { return m.bytes(field, []byte(s)) }

func (m message) number(field protowire.Number, n uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), n)
}

// counter appends a number, unless it is 0, the default of a field that is no part of a oneof.
func (m message) counter(field protowire.Number, n int) message {
	if n == 0 {
		return m
	}
	return m.number(field, uint64(n))
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
	e, err = ParseEntry(value)
	return e, true, err
}

// ParseEntry decodes the value of a tensor's key.
func ParseEntry(value []byte) (e Entry, err error) {
	err = fields(value, func(number protowire.Number, n uint64, data []byte) {
		switch number {
		case entryType:
			e.Type = Type(n)
		case entryShape:
			e.Shape = string(data)
		case entryShard:
			e.Shard = int(n)
		case entryOffset:
			e.Offset = n
		case entrySize:
			e.Size = n
		case entryCRC:
			e.CRC = uint32(n)
		case entrySlices:
			e.Sliced = true
		}
	})
	return e, err
}

// Int64 returns the tensor's single int64 from the content of its shard. ok is false if there is none.
func (e *Entry) Int64(shard []byte) (v int64, ok bool) {
	const size = 8 // bytes of an int64
	if e.Size != size || len(shard) < size || e.Offset > uint64(len(shard)-size) {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(shard[e.Offset:])), true
}

// Shards decodes the value of the key "", and returns how many files of data there are. Elements in
// big endian are an error.
func Shards(header []byte) (shards int, err error) {
	shards, big := 1, false
	err = fields(header, func(number protowire.Number, n uint64, _ []byte) {
		switch number {
		case headerShards:
			shards = int(n)
		case headerEndianness:
			big = n != 0
		}
	})
	if err == nil && big {
		err = errors.New("elements are big-endian, want little-endian")
	}
	return shards, err
}

// fields calls visit for every field of a protobuf message. n is the value of a varint or fixed32
// field, and data the bytes of any other field.
func fields(message []byte, visit func(number protowire.Number, n uint64, data []byte)) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		size := protowire.ConsumeFieldValue(number, kind, message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		switch kind {
		case protowire.VarintType:
			x, _ := protowire.ConsumeVarint(message)
			visit(number, x, nil)
		case protowire.Fixed32Type:
			x, _ := protowire.ConsumeFixed32(message)
			visit(number, uint64(x), nil)
		case protowire.BytesType:
			data, _ := protowire.ConsumeBytes(message)
			visit(number, 0, data)
		}
		message = message[size:]
	}
	return nil
}
