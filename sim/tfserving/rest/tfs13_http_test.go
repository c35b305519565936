package rest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/rest"
)

// Goal: only tfs-head has CORS headers. OPTIONS needs an Origin header whether CORS is on or off
// (TFS-13.4).
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

// Goal: the Prometheus page is served only if the target is exactly its path (TFS-14.1).
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

// Goal: a gzip body is unpacked, and an invalid one counts as empty, as in upstream's
// util/net_http.
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

// Goal: a body nested deeper than MaxDepth is refused. Upstream's stack would overflow instead.
func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", rest.MaxDepth+1) + strings.Repeat("]", rest.MaxDepth+1)
	each(t, func(t *testing.T, profile tfserving.Profile) {
		w := &world{inputs: inputs(dtypes{"x": dtInt32})}
		if r := serve(w, profile, "POST", "/v1/models/m:predict", `{"inputs":`+deep+`}`); r.Status != 400 || w.calls > 0 {
			t.Errorf("%d after %d calls, want 400", r.Status, w.calls)
		}
	})
}

// Goal: several outputs are laid out as by upstream, in the order of their names here. Single
// outputs are tested in recorded_test.go.
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
