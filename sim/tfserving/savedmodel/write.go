package savedmodel

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
)

// Small describes a model to export for a test or benchmark. The model has the tag serve and one
// Predict signature, serving_default, with one input and one output. Its graph is complete and has
// no variables, so a real TensorFlow can load and run it.
type Small struct {
	// Input and Output are the names of the input and the output in requests.
	Input, Output string
	// Type is the dtype of the input and the output.
	Type framework.DataType
	// Row is the number of values in an instance. The output is the sum of an instance, and the
	// shapes are [-1, Row] and [-1]. With Row 0 an instance is one value of any type, the output
	// equals the input, and both shapes are [-1].
	Row int64
}

// Marshal returns the model's saved_model.pb. Equal models have equal files.
func (m Small) Marshal() ([]byte, error) {
	graph := &framework.GraphDef{}
	if err := proto.Unmarshal(m.graph(), graph); err != nil {
		return nil, err
	}
	instances := []int64{-1}
	rows := instances
	if m.Row > 0 {
		rows = []int64{-1, m.Row}
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&tfcore.SavedModel{
		SavedModelSchemaVersion: 1,
		MetaGraphs: []*tfcore.MetaGraphDef{{
			MetaInfoDef: &tfcore.MetaGraphDef_MetaInfoDef{Tags: []string{"serve"}},
			GraphDef:    graph,
			SignatureDef: map[string]*tfcore.SignatureDef{"serving_default": {
				Inputs:     map[string]*tfcore.TensorInfo{m.Input: m.tensor("x:0", rows)},
				Outputs:    map[string]*tfcore.TensorInfo{m.Output: m.tensor("y:0", instances)},
				MethodName: "tensorflow/serving/predict",
			}},
		}},
	})
}

func (m Small) tensor(name string, shape []int64) *tfcore.TensorInfo {
	info := &tfcore.TensorInfo{
		Encoding: &tfcore.TensorInfo_Name{Name: name}, Dtype: m.Type, TensorShape: &framework.TensorShapeProto{},
	}
	for _, size := range shape {
		info.TensorShape.Dim = append(info.TensorShape.Dim, &framework.TensorShapeProto_Dim{Size: size})
	}
	return info
}

// graph returns a serialized GraphDef. It is encoded by hand, because our messages lack the inputs
// of nodes, and attributes that are dtypes or tensors.
func (m Small) graph() []byte {
	x := node("x", "Placeholder", nil, attr("dtype", typeValue(m.Type)))
	if m.Row == 0 {
		return nodes(x, node("y", "Identity", []string{"x"}, attr("T", typeValue(m.Type))))
	}
	axis := &framework.TensorProto{Dtype: framework.DataType_DT_INT32, TensorShape: &framework.TensorShapeProto{}, IntVal: []int32{1}}
	return nodes(x,
		node("axis", "Const", nil, attr("dtype", typeValue(axis.Dtype)), attr("value", tensorValue(axis))),
		node("y", "Sum", []string{"x", "axis"},
			attr("T", typeValue(m.Type)), attr("Tidx", typeValue(axis.Dtype)), attr("keep_dims", boolValue(false))))
}

// These field numbers are needed only for writing a model.
const (
	nodeInput  = 3
	attrBool   = 5
	attrType   = 6
	attrTensor = 8
)

func nodes(list ...[]byte) (graph []byte) {
	for _, n := range list {
		graph = appendBytes(graph, graphNode, n)
	}
	return graph
}

func node(name, op string, inputs []string, attrs ...[]byte) []byte {
	data := appendBytes(appendBytes(nil, nodeName, []byte(name)), nodeOp, []byte(op))
	for _, input := range inputs {
		data = appendBytes(data, nodeInput, []byte(input))
	}
	for _, a := range attrs {
		data = appendBytes(data, nodeAttr, a)
	}
	return data
}

// attr returns a serialized entry of a node's map of attributes.
func attr(name string, value []byte) []byte {
	return appendBytes(appendBytes(nil, attrKey, []byte(name)), attrValue, value)
}

func typeValue(t framework.DataType) []byte { return appendVarint(attrType, uint64(t)) }
func boolValue(b bool) []byte               { return appendVarint(attrBool, protowire.EncodeBool(b)) }

func tensorValue(t *framework.TensorProto) []byte {
	data, _ := proto.MarshalOptions{Deterministic: true}.Marshal(t) // cannot fail: the message has no invalid UTF-8
	return appendBytes(nil, attrTensor, data)
}

func appendVarint(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func appendBytes(data []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(data, field, protowire.BytesType), value)
}
