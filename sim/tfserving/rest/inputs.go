package rest

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// columns converts "inputs" to tensors. If the signature has one input, the value is that input.
// Otherwise it is an object with a member for each input (FillTensorMapFromInputsMap).
func (c converter) columns(value *rapidjson.Value, inputs infos, tensors map[string]*framework.TensorProto) error {
	names := inputs.names()
	if !isPlainObject(value) {
		if len(names) > 1 {
			return invalid("inputs is a plain value/list, but expecting an object as multiple " +
				"input tensors required as per tensorinfo_map")
		}
		return c.column(value, names[0], inputs[names[0]], tensors)
	}
	for _, name := range names {
		item := value.Find(name)
		if item == nil {
			return invalid("Missing named input: %s in 'inputs' object.", name)
		}
		if err := c.column(item, name, inputs[name], tensors); err != nil {
			return err
		}
	}
	return nil
}

func (c converter) column(
	value *rapidjson.Value, name string, info *tfcore.TensorInfo, tensors map[string]*framework.TensorProto,
) error {
	shape, err := shapeOf(value)
	if err != nil {
		return err
	}
	proto := &framework.TensorProto{Dtype: info.GetDtype(), TensorShape: tensor.ShapeProto(shape)}
	tensors[name] = proto
	filler := filler{converter: c, dtype: info.GetDtype(), shape: shape, proto: proto}
	return filler.fill(value, 0)
}
