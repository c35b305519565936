package tfserving

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// requestCase is a case of upstream's tests of PredictionService, or a step of
// one: a model, a request and what comes of it. The model's name is test_model,
// its version 123. Where upstream compares numbers that a graph computed, we
// compare types and shapes: outputs are invented here.
type requestCase struct {
	// name is upstream's file and case, with the step behind a slash.
	name  string
	model string // what saved_model.pb holds
	// One of the following is the request, in text format; they stand for the
	// method that is called.
	predict, classify, regress, multi, metadata string
	profiles                                    []Profile // both if none
	checkMethods                                bool      // --enable_signature_method_name_check
	fault                                       *env.RPCError
	// want is what describe gives for the response, or begins what the error's
	// String gives.
	want string
}

func (c requestCase) message(t *testing.T) proto.Message {
	for _, kind := range []struct {
		text    string
		message proto.Message
	}{
		{c.predict, &apis.PredictRequest{}},
		{c.classify, &apis.ClassificationRequest{}},
		{c.regress, &apis.RegressionRequest{}},
		{c.multi, &apis.MultiInferenceRequest{}},
		{c.metadata, &apis.GetModelMetadataRequest{}},
	} {
		if kind.text == "" {
			continue
		}
		if err := textformat.Unmarshal(kind.text, kind.message); err != nil {
			t.Fatalf("request: %v", err)
		}
		return kind.message
	}
	t.Fatal("the case has no request")
	return nil
}

// runCases runs cases for their profiles.
func runCases(t *testing.T, cases []requestCase) {
	for _, c := range cases {
		profiles := c.profiles
		if profiles == nil {
			profiles = []Profile{Profile24, ProfileHead}
		}
		for _, profile := range profiles {
			t.Run(fmt.Sprintf("%s %s", profile, c.name), func(t *testing.T) { c.run(t, profile) })
		}
	}
}

func (c requestCase) run(t *testing.T, profile Profile) {
	host := newTestHost()
	host.disk.write("/m/123/saved_model.pb", c.model)
	o := DefaultOptions(profile)
	o.ModelName, o.ModelBasePath, o.EnableSignatureMethodNameCheck = "test_model", "/m", c.checkMethods
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	if !s.Serving() {
		t.Fatal("the server does not serve after 1s")
	}
	s.FailPredicts(c.fault)
	got, failed := answer(s, c.message(t))
	if got != c.want && !(failed && strings.HasPrefix(got, c.want)) {
		t.Errorf("got  %s\nwant %s", got, c.want)
	}
	if n := s.reader.serving.handles; n != 0 {
		t.Errorf("%d handles are held after the request, want 0", n)
	}
}

// answer is a response or an error.
func answer(s *Server, request proto.Message) (text string, failed bool) {
	response, err := call(s, request)
	if err != nil {
		return err.Error(), true
	}
	return describe(response), false
}

func call(s *Server, request proto.Message) (proto.Message, error) {
	if r, ok := request.(*apis.GetModelMetadataRequest); ok {
		return s.GetModelMetadata(r)
	}
	inference, err := s.Begin(request)
	if err != nil {
		return nil, err
	}
	defer inference.End()
	return inference.Run()
}

// describe is what a response says but for its values.
func describe(response proto.Message) string {
	switch r := response.(type) {
	case *apis.PredictResponse:
		var outputs []string
		for _, alias := range sortedKeys(r.GetOutputs()) {
			t := r.GetOutputs()[alias]
			var sizes []int64
			for _, dim := range t.GetTensorShape().GetDim() {
				sizes = append(sizes, dim.GetSize())
			}
			outputs = append(outputs, fmt.Sprintf("%s %s%v", alias, t.GetDtype(), sizes))
		}
		return describeSpec(r.GetModelSpec()) + ": " + strings.Join(outputs, ", ")
	case *apis.ClassificationResponse:
		return describeSpec(r.GetModelSpec()) + ": " + describeClasses(r.GetResult())
	case *apis.RegressionResponse:
		return describeSpec(r.GetModelSpec()) + fmt.Sprintf(": %d values", len(r.GetResult().GetRegressions()))
	case *apis.MultiInferenceResponse:
		var results []string
		for _, result := range r.GetResults() {
			text := describeClasses(result.GetClassificationResult())
			if result.GetRegressionResult() != nil {
				text = fmt.Sprintf("%d values", len(result.GetRegressionResult().GetRegressions()))
			}
			results = append(results, describeSpec(result.GetModelSpec())+": "+text)
		}
		return strings.Join(results, "; ")
	case *apis.GetModelMetadataResponse:
		signatures := &apis.SignatureDefMap{}
		if err := r.GetMetadata()["signature_def"].UnmarshalTo(signatures); err != nil {
			return "no signatures: " + err.Error()
		}
		return describeSpec(r.GetModelSpec()) + ": " + strings.Join(sortedKeys(signatures.GetSignatureDef()), ", ")
	}
	return "a response of no kind"
}

func describeSpec(spec *apis.ModelSpec) string {
	return fmt.Sprintf("%s/%d %s", spec.GetName(), spec.GetVersion().GetValue(), spec.GetSignatureName())
}

// describeClasses counts classes and says what they have.
func describeClasses(r *apis.ClassificationResult) string {
	var counts []string
	for _, c := range r.GetClassifications() {
		count := fmt.Sprintf("%d classes", len(c.GetClasses()))
		if slices.ContainsFunc(c.GetClasses(), func(c *apis.Class) bool { return c.GetLabel() != "" }) {
			count += " with labels"
		}
		if slices.ContainsFunc(c.GetClasses(), func(c *apis.Class) bool { return c.GetScore() != 0 }) {
			count += " with scores"
		}
		counts = append(counts, count)
	}
	return strings.Join(counts, ", ")
}

// halfPlusTwo has the signatures of upstream's SavedModel of that name, whose
// graph works element by element.
const halfPlusTwo = `{"check_shapes": false, "signatures": {
	"serving_default": {"method": "tensorflow/serving/predict",
		"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1, 1]}},
		"outputs": {"y": {"name": "y:0", "dtype": 1, "shape": [-1, 1]}}},
	"regress_x_to_y": {"method": "tensorflow/serving/regress",
		"inputs": {"inputs": {"name": "tf_example:0", "dtype": 7}},
		"outputs": {"outputs": {"name": "y:0", "dtype": 1, "shape": [-1, 1]}}},
	"regress_x_to_y2": {"method": "tensorflow/serving/regress",
		"inputs": {"inputs": {"name": "tf_example:0", "dtype": 7}},
		"outputs": {"outputs": {"name": "y2:0", "dtype": 1, "shape": [-1, 1]}}},
	"regress_x2_to_y3": {"method": "tensorflow/serving/regress",
		"inputs": {"inputs": {"name": "x2:0", "dtype": 1, "shape": [-1, 1]}},
		"outputs": {"outputs": {"name": "y3:0", "dtype": 1, "shape": [-1, 1]}}},
	"classify_x_to_y": {"method": "tensorflow/serving/classify",
		"inputs": {"inputs": {"name": "tf_example:0", "dtype": 7}},
		"outputs": {"scores": {"name": "y:0", "dtype": 1, "shape": [-1, 1]}}},
	"classify_x2_to_y3": {"method": "tensorflow/serving/classify",
		"inputs": {"inputs": {"name": "x2:0", "dtype": 1, "shape": [-1, 1]}},
		"outputs": {"scores": {"name": "y3:0", "dtype": 1, "shape": [-1, 1]}}}}}`

// spec is the model_spec of most requests; signature may be empty.
func spec(signature string) string {
	return fmt.Sprintf("model_spec { name: 'test_model' version { value: 123 } signature_name: '%s' } ", signature)
}
