package infer

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// classify checks a ClassificationRequest and prepares its call, as upstream's RunClassify does
// (TFS-12.4; servables/tensorflow/classifier.cc).
func (m *Model) classify(r *apis.ClassificationRequest) (*Call, error) {
	s, err := m.classifier(r.GetModelSpec().GetSignatureName())
	if err != nil {
		return nil, err
	}
	return m.onExamples(s, r.GetInput(), classifyMethod, classified)
}

func classified(c *Call, r results) (proto.Message, error) {
	s := c.parts[0].signature
	result, err := classification(r.first, s, c.examples)
	if err != nil {
		return nil, err
	}
	return &apis.ClassificationResponse{ModelSpec: c.model.resolved(s.name), Result: result}, nil
}

// classifier finds and checks the signature of a classification, as upstream's
// GetClassificationSignatureDef and PreProcessClassification do.
func (m *Model) classifier(name string) (*Signature, *env.RPCError) {
	return m.exampleSignature(name, anyClassifier, m.checkClassifier)
}

func (m *Model) checkClassifier(s *Signature) *env.RPCError {
	if method := s.def.GetMethodName(); m.CheckMethodNames && method != classifyMethod {
		return invalidf("Expected classification signature method_name to be %s. Was: %s", classifyMethod, method)
	}
	if len(s.inputs) != 1 {
		return invalidf("Expected one input Tensor.")
	}
	if n := len(s.outputs); n != 1 && n != 2 {
		return invalidf("Expected one or two output Tensors, found %d", n)
	}
	if s.input(inputsAlias) == nil {
		return invalidf("No classification inputs found in SignatureDef: %s", s.debugString())
	}
	if s.output(classesAlias) == nil && s.output(scoresAlias) == nil {
		return invalidf("Expected classification signature outputs to contain at least one of \"%s\" or \"%s\". Signature was: %s",
			classesAlias, scoresAlias, s.debugString())
	}
	return nil
}

// classification makes the result message from the outputs, as upstream's
// PostProcessClassificationResult does.
func classification(c *computation, s *Signature, examples int) (*apis.ClassificationResult, error) {
	c.classifies = true
	classes, err := c.classOutput(s, classesAlias, framework.DataType_DT_STRING, examples)
	if err != nil {
		return nil, err
	}
	scores, err := c.classOutput(s, scoresAlias, framework.DataType_DT_FLOAT, examples)
	if err != nil {
		return nil, err
	}
	count, err := numClasses(classes, scores)
	if err != nil {
		return nil, err
	}
	result := &apis.ClassificationResult{Classifications: make([]*apis.Classifications, examples)}
	for i := range result.Classifications {
		result.Classifications[i] = row(classes, scores, i, count)
	}
	return result, nil
}

func row(classes, scores *tensor.Tensor, example, count int) *apis.Classifications {
	all := &apis.Classifications{Classes: make([]*apis.Class, count)}
	for i := range all.Classes {
		class := &apis.Class{}
		if classes != nil {
			class.Label = string(classes.Bytes(example*count + i))
		}
		if scores != nil {
			class.Score = float32(scores.Float(example*count + i))
		}
		all.Classes[i] = class
	}
	return all
}

// classOutput computes and checks the output called alias, which is the classes or the scores. It
// returns nil if the signature has no such output.
func (c *computation) classOutput(s *Signature, alias string, dtype framework.DataType, examples int) (*tensor.Tensor, error) {
	out := s.output(alias)
	if out == nil {
		return nil, nil
	}
	t, err := c.value(out)
	if err != nil {
		return nil, err
	}
	shape := t.Shape()
	if len(shape) != 2 {
		return nil, invalidf("Expected Tensor shape: [batch_size num_classes] but got %s", shapeText(shape))
	}
	if t.DType() != dtype {
		return nil, invalidf("Expected %s Tensor of %s. Got: %s", alias, dtype, t.DType())
	}
	if shape[0] != int64(examples) {
		return nil, invalidf("Expected %s output batch size of %d. Got: %d", alias, examples, shape[0])
	}
	return &t, nil
}

func numClasses(classes, scores *tensor.Tensor) (int, error) {
	switch {
	case classes == nil:
		return int(scores.Shape()[1]), nil
	case scores != nil && classes.Shape()[1] != scores.Shape()[1]:
		return 0, invalidf("Tensors class and score should match in dim_size(1). Got %d vs. %d",
			classes.Shape()[1], scores.Shape()[1])
	}
	return int(classes.Shape()[1]), nil
}
