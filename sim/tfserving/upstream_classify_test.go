package tfserving

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// classifier describes a model with one signature of the given method and outputs.
func classifier(method, outputs string) string {
	return fmt.Sprintf(`{"signatures": {"serving_default": {"method": %q,
		"inputs": {"inputs": {"name": "input:0"}}, "outputs": {%s}}}}`, method, outputs)
}

// These are possible outputs of a classifier, without shape and dtype.
const (
	bothOutputs   = `"classes": {"name": "output:0"}, "scores": {"name": "score:0"}`
	classesOutput = `"classes": {"name": "output:0"}`
	scoresOutput  = `"scores": {"name": "score:0"}`
)

// These are the inputs of classifications and regressions, in text format.
const (
	twoExamples = `input { example_list {
		examples { features { feature { key: 'class' value { bytes_list { value: 'dos' value: 'uno' } } } } }
		examples { features { feature { key: 'class' value { bytes_list { value: 'cuatro' value: 'tres' } } } } } } }`
	twoWithContext = `input { example_list_with_context { examples {} examples {}
		context { features { feature { key: 'class' value { bytes_list { value: 'dos' } } } } } } }`
	duplicateFeatures = `input { example_list_with_context {
		examples {} examples { features { feature { key: 'class' value { bytes_list { value: 'tres' } } } } }
		context { features { feature { key: 'class' value { bytes_list { value: 'uno' } } } } } } }`
	emptyList        = "input { example_list {} }"
	emptyWithContext = `input { example_list_with_context {
		context { features { feature { key: 'class' value { bytes_list { value: 'dos' } } } } } } }`
)

func TestMirroredClassify(t *testing.T) {
	const method = "tensorflow/serving/classify"
	const scored = "2 classes with labels with scores"
	float := func(alias, shape string) string {
		return fmt.Sprintf(`%q: {"name": "%s:0", "dtype": 1, "shape": %s}`, alias, alias, shape)
	}
	text := func(alias, shape string) string {
		return fmt.Sprintf(`%q: {"name": "%s:0", "dtype": 7, "shape": %s}`, alias, alias, shape)
	}
	both := classifier(method, bothOutputs)
	runCases(t, []requestCase{
		{name: "classifier_test.cc:ExampleList", model: both, classify: spec("") + twoExamples,
			want: "test_model/123 serving_default: " + scored + ", " + scored},
		{name: "classifier_test.cc:ExampleListWithContext", model: both, classify: spec("") + twoWithContext,
			want: "test_model/123 serving_default: " + scored + ", " + scored},
		{name: "classifier_test.cc:ExampleListWithContext_DuplicateFeatures", model: both, classify: spec("") + duplicateFeatures,
			want: "test_model/123 serving_default: " + scored + ", " + scored},
		{name: "classifier_test.cc:ClassesOnly", model: classifier(method, classesOutput), classify: spec("") + twoExamples,
			want: "test_model/123 serving_default: 2 classes with labels, 2 classes with labels"},
		{name: "classifier_test.cc:ScoresOnly", model: classifier(method, scoresOutput), classify: spec("") + twoExamples,
			want: "test_model/123 serving_default: 2 classes with scores, 2 classes with scores"},
		{name: "classifier_test.cc:ValidNamedSignature", model: halfPlusTwo, classify: spec("classify_x_to_y") + twoExamples,
			want: "test_model/123 classify_x_to_y: 1 classes with scores, 1 classes with scores"},
		{name: "classifier_test.cc:InvalidNamedSignature", model: halfPlusTwo, classify: spec("regress_x_to_y") + twoExamples,
			want: "INVALID_ARGUMENT: Expected classification signature outputs to contain at least one of \"classes\" or \"scores\". Signature was: inputs {\n  key: \"inputs\"\n  value {\n    name: \"tf_example:0\"\n    dtype: DT_STRING\n"},
		{name: "classifier_test.cc:InvalidNamedSignature/checked", model: halfPlusTwo, checkMethods: true, classify: spec("regress_x_to_y") + twoExamples,
			want: "INVALID_ARGUMENT: Expected classification signature method_name to be tensorflow/serving/classify. Was: tensorflow/serving/regress"},
		{name: "classifier_test.cc:MalformedScores", model: classifier(method, float("scores", "[-1, 2, 10]")), classify: spec("") + twoExamples,
			want: "INVALID_ARGUMENT: Expected Tensor shape: [batch_size num_classes] but got [2,2,10]"},
		{name: "classifier_test.cc:MissingClassificationSignature", model: `{"signatures": {"serving_default": {}}}`, classify: spec("") + twoExamples,
			want: "INVALID_ARGUMENT: Expected one input Tensor."},
		{name: "classifier_test.cc:EmptyInput", model: both, classify: spec("") + "input {}", want: "INVALID_ARGUMENT: Input is empty."},
		{name: "classifier_test.cc:EmptyExampleList", model: both, classify: spec("") + emptyList, want: "INVALID_ARGUMENT: Input is empty."},
		{name: "classifier_test.cc:EmptyExampleListWithContext", model: both, classify: spec("") + emptyWithContext, want: "INVALID_ARGUMENT: Input is empty."},
		{name: "classifier_test.cc:RunsFails", model: both, classify: spec("") + twoExamples,
			fault: &env.RPCError{Code: rpcerrors.Internal, Message: "Run totally failed"}, want: "INTERNAL: Run totally failed"},
		{name: "classifier_test.cc:ClassesIncorrectTensorBatchSize", model: classifier(method, text("classes", "[1, 2]")+","+float("scores", "[2, 2]")),
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected classes output batch size of 2. Got: 1"},
		{name: "classifier_test.cc:ClassesIncorrectTensorType", model: classifier(method, float("classes", "[2, 2]")+","+float("scores", "[2, 2]")),
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected classes Tensor of DT_STRING. Got: DT_FLOAT"},
		{name: "classifier_test.cc:ScoresIncorrectTensorBatchSize", model: classifier(method, text("classes", "[2, 2]")+","+float("scores", "[1, 2]")),
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected scores output batch size of 2. Got: 1"},
		{name: "classifier_test.cc:ScoresIncorrectTensorType", model: classifier(method, text("classes", "[2, 2]")+","+text("scores", "[2, 2]")),
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected scores Tensor of DT_FLOAT. Got: DT_STRING"},
		{name: "classifier_test.cc:MismatchedNumberOfTensorClasses", model: classifier(method, text("classes", "[2, 2]")+","+float("scores", "[2, 3]")),
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Tensors class and score should match in dim_size(1). Got 2 vs. 3"},
		{name: "classifier_test.cc:MethodNameCheck/supported", model: both, checkMethods: true, classify: spec("") + twoExamples,
			want: "test_model/123 serving_default: " + scored + ", " + scored},
		{name: "classifier_test.cc:MethodNameCheck/unsupported, checked", model: classifier("not/supported/method", bothOutputs), checkMethods: true,
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected classification signature method_name to be tensorflow/serving/classify. Was: not/supported/method"},
		{name: "classifier_test.cc:MethodNameCheck/empty, checked", model: classifier("", bothOutputs), checkMethods: true,
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: Expected classification signature method_name to be tensorflow/serving/classify. Was: "},
		{name: "classifier_test.cc:MethodNameCheck/unsupported, not checked",
			model:    classifier("not/supported/method", bothOutputs),
			classify: spec("") + twoExamples, want: "test_model/123 serving_default: " + scored + ", " + scored},

		{name: "classifier_test.cc:MethodNameCheck/empty, not checked", model: classifier("", bothOutputs),
			classify: spec("") + twoExamples, want: "test_model/123 serving_default: " + scored + ", " + scored},

		{name: "classification_service_test.cc:InvalidModelSpec/no spec", model: halfPlusTwo, classify: twoExamples,
			want: "INVALID_ARGUMENT: Missing ModelSpec"},
		{name: "classification_service_test.cc:InvalidModelSpec/no name", model: halfPlusTwo, classify: "model_spec {}",
			want: "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{name: "classification_service_test.cc:InvalidModelSpec/wrong name", model: halfPlusTwo, classify: "model_spec { name: 'foo' }",
			want: "NOT_FOUND: Servable not found for request: Latest(foo)"},
		{name: "classification_service_test.cc:InvalidSignature", model: halfPlusTwo, classify: spec("invalid_signature_name"),
			want: "INVALID_ARGUMENT: No signature was found with the name: invalid_signature_name"},
		{name: "classification_service_test.cc:ClassificationSuccess", model: halfPlusTwo,
			classify: "model_spec { name: 'test_model' signature_name: 'classify_x_to_y' }" + twoExamples,
			want:     "test_model/123 classify_x_to_y: 1 classes with scores, 1 classes with scores"},

		{name: "classifier.cc:three outputs", model: classifier(method, bothOutputs+`, "more": {}`), classify: spec("") + twoExamples,
			want: "INVALID_ARGUMENT: Expected one or two output Tensors, found 3"},
		{name: "classifier.cc:no input of the name", model: `{"signatures": {"serving_default": {"inputs": {"x": {}}, "outputs": {"scores": {}}}}}`,
			classify: spec("") + twoExamples, want: "INVALID_ARGUMENT: No classification inputs found in SignatureDef: inputs {"},
		{name: "classifier.cc:an input that takes no examples", model: halfPlusTwo, classify: spec("classify_x2_to_y3") + twoExamples,
			want: "INVALID_ARGUMENT: Expects arg[0] to be float but string is provided"},
	})
}
