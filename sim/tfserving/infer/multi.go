package infer

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// multiInference checks a MultiInferenceRequest and prepares its call, as upstream's
// TensorFlowMultiInferenceRunner::Infer does (TFS-12.4; servables/tensorflow/multi_inference.cc).
func (m *Model) multiInference(r *apis.MultiInferenceRequest) (*Call, error) {
	signatures, err := m.taskSignatures(r.GetTasks())
	if err != nil {
		return nil, err
	}
	examples, err := examplesTensor(r.GetInput())
	if err != nil {
		return nil, err
	}
	c := &Call{model: m, answer: inferred, examples: examples.Len()}
	for i, s := range signatures {
		c.parts = append(c.parts, onOutputs(s, examples, r.GetTasks()[i].GetMethodName()))
	}
	return c, nil
}

func inferred(c *Call, r results) (proto.Message, error) {
	response := &apis.MultiInferenceResponse{}
	for i, p := range c.parts {
		result, err := taskResult(r.of(i), p.signature, p.classifies, c.examples)
		if err != nil {
			return nil, err
		}
		result.ModelSpec = c.model.resolved(p.signature.name)
		response.Results = append(response.Results, result)
	}
	return response, nil
}

// taskSignatures checks the tasks one after the other and returns their signatures.
func (m *Model) taskSignatures(tasks []*apis.InferenceTask) ([]*Signature, *env.RPCError) {
	var signatures []*Signature
	var names []string
	for _, task := range tasks {
		spec := task.GetModelSpec()
		if spec.GetName() == "" {
			return nil, invalidf("Found ModelSpec with an empty model name.")
		}
		if spec.GetName() != tasks[0].GetModelSpec().GetName() {
			return nil, invalidf("All ModelSpecs in a MultiInferenceRequest must access the same model name.")
		}
		name := SignatureName(spec.GetSignatureName())
		if slices.Contains(names, name) {
			return nil, invalidf("Duplicate evaluation of signature: %s", name)
		}
		names = append(names, name)
		s, err := m.taskSignature(name, task.GetMethodName())
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, s)
	}
	return signatures, nil
}

func (m *Model) taskSignature(name, method string) (*Signature, *env.RPCError) {
	if _, ok := m.signatures[name]; !ok && m.signatures != nil {
		return nil, invalidf("Requested signature not found in model graph: %s", name)
	}
	switch method {
	case classifyMethod:
		return m.classifier(name)
	case regressMethod:
		return m.regressor(name)
	}
	return nil, statusf(rpcerrors.Unimplemented, "Unsupported signature method_name: %s", method)
}

// taskResult returns the result of one task. The caller adds the model_spec.
func taskResult(c *computation, s *Signature, classifies bool, examples int) (*apis.InferenceResult, error) {
	if classifies {
		result, err := classification(c, s, examples)
		return &apis.InferenceResult{Result: &apis.InferenceResult_ClassificationResult{ClassificationResult: result}}, err
	}
	result, err := regression(c, s, examples)
	return &apis.InferenceResult{Result: &apis.InferenceResult_RegressionResult{RegressionResult: result}}, err
}
