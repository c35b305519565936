package formats

import (
	"encoding/base64"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/graph/ops"
	"github.com/monosim/monosim/sim/tfserving/graph/value"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// parseTensor reads a tensor from a serialized TensorProto (core/kernels/parse_tensor_op.cc).
func parseTensor(c *ops.Call) ([]ops.Value, error) {
	if c.In[0].Rank() != 0 {
		return nil, ops.Invalidf("Expected `serialized` to be a scalar, got shape: %s", value.ShapeText(c.In[0].Shape()))
	}
	text := c.In[0].S()[0]
	message := &framework.TensorProto{}
	if proto.Unmarshal([]byte(text), message) != nil {
		return nil, ops.Invalidf("Could not parse `serialized` as TensorProto, base64: %s", base64.StdEncoding.EncodeToString([]byte(text)))
	}
	if text == "" {
		return nil, ops.Invalidf("Cannot parse tensor from proto: ")
	}
	t, err := tensor.Parse(message)
	if err != nil {
		return nil, c.Unsupported("%v", err)
	}
	if want := c.TypeOf("out_type"); t.DType() != want {
		return nil, ops.Invalidf("Type mismatch between parsed tensor (%s) and dtype (%s)", tensor.DTypeName(t.DType()), tensor.DTypeName(want))
	}
	if !c.Env.Take(len(t.Raw()), t.Len()) {
		return nil, c.Unsupported("a tensor of %d bytes", len(t.Raw()))
	}
	return ops.One(value.FromTensor(t))
}

// serializeTensor writes a tensor as a TensorProto: numbers as their bytes, texts as a list.
func serializeTensor(c *ops.Call) ([]ops.Value, error) {
	t, err := c.In[0].Tensor()
	if err != nil {
		return nil, c.Unsupported("%v", err)
	}
	message := t.ContentProto()
	if t.DType() == value.String {
		message = t.FieldProto()
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(message)
	if err != nil {
		return nil, err
	}
	if !c.Env.Take(len(text), 1) {
		return nil, c.Unsupported("a text of %d bytes", len(text))
	}
	return ops.One(value.Strings(nil, []string{string(text)}))
}
