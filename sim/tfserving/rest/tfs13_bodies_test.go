package rest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// Goal: a call that takes too long, or whose client has disconnected, gets the right error
// (TFS-13.4).
func TestTimeout(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		body   string
	}{
		{context.DeadlineExceeded, 504, "{\n    \"error\": \"Timed out waiting for notification\"\n}"},
		{context.Canceled, 499, "{\n    \"error\": \"Run call was cancelled\"\n}"},
	} {
		w := &world{inputs: inputs(dtypes{"x": dtInt32}), err: c.err}
		response := serve(w, tfserving.Profile24, "POST", "/v1/models/m:predict", `{"inputs":1}`)
		if response.Status != c.status || string(response.Body) != c.body {
			t.Errorf("%v: %d %s, want %d %s", c.err, response.Status, response.Body, c.status, c.body)
		}
	}
}

// timed is a backend that records how long a Predict may take.
type timed struct {
	world
	timeout time.Duration
}

func (b *timed) Predict(ctx context.Context, _ *apis.PredictRequest) (*apis.PredictResponse, error) {
	b.timeout, _ = rest.Timeout(ctx)
	return &apis.PredictResponse{Outputs: oneOutput()}, nil
}

func TestTimeoutIsPassedOn(t *testing.T) {
	b := &timed{world: world{inputs: inputs(dtypes{"x": dtInt32})}}
	h := rest.New(b, rest.Options{Timeout: 30 * time.Second})
	h.Serve(t.Context(), rest.Request{Method: "POST", Target: "/v1/models/m:predict", Body: []byte(`{"inputs":1}`)})
	if b.timeout != 30*time.Second {
		t.Errorf("timeout %s, want 30s", b.timeout)
	}
}

// Goal: the status body is right for a version that has ended and a version with an error
// (TFS-13.4).
func TestStatusBody(t *testing.T) {
	each(t, func(t *testing.T, profile tfserving.Profile) {
		w := &world{status: text(t, &apis.GetModelStatusResponse{}, `
			model_version_status { version: 10 state: END status {} }
			model_version_status { version: 9 state: 77 status { error_code: NOT_FOUND error_message: "<a> \"b\"" } }`)}
		const want = "{\n \"model_version_status\": [\n  {\n   \"version\": \"10\",\n   \"state\": \"END\",\n   \"status\": {\n" +
			"    \"error_code\": \"OK\",\n    \"error_message\": \"\"\n   }\n  },\n" +
			"  {\n   \"version\": \"9\",\n   \"state\": 77,\n   \"status\": {\n" +
			"    \"error_code\": \"NOT_FOUND\",\n    \"error_message\": \"\\u003ca\\u003e \\\"b\\\"\"\n   }\n  }\n ]\n}\n"
		response := serve(w, profile, "GET", "/v1/models/m/labels/any", "")
		if diff := cmp.Diff(want, string(response.Body)); response.Status != 200 || diff != "" {
			t.Errorf("%d\n%s", response.Status, diff)
		}
		w.status = &apis.GetModelStatusResponse{}
		if got := string(serve(w, profile, "GET", "/v1/models/m", "").Body); got != "{\n \"model_version_status\": []\n}\n" {
			t.Errorf("no version: %q", got)
		}
	})
}

// Goal: the metadata body is right (TFS-13.4). Method: the names and values of upstream's
// servables/tensorflow/testdata/saved_model_half_plus_two_2_versions_metadata.json. Its members are
// in the order of tfs-2.4. tfs-head orders them by field number and adds "defaults".
func TestMetadataBody(t *testing.T) {
	spec := text(t, &apis.ModelSpec{}, `name: "half_plus_two" version { value: 123 }`)
	signatures := text(t, &apis.SignatureDefMap{}, `signature_def { key: "serving_default" value {
		inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }
		outputs { key: "y" value { name: "y:0" dtype: DT_STRING tensor_shape { unknown_rank: true } } }
		method_name: "tensorflow/serving/predict" } }`)
	want := map[tfserving.Profile]string{
		tfserving.Profile24: `{
"model_spec":{
 "name": "half_plus_two",
 "signature_name": "",
 "version": "123"
}
,
"metadata": {"signature_def": {
 "signature_def": {
  "serving_default": {
   "inputs": {
    "x": {
     "dtype": "DT_FLOAT",
     "tensor_shape": {
      "dim": [
       {
        "size": "-1",
        "name": ""
       }
      ],
      "unknown_rank": false
     },
     "name": "x:0"
    }
   },
   "outputs": {
    "y": {
     "dtype": "DT_STRING",
     "tensor_shape": {
      "dim": [],
      "unknown_rank": true
     },
     "name": "y:0"
    }
   },
   "method_name": "tensorflow/serving/predict"
  }
 }
}
}
}
`,
		tfserving.ProfileHead: `{
"model_spec":{
 "name": "half_plus_two",
 "version": "123",
 "signature_name": ""
}
,
"metadata": {"signature_def": {
 "signature_def": {
  "serving_default": {
   "inputs": {
    "x": {
     "name": "x:0",
     "dtype": "DT_FLOAT",
     "tensor_shape": {
      "dim": [
       {
        "size": "-1",
        "name": ""
       }
      ],
      "unknown_rank": false
     }
    }
   },
   "outputs": {
    "y": {
     "name": "y:0",
     "dtype": "DT_STRING",
     "tensor_shape": {
      "dim": [],
      "unknown_rank": true
     }
    }
   },
   "method_name": "tensorflow/serving/predict",
   "defaults": {}
  }
 }
}
}
}
`,
	}
	each(t, func(t *testing.T, profile tfserving.Profile) {
		w := &world{metadata: metadataOf(t, spec, signatures)}
		response := serve(w, profile, "GET", "/v1/models/half_plus_two/metadata", "")
		if diff := cmp.Diff(want[profile], string(response.Body)); response.Status != 200 || diff != "" {
			t.Errorf("%d\n%s", response.Status, diff)
		}
		w.metadata = &apis.GetModelMetadataResponse{}
		response = serve(w, profile, "GET", "/v1/models/m/metadata", "")
		if got := errorOf(t, response.Body); response.Status != 500 ||
			got != "Failed to find 'signature_def' key in the GetModelMetadataResponse metadata map." {
			t.Errorf("%d %s", response.Status, got)
		}
	})
}

// Goal: a missing signature and a signature without inputs give the right errors (TFS-13.4).
func TestSignatureErrors(t *testing.T) {
	each(t, func(t *testing.T, profile tfserving.Profile) {
		w := &world{inputs: inputs(dtypes{"x": dtInt32})}
		for body, want := range map[string]string{ //lint:ordered cases on their own
			`{"signature_name": "missing", "instances": [1]}`: `Serving signature name: "missing" not found in signature def`,
			`{"signature_name": "", "instances": []}`:         "JSON Value: {\n    \"signature_name\": \"\",\n    \"instances\": []\n} No values in 'instances' array",
			`{"signature_name": "s"}`:                         "Missing 'inputs' or 'instances' key",
		} {
			if got := errorOf(t, serve(w, profile, "POST", "/v1/models/m:predict", body).Body); got != want {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
		if got := errorOf(t, serve(&world{}, profile, "POST", "/v1/models/m:predict", `{"inputs": 1}`).Body); got !=
			"Failed to get input map for signature: DEFAULT" {
			t.Errorf("no inputs: %s", got)
		}
	})
}
