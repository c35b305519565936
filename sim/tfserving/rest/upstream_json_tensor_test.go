package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// The cases of upstream's util/json_tensor_test.cc, by their names, with the
// inputs and values that upstream's assert. A name with a slash is one of several
// steps of a case.

const (
	dtFloat  = framework.DataType_DT_FLOAT
	dtDouble = framework.DataType_DT_DOUBLE
	dtInt32  = framework.DataType_DT_INT32
	dtString = framework.DataType_DT_STRING
)

type dtypes = map[string]framework.DataType

// only limits a case to one profile; empty is both.
const (
	both    = ""
	oldOnly = "tfs-2.4"
	newOnly = "tfs-head"
)

const sixInts = `int_val: [1, 2, 3, 4, 5, 6]`

var tensorsFromJSON = []struct {
	name, only string
	inputs     dtypes
	body       string
	want       string // of the PredictRequest, without model_spec.name
}{
	{"SingleUnnamedTensor", both, dtypes{"default": dtInt32}, `{ "instances": [[1,2],[3,4],[5,6]] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_INT32
		 tensor_shape { dim { size: 3 } dim { size: 2 } } ` + sixInts + ` } }`},
	{"DeeplyNestedWellFormed", newOnly, dtypes{"default": dtInt32},
		`{"instances":[1], "nested":` + strings.Repeat("[", 500000) + strings.Repeat("]", 500000) + `}`,
		`model_spec {} inputs { key: "default" value { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 1 } }`},
	{"MixedInputForFloatTensor", both, dtypes{"default": dtFloat},
		`{ "instances": [1, 2.0, 3, 4, 5.003, 0.007, 0.0] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 7 } }
		 float_val: [1, 2.0, 3, 4, 5.003, 0.007, 0.0] } }`},
	{"MixedInputForDoubleTensor", both, dtypes{"default": dtDouble},
		`{ "instances": [1.0, 2, 3, 4, 0.662, 0, 0.0] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_DOUBLE tensor_shape { dim { size: 7 } }
		 double_val: [1.0, 2, 3, 4, 0.662, 0, 0.0] } }`},
	{"FloatTensorWithPrecisionLoss/integer", newOnly, dtypes{"default": dtFloat}, `{ "instances": [1435774380] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 1435774380 } }`},
	{"FloatTensorWithPrecisionLoss/real", both, dtypes{"default": dtFloat}, `{ "instances": [1435774380.0] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 1435774380.0 } }`},
	{"FloatTensorThatExceedsMaxReturnsInf/max", newOnly, dtypes{"default": dtFloat}, `{ "instances": [1.79769e+308] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: inf } }`},
	{"FloatTensorThatExceedsMaxReturnsInf/lowest", newOnly, dtypes{"default": dtFloat}, `{ "instances": [-1.79769e+308] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: -inf } }`},
	{"FloatTensorThatExceedsMinReturnsZero/min", both, dtypes{"default": dtFloat}, `{ "instances": [2.22507e-308] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 0 } }`},
	{"FloatTensorThatExceedsMinReturnsZero/minus", both, dtypes{"default": dtFloat}, `{ "instances": [-2.22507e-308] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: -0.0 } }`},
	{"SingleUnnamedTensorWithSignature", both, dtypes{"default": dtInt32},
		`{ "signature_name": "predict_images", "instances": [[1,2]] }`,
		`model_spec { signature_name: "predict_images" } inputs { key: "default" value { dtype: DT_INT32
		 tensor_shape { dim { size: 1 } dim { size: 2 } } int_val: [1, 2] } }`},
	{"TensorFromNonNullTerminatedBuffer", newOnly, dtypes{"default": dtInt32}, `{"instances": [[1,2],[3,4],[5,6]]}X`,
		`model_spec {} inputs { key: "default" value { dtype: DT_INT32
		 tensor_shape { dim { size: 3 } dim { size: 2 } } ` + sixInts + ` } }`},
	{"SingleUnnamedTensorBase64Scalars", both, dtypes{"default": dtString},
		`{ "instances": [ { "b64" : "aGVsbG8=" }, { "b64": "d29ybGQ=" } ] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_STRING tensor_shape { dim { size: 2 } }
		 string_val: ["hello", "world"] } }`},
	{"SingleUnnamedTensorBase64Lists", both, dtypes{"default": dtString},
		`{ "instances": [ [{ "b64" : "aGVsbG8=" }], [{ "b64": "d29ybGQ=" }] ] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_STRING tensor_shape { dim { size: 2 } dim { size: 1 } }
		 string_val: ["hello", "world"] } }`},
	{"SingleNamedTensorBase64", both, dtypes{"default": dtString},
		`{ "instances": [ { "default": [ [{ "b64" : "aGVsbG8=" }], [{ "b64": "d29ybGQ=" }] ] } ] }`,
		`model_spec {} inputs { key: "default" value { dtype: DT_STRING
		 tensor_shape { dim { size: 1 } dim { size: 2 } dim { size: 1 } } string_val: ["hello", "world"] } }`},
	{"MultipleNamedTensor", both,
		dtypes{"int_tensor": dtInt32, "str_tensor": dtString, "float_tensor": dtFloat, "dbl_tensor": dtDouble},
		`{ "instances": [
		 { "int_tensor": [[1,2],[3,4],[5,6]], "str_tensor": ["foo", "bar"], "float_tensor": [1.0, NaN], "dbl_tensor": [NaN] },
		 { "int_tensor": [[7,8],[9,0],[1,2]], "str_tensor": ["baz", "bat"], "float_tensor": [2.0, Infinity], "dbl_tensor": [2.0] }
		 ] }`,
		`model_spec {}
		 inputs { key: "int_tensor" value { dtype: DT_INT32 tensor_shape { dim { size: 2 } dim { size: 3 } dim { size: 2 } }
		  int_val: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2] } }
		 inputs { key: "str_tensor" value { dtype: DT_STRING tensor_shape { dim { size: 2 } dim { size: 2 } }
		  string_val: ["foo", "bar", "baz", "bat"] } }
		 inputs { key: "float_tensor" value { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } }
		  float_val: [1.0, nan, 2.0, inf] } }
		 inputs { key: "dbl_tensor" value { dtype: DT_DOUBLE tensor_shape { dim { size: 2 } dim { size: 1 } }
		  double_val: [nan, 2.0] } }`},
	{"SingleUnnamedTensorColumnarFormat/named", both, dtypes{"int_tensor": dtInt32},
		`{ "inputs": { "int_tensor": [[[1,2],[3,4],[5,6]]] } }`,
		`model_spec {} inputs { key: "int_tensor" value { dtype: DT_INT32
		 tensor_shape { dim { size: 1 } dim { size: 3 } dim { size: 2 } } ` + sixInts + ` } }`},
	{"SingleUnnamedTensorColumnarFormat/unnamed", both, dtypes{"int_tensor": dtInt32},
		`{ "inputs": [[[1,2],[3,4],[5,6]]] }`,
		`model_spec {} inputs { key: "int_tensor" value { dtype: DT_INT32
		 tensor_shape { dim { size: 1 } dim { size: 3 } dim { size: 2 } } ` + sixInts + ` } }`},
	{"MultipleNamedTensorColumnarFormat", both,
		dtypes{"int_tensor": dtInt32, "str_tensor": dtString, "bin_tensor": dtString},
		`{ "inputs": { "int_tensor": [[[1,2],[3,4],[5,6]]], "str_tensor": ["foo", "bar"], "bin_tensor": { "b64" : "aGVsbG8=" } } }`,
		`model_spec {}
		 inputs { key: "int_tensor" value { dtype: DT_INT32
		  tensor_shape { dim { size: 1 } dim { size: 3 } dim { size: 2 } } ` + sixInts + ` } }
		 inputs { key: "str_tensor" value { dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: ["foo", "bar"] } }
		 inputs { key: "bin_tensor" value { dtype: DT_STRING tensor_shape {} string_val: "hello" } }`},
}

func TestJSONTensorFromJSON(t *testing.T) {
	for _, c := range tensorsFromJSON {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
				w := &world{inputs: inputs(c.inputs), outputs: oneOutput()}
				response := serve(w, profile, "POST", "/v1/models/m:predict", c.body)
				if response.Status != 200 {
					t.Fatalf("%d %s", response.Status, response.Body)
				}
				want := text(t, &apis.PredictRequest{}, c.want)
				want.ModelSpec.Name = "m"
				if diff := cmp.Diff(want, w.request, protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("request (-upstream +ours):\n%s", diff)
				}
			})
		})
	}
}

func oneOutput() map[string]*framework.TensorProto {
	return map[string]*framework.TensorProto{"y": {
		Dtype: dtInt32, IntVal: []int32{1},
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: 1}}},
	}}
}

// eachOf runs a test under both profiles or the only one it is for.
func eachOf(t *testing.T, only string, test func(*testing.T, tfserving.Profile)) {
	for _, profile := range profiles {
		if only == both || only == profile.String() {
			t.Run(profile.String(), func(t *testing.T) { test(t, profile) })
		}
	}
}

// errorCase is a body and a part of the error that upstream's case asserts.
type errorCase struct {
	name, only string
	inputs     dtypes
	body       string
	want       string
}

var twoInputs = dtypes{"int_tensor": dtInt32, "str_tensor": dtString}

var tensorErrors = []errorCase{
	{"DeeplyNestedMalformed", newOnly, dtypes{"default": dtInt32},
		`{"signature_name":` + strings.Repeat("[", 500000) + strings.Repeat("]", 500000) + `}`, "key must be a string value"},
	{"SingleUnnamedTensorErrors/empty", both, dtypes{"default": dtInt32}, "", "document is empty"},
	{"SingleUnnamedTensorErrors/signature", both, dtypes{"default": dtInt32},
		`{ "signature_name": 5, "instances": [[1,2],[3,4],[5,6,7]] }`, "must be a string value"},
	{"SingleUnnamedTensorErrors/both keys", both, dtypes{"default": dtInt32},
		`{ "instances": [[1,2],[3,4],[5,6,7]], "inputs": [[1,2],[3,4],[5,6,7]] }`, "Not formatted correctly"},
	{"SingleUnnamedTensorErrors/size", both, dtypes{"default": dtInt32},
		`{ "instances": [[1,2],[3,4],[5,6,7]] }`, "Expecting tensor size"},
	{"SingleUnnamedTensorErrors/shape", both, dtypes{"default": dtInt32},
		`{ "instances": [[1,2],[3,4],[[5,6]]] }`, "Expecting shape"},
	{"SingleUnnamedTensorErrors/shape of a scalar", both, dtypes{"default": dtInt32},
		`{ "instances": [1, [1]] }`, "Expecting shape"},
	{"SingleUnnamedTensorErrors/type", both, dtypes{"default": dtInt32},
		`{ "instances": [[1,2],["a", "b"]] }`, "not of expected type"},
	{"SingleUnnamedTensorErrors/float out of range", oldOnly, dtypes{"default": dtFloat},
		`{ "instances": [1.79769e+308] }`, "loss of precision"},
	{"SingleUnnamedTensorErrors/float of 25 bits", oldOnly, dtypes{"default": dtFloat},
		`{ "instances": [16777217] }`, "loss of precision"},
	{"SingleUnnamedTensorErrors/double of 54 bits", oldOnly, dtypes{"default": dtDouble},
		`{ "instances": [9007199254740993] }`, "loss of precision"},
	{"MultipleNamedTensorErrors/shape", both, twoInputs,
		`{ "instances": [ { "int_tensor": [[1,2],[3,4],[5,6]], "str_tensor": ["foo", "bar"] },
		 { "int_tensor": [[[7,8],[9,0],[1,2]]], "str_tensor": ["baz", "bat"] } ] }`, "Expecting shape"},
	{"MultipleNamedTensorErrors/size", both, twoInputs,
		`{ "instances": [ { "int_tensor": [[1,2],[3,4],[5,6],[7,8]], "str_tensor": ["foo", "bar"] },
		 { "int_tensor": [[7,8],[9,0],[1,2]], "str_tensor": ["baz", "bat"] } ] }`, "Expecting tensor size"},
	{"MultipleNamedTensorErrors/list among objects", both, twoInputs,
		`{ "instances": [ { "int_tensor": [[1,2],[3,4],[5,6]], "str_tensor": ["foo", "bar"] }, [1, 20, 30],
		 { "int_tensor": [[[7,8],[9,0],[1,2]]], "str_tensor": ["baz", "bat"] } ] }`, "Expecting object but got list"},
	{"MultipleNamedTensorErrors/object among lists", both, dtypes{"str_tensor": dtString},
		`{ "instances": [ ["baz", "bar"], { "str_tensor": ["baz", "bat"] } ] }`, "Expecting value/list but got object"},
}

func TestJSONTensorErrors(t *testing.T) {
	for _, c := range tensorErrors {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
				checkError(t, profile, "predict", c)
			})
		})
	}
}

// checkError wants INVALID_ARGUMENT with a part of the text, before the model is
// called.
func checkError(t *testing.T, profile tfserving.Profile, method string, c errorCase) {
	t.Helper()
	w := &world{inputs: inputs(c.inputs), outputs: oneOutput()}
	response := serve(w, profile, "POST", "/v1/models/m:"+method, c.body)
	if message := errorOf(t, response.Body); response.Status != 400 || !strings.Contains(message, c.want) || w.calls > 0 {
		t.Errorf("%d %s after %d calls, want 400 with %q", response.Status, message, w.calls, c.want)
	}
}

// errorOf is the text of {"error": "<text>"}.
func errorOf(t *testing.T, body []byte) string {
	t.Helper()
	document, err := rapidjson.Parse(body, rapidjson.Options{})
	if err != nil || document.Find("error") == nil || len(document.Members) != 1 {
		t.Fatalf("%q is no error: %v", body, err)
	}
	return document.Find("error").Text
}

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

// Values and members are those of upstream, in upstream's sense: numbers as they
// are written, white space apart. TestLayout has the white space.
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

// checkBody compares all but white space, of which the strings here have none.
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

var exampleRequests = []struct{ name, body, want string }{
	{"RequestNoContext", `{ "examples": [
	   { "names": [ "foo", "bar" ], "ratings": [ 8.0, 9.0 ], "age": 20 }, { "names": [ "baz" ], "ratings": 6.0 } ] }`,
		`model_spec { name: "m" } input { example_list {
	   examples { features {
	     feature { key: "names" value { bytes_list { value: ["foo", "bar"] } } }
	     feature { key: "ratings" value { float_list { value: [8.0, 9.0] } } }
	     feature { key: "age" value { int64_list { value: 20 } } } } }
	   examples { features {
	     feature { key: "names" value { bytes_list { value: "baz" } } }
	     feature { key: "ratings" value { float_list { value: 6.0 } } } } } } }`},
	{"RequestWithContextAndSignature", `{ "signature_name": "custom_signture",
	   "context": { "query": "pizza", "location": [ "sfo" ] },
	   "examples": [
	     { "names": [ "foo", "bar" ], "ratings": [ 8.0, 9.0, NaN, Infinity ], "age": 20 },
	     { "names": [ "baz", { "b64": "aGVsbG8=" } ], "ratings": 6.0, "intboolmix": [ 1, true, false ] },
	     { "names": "bar", "ratings": -Infinity } ] }`,
		`model_spec { name: "m" signature_name: "custom_signture" } input { example_list_with_context {
	   context { features {
	     feature { key: "query" value { bytes_list { value: "pizza" } } }
	     feature { key: "location" value { bytes_list { value: "sfo" } } } } }
	   examples { features {
	     feature { key: "names" value { bytes_list { value: ["foo", "bar"] } } }
	     feature { key: "ratings" value { float_list { value: [8.0, 9.0, nan, inf] } } }
	     feature { key: "age" value { int64_list { value: 20 } } } } }
	   examples { features {
	     feature { key: "names" value { bytes_list { value: ["baz", "hello"] } } }
	     feature { key: "ratings" value { float_list { value: 6.0 } } }
	     feature { key: "intboolmix" value { int64_list { value: [1, 1, 0] } } } } }
	   examples { features {
	     feature { key: "names" value { bytes_list { value: "bar" } } }
	     feature { key: "ratings" value { float_list { value: -inf } } } } } } }`},
}

func TestClassifyRegressRequests(t *testing.T) {
	for _, c := range exampleRequests {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, profile tfserving.Profile) {
				checkExamples(t, profile, "classify", c.body, text(t, &apis.ClassificationRequest{}, c.want))
				checkExamples(t, profile, "regress", c.body, text(t, &apis.RegressionRequest{}, c.want))
			})
		})
	}
}

func checkExamples(t *testing.T, profile tfserving.Profile, method, body string, want proto.Message) {
	t.Helper()
	w := &world{}
	serve(w, profile, "POST", "/v1/models/m:"+method, body)
	if diff := cmp.Diff(want, w.request, protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s (-upstream +ours):\n%s", method, diff)
	}
}

var exampleErrors = []errorCase{
	{"JsonErrors/signature", both, nil, `{ "signature_name": [ "hello" ], "examples": [ { "names": [ "foo", "bar" ] } ] }`,
		"'signature_name' key must be a string"},
	{"JsonErrors/context", both, nil, `{ "context": [ { "names": [ "foo", "bar" ] } ] }`, "Example must be JSON object"},
	{"JsonErrors/no list", both, nil, `{ "examples": { "names": [ "foo", "bar" ] } }`, "list/array"},
	{"JsonErrors/list in the list", both, nil, `{ "examples": [ [ { "names": [ "foo", "bar" ] } ] ] }`,
		"Example must be JSON object"},
	{"JsonErrors/null", both, nil, `{ "examples": [ { "names": [ 10, null ] } ] }`,
		"names has element with unexpected JSON type: Null"},
	{"JsonErrors/mixed", both, nil, `{ "examples": [ { "names": [ 10, 10.0 ] } ] }`, "feature: names expecting type: int64"},
	{"JsonErrors/object", both, nil, `{ "examples": [ { "names": [ 10, { "test": 10 } ] } ] }`,
		"names has element with unexpected JSON type: Object"},
	{"JsonErrors/array", both, nil, `{ "examples": [ { "names": [ [10], 20 ] } ] }`,
		"names has element with unexpected JSON type: Array"},
	{"JsonErrors/uint64", newOnly, nil, `{ "examples": [ { "names": [ 20, 18446744073709551603 ] } ] }`,
		"Only int64_t is supported"},
	{"JsonErrors/uint64 of 2.4", oldOnly, nil, `{ "examples": [ { "names": [ 20, 18446744073709551603 ] } ] }`,
		"Only int64 is supported"},
	{"JsonErrors/float out of range", oldOnly, nil, `{ "examples": [ { "names": 1.79769e+308 } ] }`, "loss of precision"},
}

func TestClassifyRegressErrors(t *testing.T) {
	for _, c := range exampleErrors {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
				checkError(t, profile, "classify", c)
				checkError(t, profile, "regress", c)
			})
		})
	}
}

var results = []struct{ name, classifications, regressions, want string }{
	{"JsonFromClassificationResult", `
	  classifications { classes { label: "car" score: 0.2 } classes { label: "bike" score: 0.7 } classes { label: "bus" score: 0.1 } }
	  classifications { classes { label: "car" score: 0.7 } classes { label: "bike" score: 0.1 } classes { label: "bus" score: 0.2 } }`,
		"", `{ "results": [ [ ["car", 0.2], ["bike", 0.7], ["bus", 0.1] ], [ ["car", 0.7], ["bike", 0.1], ["bus", 0.2] ] ] }`},
	{"JsonFromRegressionResult", "", `regressions { value: 0.2 } regressions { value: 0.9 } regressions { value: 1.0 }`,
		`{ "results": [ 0.2, 0.9, 1.0 ] }`},
	{"JsonFromRegressionResultWithNonFinite", "", `regressions { value: 0.2 } regressions { value: inf }
	  regressions { value: 1.0 } regressions { value: -inf } regressions { value: nan }`,
		`{ "results": [ 0.2, Infinity, 1.0, -Infinity, NaN ] }`},
	{"JsonFromResultErrors/classification", "", "", `{ "error": "Cannot convert empty ClassificationResults to JSON" }`},
	{"JsonFromResultErrors/regression", "", "", `{ "error": "Cannot convert empty RegressionResults to JSON" }`},
}

func TestResults(t *testing.T) {
	for _, c := range results {
		t.Run("json_tensor_test.cc:"+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, profile tfserving.Profile) {
				w := &world{
					classifications: text(t, &apis.ClassificationResult{}, c.classifications),
					regressions:     text(t, &apis.RegressionResult{}, c.regressions),
				}
				method := "classify"
				if c.regressions != "" || strings.HasSuffix(c.name, "/regression") {
					method = "regress"
				}
				response := serve(w, profile, "POST", "/v1/models/m:"+method, `{"examples": [{}]}`)
				checkBody(t, c.want, string(response.Body))
			})
		})
	}
}

// json_tensor_test.cc:StatusError; that of StatusOK is in every call that works.
func TestStatusError(t *testing.T) {
	each(t, func(t *testing.T, profile tfserving.Profile) {
		for _, message := range []string{`Bad key: "key"`, `Bad key: 'key'`} {
			w := &world{err: status(3, message)}
			if got := errorOf(t, serve(w, profile, "GET", "/v1/models/m", "").Body); got != message {
				t.Errorf("error %q, want %q", got, message)
			}
		}
	})
}
