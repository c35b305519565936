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

// requestCase is a case of upstream's PredictionService tests, or a step of a case: a model, a
// request and the expected result. The model is version 123 of test_model. Upstream compares
// numbers that a graph computed. Here types and shapes are compared, because outputs are invented.
type requestCase struct {
	// name is upstream's file and case. For a step of a case, a slash and the step's name follow.
	name  string
	model string // what saved_model.pb holds
	// Exactly one of these fields is set. It holds the request in text format and determines the
	// method.
	predict, classify, regress, multi, metadata string
	profiles                                    []Profile // both if none
	checkMethods                                bool      // --enable_signature_method_name_check
	fault                                       *env.RPCError
	// want is the result of describe for the response, or the beginning of the error's text.
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

// runCases runs each case under its profiles.
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

// answer returns the response to a request as text, or the error text and true.
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

// describe returns a text with everything that a response contains except its values.
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

// describeClasses returns how many classes each example has, and whether they have labels and
// scores.
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

// halfPlusTwo describes a model with the signatures of upstream's half_plus_two. Its graph is
// element-wise, so shapes are not checked.
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

// spec returns the model_spec of most requests in text format; signature may be empty.
func spec(signature string) string {
	return fmt.Sprintf("model_spec { name: 'test_model' version { value: 123 } signature_name: '%s' } ", signature)
}
