package tfserving

import (
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// counter describes a model with the signatures of upstream's saved_model_counter.
const counter = `{"signatures": {
	"get_counter": {"inputs": {}, "outputs": {"output": {"name": "c:0", "dtype": 1, "shape": []}}},
	"incr_counter": {"inputs": {}, "outputs": {"output": {"name": "c:0", "dtype": 1, "shape": []}}},
	"reset_counter": {"inputs": {}, "outputs": {"output": {"name": "c:0", "dtype": 1, "shape": []}}},
	"incr_counter_by": {"inputs": {"delta": {"name": "d:0", "dtype": 1, "shape": []}},
		"outputs": {"output": {"name": "c:0", "dtype": 1, "shape": []}}}}}`

// two is an input x with the value 2, in text format. Most predictions use it.
const two = "inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } "

func TestMirroredPredict(t *testing.T) {
	inputsTwo := "inputs { key: 'inputs' value { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } "
	text := "{ dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: 'any' }"
	runCases(t, []requestCase{
		{name: "predict_impl_test.cc:MissingOrEmptyModelSpec/no spec", model: halfPlusTwo,
			predict: two, want: "INVALID_ARGUMENT: Missing ModelSpec"},
		{name: "predict_impl_test.cc:MissingOrEmptyModelSpec/no name", model: halfPlusTwo,
			predict: "model_spec {}", want: "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{name: "predict_impl_test.cc:MissingOrEmptyModelSpec/wrong name", model: halfPlusTwo,
			predict: "model_spec { name: 'test' }", want: "NOT_FOUND: Servable not found for request: Latest(test)"},
		{name: "predict_impl_test.cc:EmptyInputList", model: halfPlusTwo, predict: spec(""),
			want: "INVALID_ARGUMENT: input size does not match signature: 0!=1 len({}) != len({x}). Sent extra: {}. Missing but required: {x}."},
		{name: "predict_impl_test.cc:InputTensorsDontMatchModelSpecInputs", model: halfPlusTwo, profiles: []Profile{Profile24},
			predict: spec("") + "inputs { key: 'key' value " + text + " }",
			want:    "INVALID_ARGUMENT: input tensor alias not found in signature: key. Inputs expected to be in the set {x}."},
		{name: "predict_impl_test.cc:InputTensorsDontMatchModelSpecInputs", model: halfPlusTwo, profiles: []Profile{ProfileHead},
			predict: spec("") + "inputs { key: 'key' value " + text + " }",
			want:    "INVALID_ARGUMENT: Signature input alias: x(feed name: x:0) not found in request and no default value provided. Inputs expected to be in the request {key}, or default input alias set: "},
		{name: "predict_impl_test.cc:OutputFiltersDontMatchModelSpecOutputs/unknown", model: halfPlusTwo,
			predict: spec("") + two + "output_filter: 'output_filter'",
			want:    "INVALID_ARGUMENT: output tensor alias not found in signature: output_filter Outputs expected to be in the set {y}."},
		{name: "predict_impl_test.cc:OutputFiltersDontMatchModelSpecOutputs/known", model: halfPlusTwo,
			predict: spec("") + two + "output_filter: 'y'", want: "test_model/123 serving_default: y DT_FLOAT[]"},
		{name: "predict_impl_test.cc:OutputFiltersDontMatchModelSpecOutputs/twice", model: halfPlusTwo,
			predict: spec("") + two + "output_filter: 'y' output_filter: 'y'",
			want:    "INVALID_ARGUMENT: duplicate output tensor alias: y"},
		{name: "predict_impl_test.cc:InputTensorsHaveWrongType", model: halfPlusTwo,
			predict: spec("") + "inputs { key: 'x' value " + text + " } output_filter: 'y'",
			want:    "INVALID_ARGUMENT: Expects arg[0] to be float but string is provided"},
		{name: "predict_impl_test.cc:PredictionSuccess", model: halfPlusTwo,
			predict: spec("") + two, want: "test_model/123 serving_default: y DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithNamedRegressionSignature", model: halfPlusTwo,
			predict: spec("regress_x2_to_y3") + inputsTwo, want: "test_model/123 regress_x2_to_y3: outputs DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithNamedClassificationSignature", model: halfPlusTwo,
			predict: spec("classify_x2_to_y3") + inputsTwo, want: "test_model/123 classify_x2_to_y3: scores DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithCustomizedSignatures/get_counter", model: counter,
			predict: spec("get_counter"), want: "test_model/123 get_counter: output DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithCustomizedSignatures/reset_counter", model: counter,
			predict: spec("reset_counter"), want: "test_model/123 reset_counter: output DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithCustomizedSignatures/incr_counter with a filter", model: counter,
			predict: spec("incr_counter") + "output_filter: 'output'", want: "test_model/123 incr_counter: output DT_FLOAT[]"},
		{name: "predict_impl_test.cc:PredictionWithCustomizedSignatures/incr_counter_by", model: counter,
			predict: spec("incr_counter_by") + "inputs { key: 'delta' value { dtype: DT_FLOAT float_val: 3 } }",
			want:    "test_model/123 incr_counter_by: output DT_FLOAT[]"},
		{name: "predict_impl_test.cc:ModelSpecOverride", model: halfPlusTwo,
			predict: "model_spec { name: 'nonexistent_model' }", want: "NOT_FOUND: Servable not found for request: Latest(nonexistent_model)"},

		{name: "predict_util_test.cc:InputTensorsDontMatchModelSpecInputs", model: halfPlusTwo,
			predict: spec("") + "inputs { key: 'unknown_key1' value " + text + " } inputs { key: 'unknown_key2' value " + text + " }",
			want:    "INVALID_ARGUMENT: input size does not match signature: 2!=1 len({unknown_key1,unknown_key2}) != len({x}). Sent extra: {unknown_key1,unknown_key2}. Missing but required: {x}."},
		{name: "predict_util_test.cc:PredictionInvalidTensor", model: halfPlusTwo,
			predict: spec("") + "inputs { key: 'x' value { dtype: DT_BOOL bool_val: true } }",
			want:    "INVALID_ARGUMENT: Expects arg[0] to be float but bool is provided"},
		{name: "predict_util_test.cc:InputTensorsHaveWrongType", model: halfPlusTwo,
			predict: spec("") + "inputs { key: 'x' value " + text + " } output_filter: 'y'",
			want:    "INVALID_ARGUMENT: Expects arg[0] to be float but string is provided"},
		{name: "predict_util_test.cc:ModelMissingSignatures", model: `{"signatures": {}}`,
			predict: spec("") + two, want: `FAILED_PRECONDITION: Serving signature key "serving_default" not found.`},
		{name: "predict_util_test.cc:MethodNameCheck/supported", model: halfPlusTwo, checkMethods: true,
			predict: spec("") + two, want: "test_model/123 serving_default: y DT_FLOAT[]"},
		{name: "predict_util_test.cc:MethodNameCheck/unsupported, checked", model: methodModel("not/supported/method"), checkMethods: true,
			predict: spec("") + two,
			want:    "INTERNAL: Expected prediction signature method_name to be one of {tensorflow/serving/predict, tensorflow/serving/classify, tensorflow/serving/regress}. Was: not/supported/method"},
		{name: "predict_util_test.cc:MethodNameCheck/unsupported, not checked", model: methodModel("not/supported/method"),
			predict: spec("") + two, want: "test_model/123 serving_default: y DT_FLOAT[]"},
		{name: "predict_util_test.cc:MethodNameCheck/empty, checked", model: methodModel(""), checkMethods: true,
			predict: spec("") + two, want: "INTERNAL: Expected prediction signature method_name"},

		{name: "predict_util.cc:an encoding that does not parse", model: halfPlusTwo,
			predict: spec("") + "inputs { key: 'x' value { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: 'abc' } }",
			want:    "INVALID_ARGUMENT: tensor parsing error: x"},
		{name: "predict_util.cc:a fault of the runtime", model: halfPlusTwo, predict: spec("") + two,
			fault: errBatchQueueFull, want: "UNAVAILABLE: The batch scheduling queue to which this task was submitted is full"},
		{name: "predict_util.cc:a fault comes after the checks", model: halfPlusTwo, predict: spec(""),
			fault: &env.RPCError{Code: rpcerrors.Internal, Message: "broken"}, want: "INVALID_ARGUMENT: input size does not match"},
		{name: "core/manager.h:a version that is not loaded", model: halfPlusTwo,
			predict: "model_spec { name: 'test_model' version { value: 7 } }",
			want:    "NOT_FOUND: Servable not found for request: Specific(test_model, 7)"},
	})
}

// methodModel describes a model with one signature of the given method.
func methodModel(method string) string {
	return `{"signatures": {"serving_default": {"method": "` + method + `",
		"inputs": {"x": {"name": "x:0", "dtype": 1}}, "outputs": {"y": {"name": "y:0", "dtype": 1, "shape": []}}}}}`
}
