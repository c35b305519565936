package rest

import (
	"maps"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// tensorsJSON formats the outputs of a Predict, as upstream's MakeJsonFromTensors does.
func tensorsJSON(tensors map[string]*framework.TensorProto, f format) ([]byte, error) {
	if len(tensors) == 0 {
		return nil, invalid("Cannot convert empty tensor map to JSON")
	}
	names := slices.Sorted(maps.Keys(tensors))
	w := writer{rapidjson.NewWriter()}
	if f == columnarFormat {
		return w.columns(names, tensors)
	}
	return w.rows(names, tensors)
}

type writer struct{ *rapidjson.Writer }

type output struct {
	tensor.Tensor
	name   string
	dtype  framework.DataType
	shape  []int64
	bad    bool // bad means that its type cannot be written as JSON
	offset int  // offset is the index of the next value to write
}

func newOutput(name string, proto *framework.TensorProto) *output {
	parsed, err := tensor.Parse(proto)
	o := &output{Tensor: parsed, name: name, dtype: proto.GetDtype(), bad: err != nil}
	for _, dim := range proto.GetTensorShape().GetDim() {
		o.shape = append(o.shape, dim.GetSize())
	}
	return o
}

// columns writes "outputs", as upstream's MakeColumnarFormatJsonFromTensors does. Each element of
// an array has its own line.
func (w writer) columns(names []string, tensors map[string]*framework.TensorProto) ([]byte, error) {
	w.StartObject()
	w.Key("outputs")
	if len(names) > 1 {
		w.StartObject()
	}
	for _, name := range names {
		if len(names) > 1 {
			w.Key(cString(name))
		}
		if err := w.values(newOutput(name, tensors[name]), 0); err != nil {
			return nil, err
		}
	}
	if len(names) > 1 {
		w.EndObject()
	}
	w.EndObject()
	return w.Bytes(), nil
}

// rows writes "predictions", as upstream's MakeRowFormatJsonFromTensors does: one element for each
// row of the batch, with the row's arrays on one line.
func (w writer) rows(names []string, tensors map[string]*framework.TensorProto) ([]byte, error) {
	outputs, batch, err := batchOf(names, tensors)
	if err != nil {
		return nil, err
	}
	w.StartObject()
	w.Key("predictions")
	w.StartArray()
	for range batch {
		if err := w.row(outputs); err != nil {
			return nil, err
		}
	}
	w.EndArray()
	w.EndObject()
	return w.Bytes(), nil
}

// batchOf returns the tensors and their first dimension, which must be the same for all.
func batchOf(names []string, tensors map[string]*framework.TensorProto) (outputs []*output, batch int64, err error) {
	for i, name := range names {
		o := newOutput(name, tensors[name])
		if len(o.shape) == 0 {
			return nil, 0, invalid("Tensor name: %s has no shape information ", name)
		}
		if i > 0 && o.shape[0] != batch {
			return nil, 0, invalid("Tensor name: %s has inconsistent batch size: %d expecting: %d", name, o.shape[0], batch)
		}
		batch = o.shape[0]
		outputs = append(outputs, o)
	}
	return outputs, batch, nil
}

// row writes one row of the batch. It changes the array format only after opening the object, as
// upstream does, because that affects where the first value of a plain list is written.
func (w writer) row(outputs []*output) error {
	if len(outputs) > 1 {
		w.StartObject()
	}
	w.SingleLineArrays(true)
	for _, o := range outputs {
		if len(outputs) > 1 {
			w.Key(cString(o.name))
		}
		if err := w.values(o, 1); err != nil {
			return err
		}
	}
	w.SingleLineArrays(false)
	if len(outputs) > 1 {
		w.EndObject()
	}
	return nil
}

// values writes the values of the dimensions from dim on, as upstream's AddTensorValues does.
func (w writer) values(o *output, dim int) error {
	if dim >= len(o.shape) {
		return w.value(o)
	}
	w.StartArray()
	for range o.shape[dim] {
		if err := w.values(o, dim+1); err != nil {
			return err
		}
	}
	w.EndArray()
	return nil
}

// value writes the next value and moves the offset, as upstream's AddSingleValueAndAdvance does.
func (w writer) value(o *output) error {
	if o.bad {
		return invalid("Failed to write JSON value for tensor type: %s", tensor.DTypeName(o.dtype))
	}
	i := o.offset
	o.offset++
	switch o.dtype {
	case framework.DataType_DT_FLOAT:
		w.Raw(decimal(o.Float(i), 32))
	case framework.DataType_DT_DOUBLE:
		w.Raw(decimal(o.Float(i), 64))
	case framework.DataType_DT_INT32, framework.DataType_DT_INT16, framework.DataType_DT_INT8,
		framework.DataType_DT_UINT8, framework.DataType_DT_INT64:
		w.Int(o.Int(i))
	case framework.DataType_DT_UINT32, framework.DataType_DT_UINT64:
		w.Uint(o.Uint(i))
	case framework.DataType_DT_BOOL:
		w.Bool(o.Bool(i))
	case framework.DataType_DT_STRING:
		w.text(o.Bytes(i), strings.HasSuffix(o.name, "_bytes"))
	default:
		return invalid("Failed to write JSON value for tensor type: %s", tensor.DTypeName(o.dtype))
	}
	return nil
}

// text writes a string. If binary is true, it writes {"b64": "<text>"}. Tensors whose names end in
// _bytes are binary.
func (w writer) text(data []byte, binary bool) {
	if !binary {
		w.String(string(data))
		return
	}
	w.StartObject()
	w.Key("b64")
	w.String(escapeBase64(data))
	w.EndObject()
}

// classificationJSON formats a classification, as upstream's MakeJsonFromClassificationResult
// does.
func classificationJSON(result *apis.ClassificationResult) ([]byte, error) {
	if len(result.GetClassifications()) == 0 {
		return nil, invalid("Cannot convert empty ClassificationResults to JSON")
	}
	w := writer{rapidjson.NewWriter()}
	w.StartObject()
	w.Key("results")
	w.StartArray()
	for _, classifications := range result.GetClassifications() {
		w.SingleLineArrays(true)
		w.StartArray()
		for _, class := range classifications.GetClasses() {
			w.StartArray()
			w.String(class.GetLabel())
			w.Raw(decimal(float64(class.GetScore()), 32))
			w.EndArray()
		}
		w.EndArray()
		w.SingleLineArrays(false)
	}
	w.EndArray()
	w.EndObject()
	return w.Bytes(), nil
}

// regressionJSON formats a regression, as upstream's MakeJsonFromRegressionResult does.
func regressionJSON(result *apis.RegressionResult) ([]byte, error) {
	if len(result.GetRegressions()) == 0 {
		return nil, invalid("Cannot convert empty RegressionResults to JSON")
	}
	w := writer{rapidjson.NewWriter()}
	w.StartObject()
	w.Key("results")
	w.SingleLineArrays(true)
	w.StartArray()
	for _, regression := range result.GetRegressions() {
		w.Raw(decimal(float64(regression.GetValue()), 32))
	}
	w.EndArray()
	w.EndObject()
	return w.Bytes(), nil
}
