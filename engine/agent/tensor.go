package agent

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
)

// MakeTensorProto is a tensor of strings, shape [len(instances)]
// (utils.py:981).
func MakeTensorProto(instances [][]byte) *framework.TensorProto {
	return &framework.TensorProto{
		Dtype: framework.DataType_DT_STRING,
		TensorShape: &framework.TensorShapeProto{
			Dim: []*framework.TensorShapeProto_Dim{{Size: int64(len(instances))}},
		},
		StringVal: instances,
	}
}

// GenStatusProto is a status; a message that is None is left out (utils.py:966).
func GenStatusProto(code env.Code, message OptString) *util.StatusProto {
	return &util.StatusProto{ErrorCode: tfcore.Code(code), ErrorMessage: message.V}
}

// GenModelVersionStatus is the status of one version, which always has a status,
// be it empty (utils.py:971).
func GenModelVersionStatus(version int64, state env.ModelState, code env.Code, message OptString) *apis.ModelVersionStatus {
	return &apis.ModelVersionStatus{
		Version: version,
		State:   apis.ModelVersionStatus_State(state),
		Status:  GenStatusProto(code, message),
	}
}

// serialize is SerializeToString: fields by number, unknown ones last.
func serialize(m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		panic(err) // only strings that are not UTF-8 fail, and none gets in
	}
	return data
}
