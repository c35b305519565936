package rest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// converter converts JSON to messages, as util/json_tensor.cc of the selected release does
// (TFS-13.5).
type converter struct {
	old bool // old selects release 2.4.0
}

type infos map[string]*tfcore.TensorInfo

func (i infos) names() []string { return slices.Sorted(maps.Keys(i)) }

// format is the JSON format of a Predict request. Its response has the same format.
type format uint8

const (
	rowFormat      format = iota // rowFormat uses instances and predictions
	columnarFormat               // columnarFormat uses inputs and outputs
)

// MaxDepth limits the nesting of arrays and objects in a tensor. For tfs-2.4, whose parser is
// recursive, it limits the nesting in the whole body.
const MaxDepth = 10000

// parse parses the body of a request, as upstream's ParseJson does.
func (c converter) parse(body []byte) (*rapidjson.Value, error) {
	if len(body) == 0 {
		return nil, invalid("JSON Parse error: The document is empty")
	}
	options := rapidjson.Options{Iterative: true, StopWhenDone: true}
	if c.old {
		options = rapidjson.Options{MaxDepth: MaxDepth}
	}
	document, err := rapidjson.Parse(body, options)
	if err != nil {
		return nil, invalid("JSON Parse error: %v", err)
	}
	if document.Kind != rapidjson.Object {
		return nil, c.formatError(document, "Is not object")
	}
	return document, nil
}

// signature copies the name of the signature from the document to spec, as upstream's
// FillSignature does.
func (c converter) signature(document *rapidjson.Value, spec *apis.ModelSpec) error {
	name := document.Find("signature_name")
	if name == nil {
		return nil
	}
	if name.Kind != rapidjson.String {
		return c.formatError(document, "not formatted correctly. 'signature_name' key must be a string value.")
	}
	spec.SignatureName = name.Text
	return nil
}

// predictRequest converts the body of a Predict, as upstream's FillPredictRequestFromJson does. It
// returns the format of the request.
func (c converter) predictRequest(
	body []byte, request *apis.PredictRequest, inputsOf func(*apis.ModelSpec) (infos, error),
) (format, error) {
	document, err := c.parse(body)
	if err != nil {
		return 0, err
	}
	if err := c.signature(document, request.ModelSpec); err != nil {
		return 0, err
	}
	inputs, err := inputsOf(request.ModelSpec)
	if err != nil {
		return 0, err
	}
	if len(inputs) == 0 {
		return 0, invalid("Failed to get input map for signature: %s", cmp.Or(request.ModelSpec.GetSignatureName(), "DEFAULT"))
	}
	request.Inputs = make(map[string]*framework.TensorProto, len(inputs))
	return c.tensors(document, inputs, request.Inputs)
}

// tensors fills the inputs from "instances" or from "inputs". A document with both or neither is
// refused.
func (c converter) tensors(document *rapidjson.Value, inputs infos, tensors map[string]*framework.TensorProto) (format, error) {
	instances, columns := document.Find("instances"), document.Find("inputs")
	switch {
	case instances != nil && columns != nil:
		return 0, c.formatError(document,
			"Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist ")
	case instances == nil && columns == nil:
		return 0, invalid("Missing 'inputs' or 'instances' key")
	case columns != nil:
		return columnarFormat, c.columns(columns, inputs, tensors)
	case instances.Kind != rapidjson.Array && c.old:
		return 0, c.formatError(document, "Excepting 'instances' to be an list/array")
	case instances.Kind != rapidjson.Array:
		return 0, c.formatError(document, "Expecting 'instances' to be an list/array")
	case len(instances.List) == 0:
		return 0, c.formatError(document, "No values in 'instances' array")
	}
	rows := rows{converter: c, inputs: inputs, tensors: tensors, first: make(map[string]instance)}
	return rowFormat, rows.fill(instances.List)
}
