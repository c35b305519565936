package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// These are the cases of upstream's util/json_tensor_test.cc for examples and their results, with
// the values that upstream asserts.

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

// Goal: an error message arrives unchanged, as in json_tensor_test.cc:StatusError. Every successful
// call covers upstream's case StatusOK.
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
