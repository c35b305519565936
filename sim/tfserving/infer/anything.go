package infer

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// This file invents signatures for a model that accepts every request. An invented signature always
// fits the request.

// predictAnything accepts all inputs that can be decoded, and returns a vector of floats for each
// output that the filter names.
func (m *Model) predictAnything(r *apis.PredictRequest) *Call {
	def := &tfcore.SignatureDef{
		Inputs:  make(map[string]*tfcore.TensorInfo, len(r.GetInputs())),
		Outputs: make(map[string]*tfcore.TensorInfo, len(r.GetOutputFilter())),
	}
	for alias := range r.GetInputs() { //lint:ordered each alias has an entry of its own
		def.Inputs[alias] = &tfcore.TensorInfo{}
	}
	for _, alias := range r.GetOutputFilter() {
		def.Outputs[alias] = &tfcore.TensorInfo{}
	}
	s := newSignature(SignatureName(r.GetModelSpec().GetSignatureName()), def)
	s.answers = m.resolved(s.name)
	var feeds []feed
	for _, in := range s.inputs {
		if value, err := tensor.Parse(r.GetInputs()[in.alias]); err == nil {
			feeds = append(feeds, feed{in: in, value: value, shape: value.Shape()})
		}
	}
	return newCall(m, part{signature: s, feeds: feeds, outputs: s.outputs}, 0, predicted)
}

// anyClassifier returns a signature that fits any classification request, and anyRegressor one
// that fits any regression request.
func anyClassifier(name string) *Signature {
	return newSignature(SignatureName(name), &tfcore.SignatureDef{
		Inputs: map[string]*tfcore.TensorInfo{inputsAlias: {}},
		Outputs: map[string]*tfcore.TensorInfo{
			classesAlias: {Dtype: framework.DataType_DT_STRING},
			scoresAlias:  {Dtype: framework.DataType_DT_FLOAT},
		},
		MethodName: classifyMethod,
	})
}

func anyRegressor(name string) *Signature {
	return newSignature(SignatureName(name), &tfcore.SignatureDef{
		Inputs:     map[string]*tfcore.TensorInfo{inputsAlias: {}},
		Outputs:    map[string]*tfcore.TensorInfo{outputsAlias: {Dtype: framework.DataType_DT_FLOAT}},
		MethodName: regressMethod,
	})
}
