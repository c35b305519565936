package tfserving

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
)

// signatureJSON is a tensorflow.SignatureDef in a described model.
type signatureJSON struct {
	Inputs  map[string]tensorJSON `json:"inputs"`
	Outputs map[string]tensorJSON `json:"outputs"`
	Method  string                `json:"method"`
}

// tensorJSON is a tensorflow.TensorInfo. A tensor without dtype takes every
// type, one without shape every shape.
type tensorJSON struct {
	Name  string  `json:"name"`
	DType int32   `json:"dtype"`
	Shape []int64 `json:"shape"`
}

// signaturesFromJSON is nil for none.
func signaturesFromJSON(described map[string]signatureJSON) map[string]*tfcore.SignatureDef {
	if described == nil {
		return nil
	}
	signatures := make(map[string]*tfcore.SignatureDef, len(described))
	for name, d := range described {
		signatures[name] = &tfcore.SignatureDef{
			Inputs: tensorsFromJSON(d.Inputs), Outputs: tensorsFromJSON(d.Outputs), MethodName: d.Method,
		}
	}
	return signatures
}

func tensorsFromJSON(described map[string]tensorJSON) map[string]*tfcore.TensorInfo {
	tensors := make(map[string]*tfcore.TensorInfo, len(described))
	for alias, d := range described {
		tensors[alias] = &tfcore.TensorInfo{
			Encoding:    &tfcore.TensorInfo_Name{Name: d.Name},
			Dtype:       framework.DataType(d.DType),
			TensorShape: shapeFromJSON(d.Shape),
		}
	}
	return tensors
}

// shapeFromJSON tells no shape (unknown rank) from an empty one (a scalar).
func shapeFromJSON(sizes []int64) *framework.TensorShapeProto {
	shape := &framework.TensorShapeProto{UnknownRank: sizes == nil}
	for _, size := range sizes {
		shape.Dim = append(shape.Dim, &framework.TensorShapeProto_Dim{Size: size})
	}
	return shape
}
