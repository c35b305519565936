package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// regress checks a RegressionRequest and prepares its call, as upstream's RunRegress does
// (TFS-12.4; servables/tensorflow/regressor.cc).
func (m *Model) regress(r *apis.RegressionRequest) (*Call, error) {
	s, err := m.regressor(r.GetModelSpec().GetSignatureName())
	if err != nil {
		return nil, err
	}
	return m.onExamples(s, r.GetInput(), regressMethod, regressed)
}

func regressed(c *Call, r results) (proto.Message, error) {
	s := c.parts[0].signature
	result, err := regression(r.first, s, c.examples)
	if err != nil {
		return nil, err
	}
	return &apis.RegressionResponse{ModelSpec: c.model.resolved(s.name), Result: result}, nil
}

// regressor finds and checks the signature of a regression, as upstream's
// GetRegressionSignatureDef and PreProcessRegression do.
func (m *Model) regressor(name string) (*Signature, *env.RPCError) {
	return m.exampleSignature(name, anyRegressor, m.checkRegressor)
}

func (m *Model) checkRegressor(s *Signature) *env.RPCError {
	if method := s.def.GetMethodName(); m.CheckMethodNames && method != regressMethod {
		return invalidf("Expected regression signature method_name to be %s. Was: %s", regressMethod, method)
	}
	if len(s.inputs) != 1 {
		return invalidf("Expected one input Tensor.")
	}
	if len(s.outputs) != 1 {
		return invalidf("Expected one output Tensor.")
	}
	if s.input(inputsAlias) == nil {
		return invalidf("No regression inputs found in SignatureDef: %s", s.debugString())
	}
	if s.output(outputsAlias) == nil {
		return invalidf("No regression outputs found in SignatureDef: %s", s.debugString())
	}
	return nil
}

// regression makes the result from the outputs, as upstream's PostProcessRegressionResult does.
func regression(c *computation, s *Signature, examples int) (*apis.RegressionResult, error) {
	t, err := c.value(s.output(outputsAlias))
	if err != nil {
		return nil, err
	}
	shape := t.Shape()
	if !(len(shape) == 1 || len(shape) == 2 && shape[1] == 1) {
		return nil, invalidf("Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got %s", shapeText(shape))
	}
	if shape[0] != int64(examples) {
		return nil, invalidf("Input batch size did not match output batch size: %d vs. %d", examples, shape[0])
	}
	if t.DType() != framework.DataType_DT_FLOAT {
		return nil, invalidf("Expected output Tensor of DT_FLOAT.  Got: %s", t.DType())
	}
	result := &apis.RegressionResult{Regressions: make([]*apis.Regression, examples)}
	for i := range result.Regressions {
		result.Regressions[i] = &apis.Regression{Value: float32(t.Float(i))}
	}
	return result, nil
}
