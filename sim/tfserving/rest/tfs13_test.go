package rest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

const (
	page400 = "<HTML><HEAD>\n<TITLE>400 Bad Request</TITLE>\n</HEAD><BODY>\n<H1>Bad Request</H1>\n</BODY></HTML>\n"
	page404 = "<HTML><HEAD>\n<TITLE>404 Not Found</TITLE>\n</HEAD><BODY>\n<H1>Not Found</H1>\n</BODY></HTML>\n"
	page501 = "<HTML><HEAD>\n<TITLE>501 Not Implemented</TITLE>\n</HEAD><BODY>\n<H1>Not Implemented</H1>\n</BODY></HTML>\n"
)

// TFS-13.1: paths match in any case, method names do not; queries belong to the
// path; monolith's names need an escape, which only tfs-head reads.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ method, target, only, want string }{
		{"GET", "/V1/Models/M", both, `GetModelStatus name:"M"`},
		{"GET", "/v1/models/m/METADATA", both, `GetModelStatus name:"m"`},
		{"GET", "/v1/models/m/metadata", both, `GetModelMetadata name:"m"`},
		{"POST", "/v1/models/m:Predict", both, "Malformed request: POST /v1/models/m:Predict"},
		{"POST", "/v1/MODELS/m:regress", both, `Regression name:"m"`},
		{"GET", "/v1/models/m?x=1", both, `GetModelStatus name:"m?x=1"`},
		{"GET", "/v1/models/m/metadata?x", both, "Malformed request: GET /v1/models/m/metadata?x"},
		{"GET", "http://host:80/v1/models/m", both, `GetModelStatus name:"m"`},
		{"GET", "/v1/models/m/", both, "Malformed request: GET /v1/models/m/"},
		{"GET", "/v1/models/model:ps_0", both, "Malformed request: GET /v1/models/model:ps_0"},
		{"POST", "/v1/models/model:ps_0:predict", both, "Malformed request: POST /v1/models/model:ps_0:predict"},
		{"GET", "/v1/models/model%3Aps_0", newOnly, `GetModelStatus name:"model:ps_0"`},
		{"GET", "/v1/models/model%3Aps_0", oldOnly, `GetModelStatus name:"model%3Aps_0"`},
		{"GET", "/v1/models/m/labels/a-b", newOnly, `GetModelStatus name:"m" version_label:"a-b"`},
		{"GET", "/v1/models/m/labels/a-b", oldOnly, "Malformed request: GET /v1/models/m/labels/a-b"},
		{"GET", "/v1/models/metadata", both, `GetModelStatus name:"metadata"`},
		{"GET", "/v1/models/versions/3", both, "Missing model name in request."},
		{"GET", "/v1/models/metadata/metadata", both, `GetModelMetadata name:"metadata"`},
	} {
		eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
			w := &world{err: status(env.Unavailable, "")}
			response := serve(w, profile, c.method, c.target, `{"examples":[{}]}`)
			got := ""
			if w.calls > 0 {
				kind, _, _ := strings.Cut(string(w.request.ProtoReflect().Descriptor().Name()), "Request")
				got = kind + " " + strings.Join(strings.Fields(w.spec.String()), " ")
			} else {
				got = errorOf(t, response.Body)
			}
			if got != c.want {
				t.Errorf("%s %s: %s, want %s", c.method, c.target, got, c.want)
			}
		})
	}
}

// TFS-13.2 and libevent's own errors.
func TestUnmatchedPaths(t *testing.T) {
	const malformed = "{\n    \"error\": \"Malformed request: %s\"\n}"
	for _, c := range []struct {
		method, target, only string
		status               int
		body                 string
	}{
		{"GET", "/", both, 404, page404},
		{"GET", "/v1", both, 404, page404},
		{"GET", "/v2/models/m", both, 404, page404},
		{"GET", "http://host", both, 404, page404},
		{"GET", "/v1/x", both, 400, fmt.Sprintf(malformed, "GET /v1/x")},
		{"GET", "/v1/models", both, 400, "{\n    \"error\": \"Missing model name in request.\"\n}"},
		{"PUT", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "PUT /v1/models/m")},
		{"DELETE", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "DELETE /v1/models/m")},
		{"HEAD", "/v1/models/m", both, 400, fmt.Sprintf(malformed, "HEAD /v1/models/m")},
		{"PATCH", "/v1/models/m", newOnly, 400, fmt.Sprintf(malformed, "PATCH /v1/models/m")},
		{"PATCH", "/v1/models/m", oldOnly, 501, page501},
		{"OPTIONS", "/v1/models/m", oldOnly, 501, page501},
		{"TRACE", "/v1/models/m", both, 501, page501},
		{"BREW", "/v1/models/m", both, 501, page501},
		{"GET", "/v1/models/{m}", both, 400, page400},
		{"BREW", "/v1/models/{m}", both, 501, page501},
		{"GET", "/v1/models/%zz", both, 400, page400},
		{"GET", "/v1/models/é", both, 400, page400},
		{"GET", "//", both, 404, page404},
		{"GET", "http://[::1/v1/x", both, 400, page400},
		{"GET", "http://h:99999/v1/x", both, 400, page400},
		{"GET", "v1:x/y", both, 404, page404},
		{"GET", "a_b:c", both, 400, page400},
	} {
		eachOf(t, c.only, func(t *testing.T, profile tfserving.Profile) {
			response := serve(&world{}, profile, c.method, c.target, "")
			if response.Status != c.status || string(response.Body) != c.body {
				t.Errorf("%s %s: %d %s, want %d %s", c.method, c.target, response.Status, response.Body, c.status, c.body)
			}
			wantHeader := []rest.Field{{Name: "Content-Type", Value: "application/json"}}
			if strings.HasPrefix(c.body, "<") {
				wantHeader = []rest.Field{{Name: "Content-Type", Value: "text/html"}, {Name: "Connection", Value: "close"}}
			}
			if diff := cmp.Diff(wantHeader, response.Header); diff != "" {
				t.Errorf("%s %s:\n%s", c.method, c.target, diff)
			}
		})
	}
}

// TFS-13.3: every status, its reason in libevent's words, and the body with
// RapidJSON's escapes.
func TestErrorCodes(t *testing.T) {
	const want = "{\n    \"error\": \"no \\\"<m>\\\" \\u0001\\n/é\"\n}"
	for _, c := range []struct {
		code   env.Code
		status int
		reason string
	}{
		{env.Canceled, 499, "Client Error"}, {env.Unknown, 500, "Internal Server Error"},
		{env.InvalidArgument, 400, "Bad Request"}, {env.DeadlineExceeded, 504, "Gateway Time-out"},
		{env.NotFound, 404, "Not Found"}, {env.AlreadyExists, 409, "Conflict"},
		{env.PermissionDenied, 403, "Forbidden"}, {env.ResourceExhausted, 429, "Client Error"},
		{env.FailedPrecondition, 400, "Bad Request"}, {env.Aborted, 409, "Conflict"},
		{env.OutOfRange, 400, "Bad Request"}, {env.Unimplemented, 501, "Not Implemented"},
		{env.Internal, 500, "Internal Server Error"}, {env.Unavailable, 503, "Service Unavailable"},
		{env.DataLoss, 500, "Internal Server Error"}, {env.Unauthenticated, 401, "Unauthorized"},
		{env.Code(99), 500, "Internal Server Error"},
	} {
		each(t, func(t *testing.T, profile tfserving.Profile) {
			w := &world{err: status(c.code, "no \"<m>\" \x01\n/é")}
			response := serve(w, profile, "GET", "/v1/models/m", "")
			if response.Status != c.status || response.Reason != c.reason || string(response.Body) != want {
				t.Errorf("%s: %d %s %s, want %d %s %s",
					c.code, response.Status, response.Reason, response.Body, c.status, c.reason, want)
			}
			if response.Model != "m" || response.Code != c.code {
				t.Errorf("%s: metrics of %q %s", c.code, response.Model, response.Code)
			}
		})
	}
}

// TFS-13.4: a call that takes too long, or whose client has gone.
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

// timed keeps the time that a Predict may take.
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

// TFS-13.4: the status body, for a version that has ended and one with an error.
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

// TFS-13.4: the metadata body. Names and values are those of upstream's
// servables/tensorflow/testdata/saved_model_half_plus_two_2_versions_metadata.json,
// whose members are in the order of tfs-2.4; tfs-head orders by field number and
// has "defaults".
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

// TFS-13.4: a signature that is not there, and one without inputs.
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

// TFS-13.4: CORS is tfs-head's; OPTIONS needs an Origin with or without it.
func TestCORS(t *testing.T) {
	cors := []rest.Field{
		{Name: "Access-Control-Allow-Origin", Value: "*"},
		{Name: "Access-Control-Allow-Methods", Value: "POST, GET"},
		{Name: "Access-Control-Allow-Headers", Value: "Content-Type"},
	}
	jsonType := rest.Field{Name: "Content-Type", Value: "application/json"}
	htmlType := rest.Field{Name: "Content-Type", Value: "text/html; charset=ISO-8859-1"}
	for _, c := range []struct {
		profile        tfserving.Profile
		cors           bool
		method, origin string
		status         int
		header         []rest.Field
	}{
		{tfserving.ProfileHead, true, "OPTIONS", "https://a", 200, append(cors[:3:3], htmlType)},
		{tfserving.ProfileHead, true, "OPTIONS", "", 400, append(cors[:3:3], htmlType)},
		{tfserving.ProfileHead, false, "OPTIONS", "http://a", 200, []rest.Field{htmlType}},
		{tfserving.ProfileHead, true, "GET", "", 200, append([]rest.Field{jsonType}, cors...)},
		{tfserving.ProfileHead, false, "GET", "http://a", 200, []rest.Field{jsonType}},
		{tfserving.Profile24, true, "GET", "http://a", 200, []rest.Field{jsonType}},
	} {
		h := rest.New(&world{status: &apis.GetModelStatusResponse{}}, rest.Options{Profile: c.profile, CORS: c.cors})
		response := h.Serve(t.Context(), rest.Request{Method: c.method, Target: "/v1/models/m", Origin: c.origin})
		if diff := cmp.Diff(c.header, response.Header); diff != "" || response.Status != c.status {
			t.Errorf("%s %s from %q: %d, want %d\n%s", c.profile, c.method, c.origin, response.Status, c.status, diff)
		}
		if c.method == "OPTIONS" && len(response.Body) > 0 {
			t.Errorf("OPTIONS from %q has body %q", c.origin, response.Body)
		}
	}
}

// TFS-14.1: the page for Prometheus and its path, which must be all of the target.
func TestMetricsPage(t *testing.T) {
	h := rest.New(&world{}, rest.Options{MetricsPath: "/m", Metrics: func() string { return "# TYPE" }})
	for target, want := range map[string]string{ //lint:ordered cases on their own
		"/m": "200 # TYPE", "/m?x": "400 Unexpected path: /m?x. Should be /m", "/n": "404 " + page404,
	} {
		r := h.Serve(t.Context(), rest.Request{Method: "GET", Target: target})
		if got := fmt.Sprintf("%d %s", r.Status, r.Body); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

// util/net_http: a packed body is unpacked, one that cannot be is empty.
func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(`{"instances": [1]}`))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	good := packed.Bytes()
	for _, c := range []struct {
		name, encoding string
		body           []byte
		status         int
	}{
		{"packed", "gzip", good, 200},
		{"among others", "deflate, gzip, br", good, 200},
		{"not said to be packed", "", good, 400},
		{"not packed", "gzip", []byte(`{"instances": [1]}`), 400},
		{"cut", "gzip", good[:len(good)-9], 400},
		{"with a second member", "gzip", append(good[:len(good):len(good)], good...), 400},
		{"with a wrong sum", "gzip", append(good[:len(good)-8:len(good)-8], "abcdefgh"...), 400},
	} {
		b := &world{inputs: inputs(dtypes{"x": dtInt32}), outputs: oneOutput()}
		r := rest.New(b, rest.Options{}).Serve(t.Context(), rest.Request{
			Method: "POST", Target: "/v1/models/m:predict", Body: c.body, ContentEncoding: c.encoding,
		})
		if r.Status != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, r.Status, r.Body, c.status)
		}
		if c.encoding != "" && c.status == 400 && errorOf(t, r.Body) != "JSON Parse error: The document is empty" {
			t.Errorf("%s: %s, want an empty body", c.name, r.Body)
		}
	}
}

// Where upstream's stack would end, at more than MaxDepth levels, ours refuses.
func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", rest.MaxDepth+1) + strings.Repeat("]", rest.MaxDepth+1)
	each(t, func(t *testing.T, profile tfserving.Profile) {
		w := &world{inputs: inputs(dtypes{"x": dtInt32})}
		if r := serve(w, profile, "POST", "/v1/models/m:predict", `{"inputs":`+deep+`}`); r.Status != 400 || w.calls > 0 {
			t.Errorf("%d after %d calls, want 400", r.Status, w.calls)
		}
	})
}

// Layouts of several outputs, whose order is that of the names here; those of one
// are in recorded_test.go.
func TestLayoutOfSeveralOutputs(t *testing.T) {
	const outputs = `outputs { key: "a" value { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 2 } } float_val: [1, 0.1, 2, 3] } }
	 outputs { key: "b_bytes" value { dtype: DT_STRING tensor_shape { dim { size: 2 } dim { size: 1 } } string_val: ["\xff", "hi"] } }`
	each(t, func(t *testing.T, profile tfserving.Profile) {
		const rows = "{\n    \"predictions\": [\n        {\n            \"a\": [1.0, 0.1],\n            \"b_bytes\": [{\n" +
			"                    \"b64\": \"/w==\"\n                }]\n        },\n        {\n            \"a\": [2.0, 3.0],\n" +
			"            \"b_bytes\": [{\n                    \"b64\": \"aGk=\"\n                }]\n        }\n    ]\n}"
		if diff := cmp.Diff(rows, respond(t, profile, outputs, `{"instances": [1]}`)); diff != "" {
			t.Errorf("rows:\n%s", diff)
		}
	})
}
