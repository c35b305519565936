package rest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// These tests are the cases of upstream's model_servers/http_rest_api_handler_test.cc and
// http_rest_api_util_test.cc, under upstream's names.

// Goal: unsupported calls fail as in http_rest_api_handler_test.cc:UnsupportedApiCalls and in the
// failing cases of http_rest_api_util_test.cc:TestParseModelInfoForGet and
// TestParseModelInfoForPost. Upstream asserts the statuses. A version number that does not fit
// gives an empty body.
func TestUnsupportedAPICalls(t *testing.T) {
	const tooLarge = "/v1/models/foo/versions/18446744073709551615"
	for _, c := range []struct{ method, path, only, want string }{
		{"GET", "/v1/foo", both, "Malformed request: GET /v1/foo"},
		{"POST", "/v1/foo", both, "Malformed request: POST /v1/foo"},
		{"GET", "/v1/models", both, "Missing model name in request."},
		{"GET", "/v1/models/debug/model_name", both, "Malformed request: GET /v1/models/debug/model_name"},
		{"POST", "/v1/models", both, "Malformed request: POST /v1/models"},
		{"GET", "/v1/models/foo:predict", both, "Malformed request: GET /v1/models/foo:predict"},
		{"GET", "/v1/models/foo/version/50:predict", both, "Malformed request: GET /v1/models/foo/version/50:predict"},
		{"POST", "/v1/models/foo/version/50:predict", both, "Malformed request: POST /v1/models/foo/version/50:predict"},
		{"POST", "/v1/models/foo/version/50:regress", both, "Malformed request: POST /v1/models/foo/version/50:regress"},
		{"POST", "/v1/models/foo/versions/HELLO:regress", both, "Malformed request: POST /v1/models/foo/versions/HELLO:regress"},
		{"POST", "/v1/models/foo/versions/string:predict", both, "Malformed request: POST /v1/models/foo/versions/string:predict"},
		{"POST", tooLarge + ":regress", both, ""},
		{"POST", tooLarge + ":predict", both, ""},
		{"GET", tooLarge, both, ""},
		{"POST", "/v1/models/foo/metadata", both, "Malformed request: POST /v1/models/foo/metadata"},
		{"POST", "/v1/models/foo/label/some_label:regress", both, "Malformed request: POST /v1/models/foo/label/some_label:regress"},
		{"POST", "/v1/models/foo/versions/50/labels/some_label:regress", both,
			"Malformed request: POST /v1/models/foo/versions/50/labels/some_label:regress"},
		{"POST", "/v1/models/foo/labels/some-label:regress", oldOnly,
			"Malformed request: POST /v1/models/foo/labels/some-label:regress"},
		{"POST", "/v1/models/foo/versions/some_label:regress", both,
			"Malformed request: POST /v1/models/foo/versions/some_label:regress"},
	} {
		eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
			w := &world{}
			response := serve(w, profile, c.method, c.path, "")
			if response.Status != 400 || w.calls > 0 {
				t.Errorf("%s %s: %d after %d calls, want 400", c.method, c.path, response.Status, w.calls)
			}
			if got := string(response.Body); c.want == "" && got != "" {
				t.Errorf("%s %s: body %q, want none", c.method, c.path, got)
			} else if c.want != "" && errorOf(t, response.Body) != c.want {
				t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
			}
		})
	}
}

// http_rest_api_handler_test.cc:kPathRegex.
func TestPathRegex(t *testing.T) {
	each(t, func(t *testing.T, profile tfserving.Profile) {
		for path, want := range map[string]int{"/v1/models": 400, "/statuspage": 404, "/index": 404} { //lint:ordered cases on their own
			if got := serve(&world{}, profile, "GET", path, "").Status; got != want {
				t.Errorf("%s: %d, want %d", path, got, want)
			}
		}
	})
}

const reserved = "%21%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D"

// Goal: a path gives the model, version and label of http_rest_api_util_test.cc's cases
// TestParseModelInfoForGet and TestParseModelInfoForPost. tfs-2.4 does not decode %-escapes, and
// its labels cannot contain them.
func TestParseModelInfo(t *testing.T) {
	const plain = "!#$%&'()*+,/:;=?@[]"
	for _, c := range []struct{ name, method, path, only, want string }{
		{"Get/reserved in the name", "GET", "/v1/models/modelname" + reserved, newOnly, `name: "modelname` + plain + `"`},
		{"Get/reserved in the name", "GET", "/v1/models/modelname" + reserved, oldOnly, `name: "modelname` + reserved + `"`},
		{"Get/version", "GET", "/v1/models/modelname/versions/99", both, `name: "modelname" version { value: 99 }`},
		{"Get/label", "GET", "/v1/models/modelname/labels/latest", both, `name: "modelname" version_label: "latest"`},
		{"Get/reserved in the label", "GET", "/v1/models/modelname/labels/latest" + reserved, newOnly,
			`name: "modelname" version_label: "latest` + plain + `"`},
		{"Get/reserved in the label", "GET", "/v1/models/modelname/labels/latest" + reserved, oldOnly, ""},
		{"Get/metadata", "GET", "/v1/models/modelname/labels/latest/metadata", both,
			`name: "modelname" version_label: "latest"`},
		{"Get/metadata, reserved", "GET", "/v1/models/modelname" + reserved + "/labels/latest" + reserved + "/metadata", newOnly,
			`name: "modelname` + plain + `" version_label: "latest` + plain + `"`},
		{"Post/reserved in the name", "POST", "/v1/models/modelname" + reserved + ":predict", newOnly,
			`name: "modelname` + plain + `"`},
		{"Post/version", "POST", "/v1/models/modelname/versions/99:predict", both, `name: "modelname" version { value: 99 }`},
		{"Post/label", "POST", "/v1/models/modelname/labels/latest:predict", both, `name: "modelname" version_label: "latest"`},
		{"Post/reserved in the label", "POST", "/v1/models/modelname/labels/latest" + reserved + ":predict", newOnly,
			`name: "modelname" version_label: "latest` + plain + `"`},
		{"Post/reserved in both", "POST", "/v1/models/modelname" + reserved + "/labels/latest" + reserved + ":predict", newOnly,
			`name: "modelname` + plain + `" version_label: "latest` + plain + `"`},
	} {
		t.Run("http_rest_api_util_test.cc:TestParseModelInfoFor"+c.name, func(t *testing.T) {
			eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
				w := &world{inputs: inputs(dtypes{"x": dtInt32}), err: status(rpcerrors.Unavailable, "no answer")}
				response := serve(w, profile, c.method, c.path, `{"inputs": [1]}`)
				if c.want == "" {
					if response.Status != 400 || w.spec != nil {
						t.Errorf("%d for %v, want 400", response.Status, w.spec)
					}
					return
				}
				if diff := cmp.Diff(text(t, &apis.ModelSpec{}, c.want), w.spec, protocmp.Transform()); diff != "" {
					t.Errorf("spec (-upstream +ours):\n%s", diff)
				}
			})
		})
	}
}

// halfPlusTwo is upstream's test model, y = x/2+2, with the version 123 and its label my_label.
type halfPlusTwo struct{ world }

func (m *halfPlusTwo) resolve(spec *apis.ModelSpec) error {
	switch {
	case spec.Name != "model":
		return status(rpcerrors.NotFound, "Servable not found for request: Latest("+spec.Name+")")
	case spec.GetVersionLabel() != "" && spec.GetVersionLabel() != "my_label":
		return status(rpcerrors.InvalidArgument, "Unrecognized servable version label: "+spec.GetVersionLabel())
	}
	return nil
}

func (m *halfPlusTwo) Signatures(spec *apis.ModelSpec) (map[string]*tfcore.SignatureDef, error) {
	if err := m.resolve(spec); err != nil {
		return nil, err
	}
	return map[string]*tfcore.SignatureDef{
		"serving_default": {Inputs: map[string]*tfcore.TensorInfo{"x": {Dtype: dtFloat}}},
	}, nil
}

func (m *halfPlusTwo) Predict(_ context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	y := r.Inputs["x"]
	for i := range y.FloatVal {
		y.FloatVal[i] = y.FloatVal[i]/2 + 2
	}
	return &apis.PredictResponse{Outputs: map[string]*framework.TensorProto{"y": y}}, nil
}

func (m *halfPlusTwo) Classify(_ context.Context, r *apis.ClassificationRequest) (*apis.ClassificationResponse, error) {
	result := &apis.ClassificationResult{}
	for _, example := range r.Input.GetExampleList().Examples {
		x := example.Features.Feature["x"].GetFloatList().Value[0]
		result.Classifications = append(result.Classifications,
			&apis.Classifications{Classes: []*apis.Class{{Score: x/2 + 2}}})
	}
	return &apis.ClassificationResponse{Result: result}, m.resolve(r.ModelSpec)
}

func (m *halfPlusTwo) Regress(_ context.Context, r *apis.RegressionRequest) (*apis.RegressionResponse, error) {
	result := &apis.RegressionResult{}
	for _, example := range r.Input.GetExampleList().Examples {
		x := example.Features.Feature["x"].GetFloatList().Value[0]
		result.Regressions = append(result.Regressions, &apis.Regression{Value: x/2 + 2})
	}
	return &apis.RegressionResponse{Result: result}, m.resolve(r.ModelSpec)
}

// Goal: the cases Predict, Regress, Classify, PredictModelNameVersionErrors and
// PredictRequestErrors of http_rest_api_handler_test.cc hold. Upstream asserts the code, the values
// and parts of the errors.
func TestHandlerOfHalfPlusTwo(t *testing.T) {
	for _, c := range []struct {
		name, path, body string
		status           int
		want             string // body without white space, or a part of the error
	}{
		{"Predict/latest", "/model:predict", `{"instances": [[1.0, 2.0], [3.0, 4.0]]}`, 200, `{ "predictions": [[2.5, 3.0], [3.5, 4.0]] }`},
		{"Predict/version", "/model/versions/123:predict", `{"instances": [1.0, 2.0]}`, 200, `{ "predictions": [2.5, 3.0] }`},
		{"Predict/label", "/model/labels/my_label:predict", `{"instances": [1.0, 2.0]}`, 200, `{ "predictions": [2.5, 3.0] }`},
		{"Predict/signature", "/model/versions/123:predict",
			`{"signature_name": "serving_default", "instances": [3.0, 4.0]}`, 200, `{ "predictions": [3.5, 4.0] }`},
		{"Predict/columnar", "/model/versions/123:predict",
			`{"signature_name": "serving_default", "inputs": [3.0, 4.0]}`, 200, `{ "outputs": [3.5, 4.0] }`},
		{"Regress/latest", "/model:regress", `{"signature_name": "regress_x_to_y", "examples": [ { "x": 80.0 } ] }`, 200, `{ "results": [42.0] }`},
		{"Regress/version", "/model/versions/123:regress",
			`{"signature_name": "regress_x_to_y", "examples": [ { "x": 80.0 } ] }`, 200, `{ "results": [42.0] }`},
		{"Regress/label", "/model/labels/my_label:regress",
			`{"signature_name": "regress_x_to_y", "examples": [ { "x": 80.0 } ] }`, 200, `{ "results": [42.0] }`},
		{"Classify/latest", "/model:classify",
			`{"signature_name": "classify_x_to_y", "examples": [ { "x": 20.0 } ] }`, 200, `{ "results": [[["", 12.0]]] }`},
		{"Classify/label", "/model/labels/my_label:classify",
			`{"signature_name": "classify_x_to_y", "examples": [ { "x": 10.0 } ] }`, 200, `{ "results": [[["", 7.0]]] }`},
		{"PredictModelNameVersionErrors/name", "/foo:predict", `{ "instances": [1] }`, 404, "Servable not found"},
		{"PredictModelNameVersionErrors/version", "/foo/versions/50:predict", `{ "instances": [1] }`, 404, "Servable not found"},
		{"PredictModelNameVersionErrors/name with digits", "/model99:predict", `{ "instances": [1] }`, 404, "Servable not found"},
		{"PredictRequestErrors/empty", "/model:predict", "", 400, "JSON Parse error: The document is empty"},
		{"PredictRequestErrors/no JSON", "/model:predict", "instances = [1, 2]", 400, "JSON Parse error: Invalid value"},
		{"PredictRequestErrors/type", "/model:predict", `{ "instances": ["x", "y"] }`, 400, "not of expected type: float"},
		{"PredictRequestErrors/label", "/model/labels/other:predict", `{ "instances": ["x", "y"] }`, 400,
			"Unrecognized servable version label"},
		{"PredictRequestErrors/signature", "/model:predict", `{ "signature_name": 100 }`, 400,
			"'signature_name' key must be a string value."},
	} {
		t.Run("http_rest_api_handler_test.cc:"+c.name, func(t *testing.T) {
			each(t, func(t *testing.T, profile tfserving.Profile) {
				h := rest.New(&halfPlusTwo{}, rest.Options{Profile: profile})
				response := h.Serve(t.Context(), rest.Request{Method: "POST", Target: "/v1/models" + c.path, Body: []byte(c.body)})
				if diff := cmp.Diff([]rest.Field{{Name: "Content-Type", Value: "application/json"}}, response.Header); diff != "" {
					t.Errorf("headers:\n%s", diff)
				}
				if response.Status != c.status {
					t.Fatalf("%d %s, want %d", response.Status, response.Body, c.status)
				}
				if c.status == 200 {
					checkBody(t, c.want, string(response.Body))
				} else if message := errorOf(t, response.Body); !strings.Contains(message, c.want) {
					t.Errorf("error %q, want %q in it", message, c.want)
				}
			})
		})
	}
}
