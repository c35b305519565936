package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// These are the cases of upstream's util/json_tensor_test.cc that convert tensors to JSON, with the
// values that upstream asserts.

var tensorsToJSON = []struct {
	name    string
	outputs string // of a PredictResponse
	rows    string // "" for none
	columns string
}{
	{"FromJsonSingleTensor", `outputs { key: "int_tensor" value { dtype: DT_INT32
	  tensor_shape { dim { size: 2 } dim { size: 3 } dim { size: 2 } } int_val: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2] } }`,
		`{ "predictions": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]] ]}`,
		`{ "outputs": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]] ]}`},
	{"FromJsonSingleScalarTensor", `outputs { key: "int_tensor" value { dtype: DT_INT32
	  tensor_shape { dim { size: 5 } } int_val: [1, 2, 3, 4, 5] } }`,
		`{ "predictions": [1, 2, 3, 4, 5] }`, `{ "outputs": [1, 2, 3, 4, 5] }`},
	{"FromJsonSingleBytesTensor", `outputs { key: "str_tensor_bytes" value { dtype: DT_STRING
	  tensor_shape { dim { size: 2 } dim { size: 2 } } string_val: ["hello", "world", "tf", "serving"] } }`,
		`{ "predictions": [ [{"b64": "aGVsbG8="}, {"b64": "d29ybGQ="}], [{"b64": "dGY="}, {"b64": "c2VydmluZw=="}] ]}`, ""},
	{"FromJsonSingleFloatTensorSixDigitPrecision", `outputs { key: "float_tensor" value { dtype: DT_FLOAT
	  tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: [9000000, 999999, 0.50000, .0003, .00003, 555557.5] } }`,
		`{ "predictions": [ [9e+06, 999999.0, 0.5], [0.0003, 3e-05, 555557.5] ]}`, ""},
	{"FromJsonSingleFloatTensorNonFinite", `outputs { key: "float_tensor" value { dtype: DT_FLOAT
	  tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: [nan, inf, 3, -inf] } }`,
		`{ "predictions": [ [NaN, Infinity], [3.0, -Infinity] ]}`, ""},
	{"FromJsonMultipleNamedTensors", `
	  outputs { key: "int_tensor" value { dtype: DT_INT32
	   tensor_shape { dim { size: 2 } dim { size: 3 } dim { size: 2 } } int_val: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2] } }
	  outputs { key: "str_tensor" value { dtype: DT_STRING
	   tensor_shape { dim { size: 2 } dim { size: 2 } } string_val: ["foo", "bar", "baz", "bat"] } }
	  outputs { key: "float_tensor" value { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 1 } } float_val: [1.0, 2.0] } }
	  outputs { key: "double_scalar_tensor" value { dtype: DT_DOUBLE tensor_shape { dim { size: 2 } } double_val: [8.0, 9.0] } }
	  outputs { key: "str_tensor_bytes" value { dtype: DT_STRING
	   tensor_shape { dim { size: 2 } dim { size: 2 } } string_val: ["hello", "world", "tf", "serving"] } }`,
		`{ "predictions": [
	    { "double_scalar_tensor": 8.0, "float_tensor": [1.0], "int_tensor": [[1, 2], [3, 4], [5, 6]],
	      "str_tensor": ["foo", "bar"], "str_tensor_bytes": [ {"b64": "aGVsbG8="}, {"b64": "d29ybGQ="} ] },
	    { "double_scalar_tensor": 9.0, "float_tensor": [2.0], "int_tensor": [[7, 8], [9, 0], [1, 2]],
	      "str_tensor": ["baz", "bat"], "str_tensor_bytes": [ {"b64": "dGY="}, {"b64": "c2VydmluZw=="} ] } ]}`,
		`{ "outputs": { "double_scalar_tensor": [8.0, 9.0], "float_tensor": [[1.0], [2.0]],
	      "int_tensor": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]]], "str_tensor": [["foo", "bar"], ["baz", "bat"]],
	      "str_tensor_bytes": [[{"b64": "aGVsbG8="}, {"b64": "d29ybGQ="}], [{"b64": "dGY="}, {"b64": "c2VydmluZw=="}]] }}`},
	{"FromJsonSingleZeroBatchTensor", `outputs { key: "int_tensor" value { dtype: DT_INT32
	  tensor_shape { dim { size: 0 } dim { size: 2 } } } }`, `{ "predictions": [] }`, ""},
	{"FromJsonMultipleZeroBatchTensors", `
	  outputs { key: "str_tensor" value { dtype: DT_STRING tensor_shape { dim { size: 0 } dim { size: 1 } dim { size: 2 } } } }
	  outputs { key: "float_tensor" value { dtype: DT_FLOAT tensor_shape { dim { size: 0 } dim { size: 3 } dim { size: 4 } } } }`,
		`{ "predictions": [] }`, ""},
}

// Goal: values and members equal those that upstream asserts, as written but without white space.
// TestLayout checks the white space.
func TestJSONTensorToJSON(t *testing.T) {
	for _, c := range tensorsToJSON {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, profile tfserving.Profile) {
				checkBody(t, c.rows, respond(t, profile, c.outputs, `{"instances": [1]}`))
				if c.columns != "" {
					checkBody(t, c.columns, respond(t, profile, c.outputs, `{"inputs": [1]}`))
				}
			})
		})
	}
}

func respond(t *testing.T, profile tfserving.Profile, outputs, request string) string {
	t.Helper()
	w := &world{inputs: inputs(dtypes{"x": dtInt32}), outputs: text(t, &apis.PredictResponse{}, outputs).Outputs}
	response := serve(w, profile, "POST", "/v1/models/m:predict", request)
	if response.Status != 200 {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	return string(response.Body)
}

// checkBody compares two bodies without their white space. The strings in these tests contain none.
func checkBody(t *testing.T, want, got string) {
	t.Helper()
	strip := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if diff := cmp.Diff(strip(want), strip(got)); diff != "" {
		t.Errorf("body (-upstream +ours):\n%s", diff)
	}
}

var outputErrors = []struct{ name, outputs, want string }{
	{"FromJsonSingleTensorErrors/empty", ``, "empty tensor map"},
	{"FromJsonSingleTensorErrors/type", `outputs { key: "tensor" value { dtype: DT_COMPLEX64
	  tensor_shape { dim { size: 2 } } scomplex_val: [1.0, 2.0] } }`, "tensor type: complex64"},
	{"FromJsonSingleTensorErrors/shape", `outputs { key: "tensor" value { dtype: DT_INT32 int_val: 1 } }`, "no shape information"},
	{"FromJsonMultipleNamedTensorsErrors", `
	  outputs { key: "int_tensor" value { dtype: DT_INT32 tensor_shape { dim { size: 2 } dim { size: 3 } } ` + sixInts + ` } }
	  outputs { key: "str_tensor" value { dtype: DT_STRING tensor_shape { dim { size: 1 } dim { size: 3 } }
	   string_val: ["foo", "bar", "baz"] } }`, "inconsistent batch size"},
	{"FromJsonMultipleZeroBatchTensorsErrors", `
	  outputs { key: "int_tensor" value { dtype: DT_INT32 tensor_shape { dim { size: 0 } dim { size: 2 } } } }
	  outputs { key: "str_tensor" value { dtype: DT_STRING tensor_shape { dim { size: 1 } dim { size: 2 } }
	   string_val: ["foo", "bar"] } }`, "inconsistent batch size"},
}

func TestJSONTensorToJSONErrors(t *testing.T) {
	for _, c := range outputErrors {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, profile tfserving.Profile) {
				w := &world{inputs: inputs(dtypes{"x": dtInt32}), outputs: text(t, &apis.PredictResponse{}, c.outputs).Outputs}
				response := serve(w, profile, "POST", "/v1/models/m:predict", `{"instances": [1]}`)
				if message := errorOf(t, response.Body); response.Status != 400 || !strings.Contains(message, c.want) {
					t.Errorf("%d %s, want 400 with %q", response.Status, message, c.want)
				}
			})
		})
	}
}
