package clients

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// MakeTensorProto returns a tensor of strings, shape [len(instances)] (utils.py:981).
func MakeTensorProto(instances [][]byte) *framework.TensorProto {
	return &framework.TensorProto{
		Dtype: framework.DataType_DT_STRING,
		TensorShape: &framework.TensorShapeProto{
			Dim: []*framework.TensorShapeProto_Dim{{Size: int64(len(instances))}},
		},
		StringVal: instances,
	}
}

// serialize encodes a message as Python's SerializeToString does: fields by number, unknown fields
// last.
func serialize(m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		panic(err) // cannot happen: only strings that are not UTF-8 fail
	}
	return data
}
