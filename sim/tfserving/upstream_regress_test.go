package tfserving

import (
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// regressor describes a model with one signature of the given method and output.
func regressor(method, output string) string {
	return fmt.Sprintf(`{"signatures": {"serving_default": {"method": %q,
		"inputs": {"inputs": {"name": "input:0"}}, "outputs": {"outputs": {%s}}}}}`, method, output)
}

func TestMirroredRegress(t *testing.T) {
	const method = "tensorflow/serving/regress"
	vector := regressor(method, `"name": "output:0"`)
	const oneExample = "input { example_list { examples {} } }"
	runCases(t, []requestCase{
		{name: "regressor_test.cc:BasicExampleList", model: vector, regress: spec("") + twoExamples,
			want: "test_model/123 serving_default: 2 values"},
		{name: "regressor_test.cc:BasicExampleListWithContext", model: vector, regress: spec("") + twoWithContext,
			want: "test_model/123 serving_default: 2 values"},
		{name: "regressor_test.cc:ValidNamedSignature", model: halfPlusTwo, regress: spec("regress_x_to_y") + twoExamples,
			want: "test_model/123 regress_x_to_y: 2 values"},
		{name: "regressor_test.cc:InvalidNamedSignature", model: halfPlusTwo, regress: spec("classify_x_to_y") + twoExamples,
			want: "INVALID_ARGUMENT: No regression outputs found in SignatureDef: inputs {"},
		{name: "regressor_test.cc:InvalidNamedSignature/checked", model: halfPlusTwo, checkMethods: true, regress: spec("classify_x_to_y") + twoExamples,
			want: "INVALID_ARGUMENT: Expected regression signature method_name to be tensorflow/serving/regress. Was: tensorflow/serving/classify"},
		{name: "regressor_test.cc:MalformedOutputs", model: regressor(method, `"dtype": 1, "shape": [-1, 10]`), regress: spec("") + twoExamples,
			want: "INVALID_ARGUMENT: Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got [2,10]"},
		{name: "regressor_test.cc:EmptyInput", model: vector, regress: spec("") + "input {}", want: "INVALID_ARGUMENT: Input is empty."},
		{name: "regressor_test.cc:EmptyExampleList", model: vector, regress: spec("") + emptyList, want: "INVALID_ARGUMENT: Input is empty."},
		{name: "regressor_test.cc:EmptyExampleListWithContext", model: vector, regress: spec("") + emptyWithContext, want: "INVALID_ARGUMENT: Input is empty."},
		{name: "regressor_test.cc:RunsFails", model: vector, regress: spec("") + twoExamples,
			fault: &env.RPCError{Code: rpcerrors.Internal, Message: "Run totally failed"}, want: "INTERNAL: Run totally failed"},
		{name: "regressor_test.cc:UnexpectedOutputTensorSize", model: regressor(method, `"dtype": 1, "shape": [2]`), regress: spec("") + oneExample,
			want: "INVALID_ARGUMENT: Input batch size did not match output batch size: 1 vs. 2"},
		{name: "regressor_test.cc:UnexpectedOutputTensorType", model: regressor(method, `"dtype": 7, "shape": [1]`), regress: spec("") + oneExample,
			want: "INVALID_ARGUMENT: Expected output Tensor of DT_FLOAT.  Got: DT_STRING"},
		{name: "regressor_test.cc:MissingRegressionSignature", model: `{"signatures": {"serving_default": {}}}`, regress: spec("") + oneExample,
			want: "INVALID_ARGUMENT: Expected one input Tensor."},
		{name: "regressor_test.cc:MethodNameCheck/supported", model: vector, checkMethods: true, regress: spec("") + oneExample,
			want: "test_model/123 serving_default: 1 values"},
		{name: "regressor_test.cc:MethodNameCheck/unsupported, checked", model: regressor("not/supported/method", ""), checkMethods: true,
			regress: spec("") + oneExample, want: "INVALID_ARGUMENT: Expected regression signature method_name to be tensorflow/serving/regress. Was: not/supported/method"},
		{name: "regressor_test.cc:MethodNameCheck/empty, not checked", model: regressor("", ""),
			regress: spec("") + oneExample, want: "test_model/123 serving_default: 1 values"},

		{name: "regression_service_test.cc:InvalidModelSpec/no spec", model: halfPlusTwo, regress: twoExamples,
			want: "INVALID_ARGUMENT: Missing ModelSpec"},
		{name: "regression_service_test.cc:InvalidModelSpec/no name", model: halfPlusTwo, regress: "model_spec {}",
			want: "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{name: "regression_service_test.cc:InvalidModelSpec/wrong name", model: halfPlusTwo, regress: "model_spec { name: 'foo' }",
			want: "NOT_FOUND: Servable not found for request: Latest(foo)"},
		{name: "regression_service_test.cc:InvalidSignature", model: halfPlusTwo, regress: spec("invalid_signature_name"),
			want: "INVALID_ARGUMENT: No signature was found with the name: invalid_signature_name"},
		{name: "regression_service_test.cc:RegressionSuccess", model: halfPlusTwo,
			regress: "model_spec { name: 'test_model' signature_name: 'regress_x_to_y' }" + twoExamples,
			want:    "test_model/123 regress_x_to_y: 2 values"},

		{name: "regressor.cc:two outputs", model: `{"signatures": {"serving_default": {"inputs": {"inputs": {}}, "outputs": {"a": {}, "b": {}}}}}`,
			regress: spec("") + oneExample, want: "INVALID_ARGUMENT: Expected one output Tensor."},
	})
}
