package rest_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/rest"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// FuzzPath checks that every target gets an HTML page, an empty body or JSON.
func FuzzPath(f *testing.F) {
	for _, target := range []string{
		"/v1/models/m", "/v1/models/m%3A/labels/a:predict", "http://[::1]:80/v1/models", "/v1/models/m/versions/99999999999999999999",
		"//u:p@h/v1/x?y#z", "/v1/%zz", "a:b", "?", "",
	} {
		f.Add("GET", target)
		f.Add("POST", target)
	}
	f.Fuzz(func(t *testing.T, method, target string) {
		for _, profile := range profiles {
			w := &world{inputs: inputs(dtypes{"x": dtInt32}), outputs: oneOutput(), status: &apis.GetModelStatusResponse{}}
			response := serve(w, profile, method, target, `{"inputs":1}`)
			if response.Reason == "" || response.Status < 200 || response.Status > 504 {
				t.Errorf("%s %q: %d %q", method, target, response.Status, response.Reason)
			}
			checkShape(t, response)
		}
	})
}

// checkShape checks that a body is an HTML page of libevent, empty, or a JSON object.
func checkShape(t *testing.T, response rest.Response) {
	t.Helper()
	if len(response.Body) == 0 || bytes.HasPrefix(response.Body, []byte("<HTML>")) {
		return
	}
	if document, err := rapidjson.Parse(response.Body, rapidjson.Options{}); err != nil || document.Kind != rapidjson.Object {
		t.Errorf("%d %q: %v", response.Status, response.Body, err)
	}
}

// echo is a backend that returns the inputs of a Predict request as its outputs.
type echo struct{ world }

func (e *echo) Predict(_ context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	e.asked(r.ModelSpec, r)
	return &apis.PredictResponse{Outputs: r.Inputs}, nil
}

// FuzzPredictBody checks that no body crashes the handler and that every answer is JSON. Output
// tensors, sent as inputs again, must give the same tensors.
func FuzzPredictBody(f *testing.F) {
	for _, c := range tensorsFromJSON {
		if len(c.body) < 1000 {
			f.Add(c.body, uint8(dtInt32), uint8(dtString))
		}
	}
	for _, c := range append(tensorErrors, exampleErrors...) {
		if len(c.body) < 1000 {
			f.Add(c.body, uint8(dtFloat), uint8(dtDouble))
		}
	}
	f.Fuzz(func(t *testing.T, body string, first, second uint8) {
		signature := dtypes{"x": framework.DataType(first % 24)}
		if second > 0 {
			signature["y"] = framework.DataType(second % 24)
		}
		for _, profile := range profiles {
			e := &echo{world{inputs: inputs(signature)}}
			h := rest.New(e, rest.Options{Profile: profile})
			serve := func(body string) rest.Response {
				return h.Serve(t.Context(), rest.Request{Method: "POST", Target: "/v1/models/m:predict", Body: []byte(body)})
			}
			checkShape(t, h.Serve(t.Context(), rest.Request{Method: "POST", Target: "/v1/models/m:classify", Body: []byte(body)}))
			response := serve(body)
			checkShape(t, response)
			before, _ := e.request.(*apis.PredictRequest)
			// From a list of binary data upstream fills only one of several inputs.
			if response.Status != 200 || len(before.Inputs) < len(signature) || !roundTrips(before) {
				continue
			}
			again := strings.Replace(strings.Replace(string(response.Body), "predictions", "instances", 1), "outputs", "inputs", 1)
			if response = serve(again); response.Status != 200 {
				t.Fatalf("%q became %q, and that %d %s", body, again, response.Status, response.Body)
			}
			before.ModelSpec = e.spec
			if diff := cmp.Diff(before, e.request, protocmp.Transform()); diff != "" {
				t.Errorf("%q became %q:\n%s", body, again, diff)
			}
		}
	})
}

// roundTrips reports whether all tensors must survive a conversion to JSON and back: complete lists
// of integers, booleans and text. Reals are excluded, because RapidJSON may parse them inexactly.
func roundTrips(r *apis.PredictRequest) bool {
	for _, tensor := range r.Inputs { //lint:ordered all or not
		if len(tensor.FloatVal)+len(tensor.DoubleVal) > 0 || tensor.Dtype == dtFloat || tensor.Dtype == dtDouble {
			return false
		}
		count := int64(1)
		for _, dim := range tensor.TensorShape.Dim {
			count *= dim.Size
		}
		values := len(tensor.IntVal) + len(tensor.Int64Val) + len(tensor.Uint32Val) + len(tensor.Uint64Val) +
			len(tensor.BoolVal) + len(tensor.StringVal)
		if count == 0 || int64(values) != count || !fits(tensor) {
			return false
		}
	}
	return true
}

// fits reports whether JSON gives back every value of a tensor. IntVal also holds types of 8 and
// 16 bits, so that values outside of -128 to 127 do not fit, nor negative ones in uint8. Text has
// to be valid UTF-8.
func fits(tensor *framework.TensorProto) bool {
	for _, value := range tensor.IntVal {
		if value < 0 && tensor.Dtype == framework.DataType_DT_UINT8 || value > 127 || value < -128 {
			return false
		}
	}
	for _, value := range tensor.StringVal {
		if !utf8.Valid(value) {
			return false
		}
	}
	return true
}
