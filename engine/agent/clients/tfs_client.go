package clients

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
)

// TFSClient makes the inputs of Predict calls, from files or at random, and runs load tests
// (tfs_client.py).
type TFSClient struct {
	Env     *env.Env
	Framing StreamFraming
	// SlotsNamedFC gives the column of slot 1 the name fc_slot_1 in place of slot_1, as the
	// reference's program does (data/utils.py:28).
	SlotsNamedFC bool
	// ValidSlots holds the slots of random files. Nothing in the reference sets them (Q135).
	ValidSlots []int
	// UserFeatures holds the slots that all examples of a batch share. The reference does not
	// define them (Q136).
	UserFeatures pysem.Opt[[]int]
}

// A feature id has its slot in the high bits: above bit 54 in the first layout, above bit 48 in the
// second.
const (
	slotShiftV1 = 54
	slotShiftV2 = 48
)

// InstanceProto returns a tensor of batchSize serialized instances, shape [batchSize]
// (tfs_client.py:164). They are read from a data file, or are random if file is None. A missing
// file is an AssertionError. A file that ends too early is a struct.error or DecodeError.
func (c TFSClient) InstanceProto(file pysem.OptString, batchSize int) (*framework.TensorProto, error) {
	next := func() ([]byte, error) { return c.RandomInstance(nil, nil) }
	if file.Set {
		stream, err := c.open(file.V)
		if err != nil {
			return nil, err
		}
		next = func() ([]byte, error) {
			data, err := stream.ReadData(c.Framing)
			if err != nil {
				return nil, err
			}
			return parseInstance(data)
		}
	}
	var instances [][]byte
	for range batchSize {
		data, err := next()
		if err != nil {
			return nil, err
		}
		instances = append(instances, data)
	}
	return MakeTensorProto(instances), nil
}

// open opens a data file. A missing file is an AssertionError.
func (c TFSClient) open(file string) (*DataStream, error) {
	if !env.Exists(c.Env.Files, file) {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	data, err := pyos.ReadFile(c.Env.Files, file)
	return &DataStream{data: data, allocates: true}, err
}

// ExampleBatchProto returns a tensor of one serialized batch, shape [1] (tfs_client.py:179). The
// batch is read from a file and can have any size. If file is None it is random, with batchSize
// examples of the given features. fileType "pb" means a data file, any other a text proto. Errors
// of a file are as for InstanceProto. A text that is not a batch is a ParseError.
func (c TFSClient) ExampleBatchProto(file pysem.OptString, fileType string, features []Feature, batchSize int) (*framework.TensorProto, error) {
	if !file.Set {
		data, err := c.RandomExampleBatch(features, batchSize)
		if err != nil {
			return nil, err
		}
		return MakeTensorProto([][]byte{data}), nil
	}
	batch, err := c.readExampleBatch(file.V, fileType)
	if err != nil {
		return nil, err
	}
	return MakeTensorProto([][]byte{serialize(batch)}), nil
}

// ExampleBatchProtoV2 returns the batch that the command get sends. It is read from a file, or
// random if the file is missing. The examples of a random batch share the user features
// (tfs_client.py:225). In the reference it always fails, because the user features are not defined
// (Q136).
func (c TFSClient) ExampleBatchProtoV2(file string, batchSize int) (*framework.TensorProto, error) {
	if !env.Exists(c.Env.Files, file) {
		if err := c.RandomFile(file, variantExampleBatch, batchSize); err != nil {
			return nil, err
		}
	}
	batch, err := c.readExampleBatch(file, "pb")
	if err != nil {
		return nil, err
	}
	if !c.UserFeatures.Set {
		return nil, pysem.Raise("NameError", "name 'user_features' is not defined")
	}
	for _, column := range batch.GetNamedFeatureList() {
		if !c.isUserFeature(column.GetName()) {
			continue
		}
		if len(column.GetFeature()) == 0 {
			return nil, indexError()
		}
		column.Type = example.FeatureListType_SHARED
		first := column.GetFeature()[0]
		column.Feature = nil
		for range batch.GetBatchSize() {
			column.Feature = append(column.Feature, first)
		}
	}
	return MakeTensorProto([][]byte{serialize(batch)}), nil
}

func (c TFSClient) isUserFeature(name string) bool {
	return slices.ContainsFunc(c.UserFeatures.V, func(slot int) bool { return c.slotName(slot) == name })
}

// slotName returns the column name of a slot that is not in the list of features.
func (c TFSClient) slotName(slot int) string {
	if c.SlotsNamedFC {
		return "fc_slot_" + strconv.Itoa(slot)
	}
	return "slot_" + strconv.Itoa(slot)
}

// Cost: memory grows with the file, which is read and parsed as a whole before the first example is
// used.
func (c TFSClient) readExampleBatch(file, fileType string) (*example.ExampleBatch, error) {
	stream, err := c.open(file)
	if err != nil {
		return nil, err
	}
	batch := &example.ExampleBatch{}
	if fileType != "pb" {
		return batch, pyos.ReadTextProto(c.Env.Files, file, batch)
	}
	data, err := stream.ReadData(c.Framing)
	if err != nil {
		return nil, err
	}
	if err := proto.Unmarshal(data, batch); err != nil {
		return nil, decodeError("monolith.io.proto.ExampleBatch")
	}
	return batch, nil
}

// ExampleBatchToInstance converts the examples of a batch in a file to instances, and returns a
// tensor of them, shape [size of the batch] (tfs_client.py:250). A column that is too short is an
// IndexError. Errors of the file are as for ExampleBatchProto.
func (c TFSClient) ExampleBatchToInstance(file, fileType string) (*framework.TensorProto, error) {
	batch, err := c.readExampleBatch(file, fileType)
	if err != nil {
		return nil, err
	}
	var instances [][]byte
	for i := range int(batch.GetBatchSize()) {
		instance, err := exampleInstance(batch, i)
		if err != nil {
			return nil, err
		}
		instances = append(instances, serialize(instance))
	}
	return MakeTensorProto(instances), nil
}

// exampleInstance returns example i of a batch that is stored by columns. A column that is too
// short is an IndexError.
func exampleInstance(batch *example.ExampleBatch, i int) (*matrix.Instance, error) {
	instance := &matrix.Instance{}
	for _, column := range batch.GetNamedFeatureList() {
		row := i
		if column.GetType() == example.FeatureListType_SHARED {
			row = 0
		}
		if row >= len(column.GetFeature()) {
			return nil, indexError()
		}
		value := column.GetFeature()[row]
		switch column.GetName() {
		case "__LABEL__":
			instance.Label = append(instance.Label, value.GetFloatList().GetValue()...)
		case "__LINE_ID__":
			if len(value.GetBytesList().GetValue()) == 0 {
				return nil, indexError()
			}
			instance.LineId = &matrix.LineId{}
			if err := proto.Unmarshal(value.GetBytesList().GetValue()[0], instance.LineId); err != nil {
				return nil, decodeError("idl.matrix.proto.LineId")
			}
		default:
			if feature := instanceFeature(value); feature != nil {
				feature.Name = proto.String(column.GetName())
				instance.Feature = append(instance.Feature, feature)
			}
		}
	}
	return instance, nil
}

// instanceFeature converts a value of a column to a feature of an instance. It returns nil for an
// empty value and for types that an instance cannot hold.
func instanceFeature(value *example.Feature) *matrix.Feature {
	switch {
	case len(value.GetFidV1List().GetValue()) > 0:
		return &matrix.Feature{Fid: toFidV2(value.GetFidV1List().GetValue())}
	case len(value.GetFidV2List().GetValue()) > 0:
		return &matrix.Feature{Fid: value.GetFidV2List().GetValue()}
	case len(value.GetFloatList().GetValue()) > 0:
		return &matrix.Feature{FloatValue: value.GetFloatList().GetValue()}
	case len(value.GetDoubleList().GetValue()) > 0:
		f := &matrix.Feature{}
		for _, v := range value.GetDoubleList().GetValue() {
			f.FloatValue = append(f.FloatValue, float32(v))
		}
		return f
	case len(value.GetInt64List().GetValue()) > 0:
		return &matrix.Feature{Int64Value: value.GetInt64List().GetValue()}
	case len(value.GetBytesList().GetValue()) > 0:
		return &matrix.Feature{BytesValue: value.GetBytesList().GetValue()}
	}
	return nil
}

// toFidV2 converts feature ids from the first layout to the second. Every id gets the slot of the
// first one (Q138).
func toFidV2(fids []uint64) []uint64 {
	const mask = 1<<slotShiftV2 - 1
	slot := fids[0] >> slotShiftV1
	return lists.Map(fids, func(fid uint64) uint64 { return slot<<slotShiftV2 | fid&mask })
}
