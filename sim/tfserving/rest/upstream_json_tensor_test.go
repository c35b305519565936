package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// These are the cases of upstream's util/json_tensor_test.cc under upstream's names, with the
// inputs and values of upstream's asserts. A name with a slash is one of several steps of a case.

const (
	dtFloat  = framework.DataType_DT_FLOAT
	dtDouble = framework.DataType_DT_DOUBLE
	dtInt32  = framework.DataType_DT_INT32
	dtString = framework.DataType_DT_STRING
)

type dtypes = map[string]framework.DataType

// A case's field only has one of these values. It limits the case to one profile; empty means both.
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
	want       string // wanted PredictRequest in text format, without model_spec.name
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

// eachOf runs a test under both profiles, or only under the profile that only names.
func eachOf(t *testing.T, only string, test func(*testing.T, tfserving.Profile)) {
	for _, profile := range profiles {
		if only == both || only == profile.String() {
			t.Run(profile.String(), func(t *testing.T) { test(t, profile) })
		}
	}
}

// errorCase is a request body with a part of the error text that upstream asserts.
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

// checkError checks that a request fails with INVALID_ARGUMENT and a part of the text, before it
// reaches the model.
func checkError(t *testing.T, profile tfserving.Profile, method string, c errorCase) {
	t.Helper()
	w := &world{inputs: inputs(c.inputs), outputs: oneOutput()}
	response := serve(w, profile, "POST", "/v1/models/m:"+method, c.body)
	if message := errorOf(t, response.Body); response.Status != 400 || !strings.Contains(message, c.want) || w.calls > 0 {
		t.Errorf("%d %s after %d calls, want 400 with %q", response.Status, message, w.calls, c.want)
	}
}

// errorOf returns the text of a body {"error": "<text>"}.
func errorOf(t *testing.T, body []byte) string {
	t.Helper()
	document, err := rapidjson.Parse(body, rapidjson.Options{})
	if err != nil || document.Find("error") == nil || len(document.Members) != 1 {
		t.Fatalf("%q is no error: %v", body, err)
	}
	return document.Find("error").Text
}
