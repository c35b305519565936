package tfserving

import (
	"fmt"
	"testing"
)

// task returns a task of a MultiInferenceRequest in text format.
func task(model, signature, method string) string {
	return fmt.Sprintf("tasks { model_spec { name: '%s' signature_name: '%s' } method_name: 'tensorflow/serving/%s' } ", model, signature, method)
}

func TestMirroredMultiInference(t *testing.T) {
	x := "input { example_list { examples { features { feature { key: 'x' value { float_list { value: 2 } } } } } } }"
	regress := task("test_model", "regress_x_to_y", "regress")
	for _, file := range []string{"multi_inference_test.cc", "multi_inference_helper_test.cc"} {
		runCases(t, []requestCase{
			{name: file + ":MissingInputTest", model: halfPlusTwo, multi: regress, want: "INVALID_ARGUMENT: Input is empty."},
			{name: file + ":UndefinedSignatureTest", model: halfPlusTwo,
				multi: task("test_model", "ThisSignatureDoesNotExist", "regress") + x,
				want:  "INVALID_ARGUMENT: Requested signature not found in model graph: ThisSignatureDoesNotExist"},
			{name: file + ":InconsistentModelSpecsInRequestTest", model: halfPlusTwo,
				multi: regress + task("ModelDoesNotExist", "regress_x_to_y", "regress") + x,
				want:  "INVALID_ARGUMENT: All ModelSpecs in a MultiInferenceRequest must access the same model name."},
			{name: file + ":EvaluateDuplicateSignaturesTest", model: halfPlusTwo, multi: regress + regress + x,
				want: "INVALID_ARGUMENT: Duplicate evaluation of signature: regress_x_to_y"},
			{name: file + ":UsupportedSignatureTypeTest", model: halfPlusTwo,
				multi: task("test_model", "serving_default", "predict") + x,
				want:  "UNIMPLEMENTED: Unsupported signature method_name: tensorflow/serving/predict"},
			{name: file + ":ValidSingleSignatureTest", model: halfPlusTwo, multi: regress + x,
				want: "test_model/123 regress_x_to_y: 1 values"},
			{name: file + ":MultipleValidRegressSignaturesTest", model: halfPlusTwo,
				multi: regress + task("test_model", "regress_x_to_y2", "regress") + x,
				want:  "test_model/123 regress_x_to_y: 1 values; test_model/123 regress_x_to_y2: 1 values"},
			{name: file + ":RegressAndClassifySignaturesTest", model: halfPlusTwo,
				multi: regress + task("test_model", "classify_x_to_y", "classify") + x,
				want:  "test_model/123 regress_x_to_y: 1 values; test_model/123 classify_x_to_y: 1 classes with scores"},
		})
	}
	runCases(t, []requestCase{
		{name: "multi_inference_helper_test.cc:ModelSpecOverride", model: halfPlusTwo,
			multi: task("nonexistent_model", "regress_x_to_y", "regress") + x,
			want:  "NOT_FOUND: Servable not found for request: Latest(nonexistent_model)"},
		{name: "multi_inference_helper.cc:no task", model: halfPlusTwo, multi: x,
			want: "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{name: "multi_inference.cc:a task without a name", model: halfPlusTwo, multi: regress + "tasks {}" + x,
			want: "INVALID_ARGUMENT: Found ModelSpec with an empty model name."},
		{name: "multi_inference.cc:a signature of the other method", model: halfPlusTwo,
			multi: task("test_model", "regress_x_to_y", "classify") + x,
			want:  "INVALID_ARGUMENT: Expected classification signature outputs to contain at least one of"},
	})
}

func TestMirroredMetadata(t *testing.T) {
	field := "metadata_field: 'signature_def'"
	all := "test_model/123 : classify_x2_to_y3, classify_x_to_y, regress_x2_to_y3, regress_x_to_y, regress_x_to_y2, serving_default"
	runCases(t, []requestCase{
		{name: "get_model_metadata_impl_test.cc:EmptyOrInvalidMetadataFieldList/empty", model: halfPlusTwo, metadata: spec(""),
			want: "INVALID_ARGUMENT: GetModelMetadataRequest must specify at least one metadata_field"},
		{name: "get_model_metadata_impl_test.cc:EmptyOrInvalidMetadataFieldList/invalid", model: halfPlusTwo,
			metadata: spec("") + "metadata_field: 'some_stuff'", want: "INVALID_ARGUMENT: Metadata field some_stuff is not supported"},
		{name: "get_model_metadata_impl_test.cc:MissingOrEmptyModelSpec/no spec", model: halfPlusTwo, metadata: field,
			want: "INVALID_ARGUMENT: Missing ModelSpec"},
		{name: "get_model_metadata_impl_test.cc:MissingOrEmptyModelSpec/no name", model: halfPlusTwo, metadata: "model_spec {} " + field,
			want: "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{name: "get_model_metadata_impl_test.cc:MissingOrEmptyModelSpec/wrong name", model: halfPlusTwo, metadata: "model_spec { name: 'test' } " + field,
			want: "NOT_FOUND: Servable not found for request: Latest(test)"},
		{name: "get_model_metadata_impl_test.cc:ReturnsSignaturesForValidModel", model: halfPlusTwo, metadata: spec("") + field, want: all},
		{name: "get_model_metadata_impl_test.cc:ModelSpecOverride", model: halfPlusTwo, metadata: "model_spec { name: 'nonexistent_model' } " + field,
			want: "NOT_FOUND: Servable not found for request: Latest(nonexistent_model)"},
	})
}
