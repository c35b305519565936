package infer

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// signature returns the signature that a Predict request names. It returns nil for a model that
// accepts every request (predict_util.cc:86-94).
func (m *Model) signature(name string) (*Signature, *env.RPCError) {
	if m.signatures == nil {
		return nil, nil
	}
	s, ok := m.signatures[SignatureName(name)]
	if !ok {
		return nil, statusf(rpcerrors.FailedPrecondition, "Serving signature key \"%s\" not found.", SignatureName(name))
	}
	return s, nil
}

// predict checks a PredictRequest and prepares its call, as upstream's RunPredict does
// (servables/tensorflow/predict_util.cc).
func (m *Model) predict(r *apis.PredictRequest) (*Call, error) {
	s, err := m.signature(r.GetModelSpec().GetSignatureName())
	if err != nil {
		return nil, err
	}
	if s == nil {
		return m.predictAnything(r), nil
	}
	if err := m.checkPredictMethod(s); err != nil {
		return nil, err
	}
	feeds, err := m.feeds(s, r.GetInputs())
	if err != nil {
		return nil, err
	}
	outputs, err := s.selectOutputs(r.GetOutputFilter())
	if err != nil {
		return nil, err
	}
	return newCall(m, part{signature: s, feeds: feeds, outputs: outputs}, 0, predicted), nil
}

// predicted makes the response of a Predict, as upstream's PostProcessPredictionResult does.
func predicted(c *Call, r results) (proto.Message, error) {
	p := &c.parts[0]
	response := &apis.PredictResponse{
		ModelSpec: p.signature.answers,
		Outputs:   make(map[string]*framework.TensorProto, len(p.outputs)),
	}
	for _, out := range p.outputs {
		value, err := r.first.value(out)
		if err != nil {
			return nil, err
		}
		if c.model.AnswerInContent {
			response.Outputs[out.alias] = value.ContentProto()
		} else {
			response.Outputs[out.alias] = value.FieldProto()
		}
	}
	return response, nil
}

// checkPredictMethod refuses a signature whose method does not allow Predict, as upstream's
// VerifySignature does (predict_util.cc:36-48).
func (m *Model) checkPredictMethod(s *Signature) *env.RPCError {
	switch method := s.def.GetMethodName(); method {
	case predictMethod, classifyMethod, regressMethod:
		return nil
	default:
		if !m.CheckMethodNames {
			return nil
		}
		return statusf(rpcerrors.Internal, "Expected prediction signature method_name to be one of {%s, %s, %s}. Was: %s",
			predictMethod, classifyMethod, regressMethod, method)
	}
}

// resolved returns the model_spec for a response, with the model's name and version and the name of
// the signature (util.cc, MakeModelSpec).
func (m *Model) resolved(signature string) *apis.ModelSpec {
	return &apis.ModelSpec{
		Name: m.Name, SignatureName: SignatureName(signature),
		VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(m.Version)},
	}
}
