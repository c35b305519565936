package tfserving

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/sim/tfserving/infer"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
)

// bundleJSON describes a model:
//
//	{"tags": ["serve"],
//	 "signatures": {"serving_default": {"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}},
//	                                    "outputs": {"y": {}}, "method": "tensorflow/serving/predict"}},
//	 "variables": ["w"], "load_ms": 50, "load_error": {"code": 13, "message": "broken"}}
//
// tags are [serve] by default. A model without signatures accepts every request. variables lists
// variables that need a variables directory. load_ms is added to the load time of the cost model.
// load_error fails every load. Inputs must have the given shapes, unless check_shapes is false.
type bundleJSON struct {
	Tags        []string                 `json:"tags"`
	Signatures  map[string]signatureJSON `json:"signatures"`
	Variables   []string                 `json:"variables"`
	LoadMs      int64                    `json:"load_ms"`
	CheckShapes *bool                    `json:"check_shapes"`
	LoadError   *struct {
		Code    rpcerrors.Code `json:"code"`
		Message string         `json:"message"`
	} `json:"load_error"`
}

// defaultTag is upstream's kSavedModelTagServe.
const defaultTag = "serve"

func (s exportReader) describedBundle(disk Storage, d bundleJSON, file string, options infer.Options) (*Bundle, *env.RPCError) {
	if d.Tags == nil {
		d.Tags = []string{defaultTag}
	}
	if !savedmodel.SameTags(d.Tags, s.adapter.tags) {
		return nil, s.wrongTags()
	}
	if len(d.Variables) > 0 && !hasVariables(disk, file) {
		options.Unready = statusf(rpcerrors.FailedPrecondition, "Attempting to use uninitialized value %s", d.Variables[0])
	}
	options.CheckShapes = *cmp.Or(d.CheckShapes, new(true))
	b := &Bundle{
		Signatures: signaturesFromJSON(d.Signatures),
		LoadTime:   time.Duration(d.LoadMs) * time.Millisecond,
	}
	b.model = infer.New(b.Signatures, options)
	if e := d.LoadError; e != nil {
		b.err = &env.RPCError{Code: e.Code, Message: e.Message}
	}
	return b, nil
}

type signatureJSON struct {
	Inputs  map[string]tensorJSON `json:"inputs"`
	Outputs map[string]tensorJSON `json:"outputs"`
	Method  string                `json:"method"`
}

// tensorJSON is the JSON form of a tensorflow.TensorInfo. A tensor without dtype accepts every
// dtype, and a tensor without shape every shape.
type tensorJSON struct {
	Name  string  `json:"name"`
	DType int32   `json:"dtype"`
	Shape []int64 `json:"shape"`
}

// signaturesFromJSON converts the described signatures. It returns nil for a model without
// signatures.
func signaturesFromJSON(described map[string]signatureJSON) map[string]*tfcore.SignatureDef {
	if described == nil {
		return nil
	}
	signatures := make(map[string]*tfcore.SignatureDef, len(described))
	for _, name := range slices.Sorted(maps.Keys(described)) {
		d := described[name]
		signatures[name] = &tfcore.SignatureDef{
			Inputs: tensorsFromJSON(d.Inputs), Outputs: tensorsFromJSON(d.Outputs), MethodName: d.Method,
		}
	}
	return signatures
}

func tensorsFromJSON(described map[string]tensorJSON) map[string]*tfcore.TensorInfo {
	tensors := make(map[string]*tfcore.TensorInfo, len(described))
	for _, alias := range slices.Sorted(maps.Keys(described)) {
		d := described[alias]
		tensors[alias] = &tfcore.TensorInfo{
			Encoding:    &tfcore.TensorInfo_Name{Name: d.Name},
			Dtype:       framework.DataType(d.DType),
			TensorShape: shapeFromJSON(d.Shape),
		}
	}
	return tensors
}

// shapeFromJSON converts a JSON shape. A missing shape means unknown rank, an empty one a scalar.
func shapeFromJSON(sizes []int64) *framework.TensorShapeProto {
	shape := &framework.TensorShapeProto{UnknownRank: sizes == nil}
	for _, size := range sizes {
		shape.Dim = append(shape.Dim, &framework.TensorShapeProto_Dim{Size: size})
	}
	return shape
}
