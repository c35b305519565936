// Package bundle reads the variables of a SavedModel: a tensor bundle, which is an index
// (variables.index) and files of raw elements (variables.data-00000-of-00001).
//
// The two things to use first:
//
//	b, err := bundle.Open("/m/1/variables/variables", readFile)
//	v, err := b.Tensor("dense/kernel")
//
// The index is a table of leveldb, which TensorFlow writes without compression
// (core/util/tensor_bundle/tensor_bundle.cc). Slices of partitioned variables are not joined.
//
// To change what an entry says of a tensor: bundle.go, the only file. The format of the table is in
// engine/tensorbundle.
//
// Unstable: any commit may change it.
package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// Bundle is an open checkpoint of variables. Its index is in memory. Each data file is read at its
// first use.
type Bundle struct {
	prefix  string
	read    func(path string) ([]byte, error)
	entries map[string][]byte
	shards  int
	files   map[int][]byte
}

// Open reads the index of a bundle, the file prefix.index. read returns the content of a file.
func Open(prefix string, read func(path string) ([]byte, error)) (*Bundle, error) {
	data, err := read(prefix + ".index")
	if err != nil {
		return nil, err
	}
	entries, err := tensorbundle.Entries(data)
	if err != nil {
		return nil, &env.RPCError{Code: rpcerrors.DataLoss, Message: fmt.Sprintf(
			"Unable to open table file %s.index: Data loss: %v: perhaps your file is in a different file format and you need to use a different restore operator?", prefix, err)}
	}
	shards, err := tensorbundle.Shards(entries[""])
	return &Bundle{prefix: prefix, read: read, entries: entries, shards: shards, files: map[int][]byte{}}, err
}

// Tensor returns the value of a variable. The error for an unknown name is NOT_FOUND.
func (b *Bundle) Tensor(name string) (value.Value, error) {
	data, ok := b.entries[name]
	if !ok || name == "" {
		return value.Value{}, &env.RPCError{Code: rpcerrors.NotFound, Message: "Key " + name + " not found in checkpoint"}
	}
	e, err := tensorbundle.ParseEntry(data)
	var shape framework.TensorShapeProto
	if err := errors.Join(err, proto.Unmarshal([]byte(e.Shape), &shape)); err != nil {
		return value.Value{}, b.damaged(name, err)
	}
	if e.Sliced {
		return value.Value{}, fmt.Errorf("variable %s is partitioned", name)
	}
	content, err := b.content(name, &e)
	if err != nil {
		return value.Value{}, err
	}
	dtype := framework.DataType(e.Type)
	if dtype == framework.DataType_DT_STRING {
		return b.strings(name, &shape, content)
	}
	t, err := tensor.Parse(&framework.TensorProto{Dtype: dtype, TensorShape: &shape, TensorContent: content})
	if err != nil {
		return value.Value{}, b.damaged(name, err)
	}
	return value.FromTensor(t), nil
}

func (b *Bundle) damaged(name string, err error) error {
	return &env.RPCError{Code: rpcerrors.DataLoss, Message: fmt.Sprintf("%s: %s: %v", b.prefix, name, err)}
}

// content returns the bytes of a tensor after verifying their checksum.
func (b *Bundle) content(name string, e *tensorbundle.Entry) ([]byte, error) {
	file, ok := b.files[e.Shard]
	if !ok {
		var err error
		file, err = b.read(fmt.Sprintf("%s.data-%05d-of-%05d", b.prefix, e.Shard, b.shards))
		if err != nil {
			return nil, err
		}
		b.files[e.Shard] = file
	}
	if e.Offset > uint64(len(file)) || e.Size > uint64(len(file))-e.Offset {
		return nil, b.damaged(name, fmt.Errorf("found %d bytes of data, want %d from %d on", len(file), e.Size, e.Offset))
	}
	content := file[e.Offset : e.Offset+e.Size]
	if framework.DataType(e.Type) == framework.DataType_DT_STRING {
		return content, nil
	}
	if got := tfrecord.MaskedCRC(content); got != e.CRC {
		return nil, &env.RPCError{Code: rpcerrors.DataLoss, Message: "Checksum does not match: stored " +
			strconv.FormatUint(uint64(e.CRC), 10) + " vs. calculated on the restored bytes " + strconv.FormatUint(uint64(got), 10)}
	}
	return content, nil
}

// strings decodes a DT_STRING tensor: first the lengths as varints, then their checksum, then the
// strings.
func (b *Bundle) strings(name string, dims *framework.TensorShapeProto, content []byte) (value.Value, error) {
	shape := lists.Map(dims.GetDim(), func(d *framework.TensorShapeProto_Dim) int { return int(d.GetSize()) })
	n, ok := value.Count(shape)
	if !ok || n > len(content) {
		return value.Value{}, b.damaged(name, fmt.Errorf("shape %v is too large", shape))
	}
	lengths := make([]uint64, n)
	for i := range lengths {
		length, used := binary.Uvarint(content)
		if used <= 0 {
			return value.Value{}, b.damaged(name, errors.New("lengths end too early"))
		}
		lengths[i], content = length, content[used:]
	}
	const checksumBytes = 4
	content = content[min(checksumBytes, len(content)):]
	list := make([]string, n)
	for i, length := range lengths {
		if length > uint64(len(content)) {
			return value.Value{}, b.damaged(name, errors.New("strings end too early"))
		}
		list[i], content = string(content[:length]), content[length:]
	}
	return value.Strings(shape, list), nil
}
