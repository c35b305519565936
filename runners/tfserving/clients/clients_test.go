package clients_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/tfserving/server"
)

// Goal: Python programs with the stubs of tensorflow_serving.apis work with `monosim
// tfserving` as with the real server, whichever version of the stubs they use. Method:
// clients.py makes calls of each kind. The Go client makes the same calls and must get the
// same bytes. The answers are compared with the specification.
func TestPythonClients(t *testing.T) {
	python := pythontest.Find(t)
	stubs := stubsOf(t, python)
	if len(stubs) == 0 {
		t.Skipf("%s has neither grpcio-tools nor tensorflow-serving-api", python)
	}
	program := server.Monosim(t)
	for _, s := range stubs {
		t.Run(s.name, func(t *testing.T) {
			served := serve(t, program)
			c := &bothClients{T: t, python: pythonClient{t, startPython(t, python, "clients.py", s.variables...)}, goes: newGoClient(t, served.Server)}
			var hello struct{ GRPCIO string }
			c.python.Order(t, map[string]any{"hello": true}, &hello)
			t.Logf("grpcio %s", hello.GRPCIO)
			c.python.Order(t, map[string]any{"dial": []string{served.GRPCAddr(), served.RESTAddr()}}, &struct{}{})
			clientsAreServed(t, c, served)
		})
	}
}

// stubSource says, by environment variables, where Python finds the stubs.
type stubSource struct {
	name      string
	variables []string
}

func stubsOf(t *testing.T, python string) []stubSource {
	t.Helper()
	var sources []stubSource
	if pythontest.Has(t, python, "grpc", "grpc_tools") {
		sources = append(sources, stubSource{"generated", []string{"PYTHONPATH=" + generateStubs(t, python)}})
	}
	if pythontest.Has(t, python, "grpc", "tensorflow_serving", "tensorflow") {
		sources = append(sources, stubSource{name: "tensorflow-serving-api"})
	}
	return sources
}

// servedModels is a model server that starts without models, and the directory for its models.
type servedModels struct {
	*server.Server
	dir string
}

func serve(t *testing.T, program string, args ...string) servedModels {
	t.Helper()
	served := servedModels{dir: t.TempDir()}
	config := served.file(t, "models.cfg", "model_config_list {}")
	args = append([]string{"--model_config_file=" + config, "--max_num_load_retries=0"}, args...)
	served.Server = server.ForTest(t, server.Config{Program: program, Args: args, REST: true})
	return served
}

func (s servedModels) base(model string) string { return filepath.Join(s.dir, "models", model) }

// write exports a version.
func (s servedModels) write(t *testing.T, model string, version int64) {
	t.Helper()
	if err := server.WriteVersion(s.base(model), version); err != nil {
		t.Fatal(err)
	}
}

// bothClients makes each call in Python and in Go, and fails the test unless both get the
// same answer.
type bothClients struct {
	*testing.T
	python pythonClient
	goes   goClient
}

func (c *bothClients) ask(call func(client) answer) answer {
	c.Helper()
	got, want := call(c.python), call(c.goes)
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("answers (-Go client +Python client):\n%s", diff)
	}
	return got
}

func (c *bothClients) status(name string) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.status(name, nil, nil) })
}

func (c *bothClients) reload(models ...modelEntry) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.reload(models...) }) // the second reload changes nothing
}

func (c *bothClients) predict(p predictCall) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.predict(p) })
}

func (c *bothClients) metadata(name string, fields ...string) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.metadata(name, fields...) })
}

func (c *bothClients) get(path string) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.rest("GET", path, nil) })
}

func (c *bothClients) post(path, body string) answer {
	c.Helper()
	return c.ask(func(c client) answer { return c.rest("POST", path, &body) })
}

// clientsAreServed runs a subtest for each kind of call, against one server. The first loads a
// model.
func clientsAreServed(t *testing.T, c *bothClients, served servedModels) {
	served.write(t, "half", 1)
	t.Run("status and reload", func(t *testing.T) { statusAndReload(t, c.in(t), served) })
	t.Run("predict", func(t *testing.T) { predict(t, c.in(t)) })
	t.Run("metadata", func(t *testing.T) { metadata(t, c.in(t)) })
	t.Run("REST", func(t *testing.T) { rest(t, c.in(t)) })
}

// in returns the clients for use in a subtest.
func (c *bothClients) in(t *testing.T) *bothClients {
	python, goes := c.python, c.goes
	python.t, goes.t = t, t
	return &bothClients{T: t, python: python, goes: goes}
}

// TFS-7, TFS-8.
func statusAndReload(t *testing.T, c *bothClients, served servedModels) {
	seven, stable := int64(7), "stable"
	for _, r := range []struct {
		got  answer
		want string
	}{
		{c.status("half"), "NOT_FOUND: Could not find any versions of model half"},
		{c.reload(modelEntry{"half", "relative", "tensorflow"}), "INVALID_ARGUMENT: Expected model half to have an absolute path or URI; got base_path()=relative"},
	} {
		if got := refusal(t, r.got); got != r.want {
			t.Errorf("got %q, want %q", got, r.want)
		}
	}
	ok := message(t, c.reload(modelEntry{"half", served.base("half"), "tensorflow"}), &apis.ReloadConfigResponse{})
	if ok.GetStatus() == nil || ok.GetStatus().GetErrorCode() != 0 || ok.GetStatus().GetErrorMessage() != "" {
		t.Errorf("reload: got %v, want a status that is OK", ok)
	}
	want := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{
		{Version: 1, State: apis.ModelVersionStatus_AVAILABLE, Status: ok.GetStatus()},
	}}
	for _, got := range []answer{
		c.status("half"),
		c.ask(func(c client) answer { return c.status("half", nil, &stable) }),
	} {
		if diff := cmp.Diff(want, message(t, got, &apis.GetModelStatusResponse{}), protocmp.Transform()); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
	}
	got := refusal(t, c.ask(func(c client) answer { return c.status("half", &seven, nil) }))
	if want := "NOT_FOUND: Could not find version 7 of model half"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

var threeFloats = map[string][]float32{"x": {1, 2.5, -3}}

// TFS-12.2.
func predict(t *testing.T, c *bothClients) {
	first := c.predict(predictCall{Model: "half", Inputs: threeFloats})
	response := message(t, first, &apis.PredictResponse{})
	spec := response.GetModelSpec()
	if spec.GetName() != "half" || spec.GetVersion().GetValue() != 1 || spec.GetSignatureName() != "serving_default" {
		t.Errorf("model_spec: got %v, want half, version 1, serving_default", spec)
	}
	if values := floatsOf(t, response.GetOutputs()["y"]); len(values) != 3 || len(response.GetOutputs()) != 1 {
		t.Errorf("outputs: got %v, want y with 3 floats", response.GetOutputs())
	}
	one := int64(1)
	again := c.predict(predictCall{Model: "half", Inputs: threeFloats, Version: &one, Filter: []string{"y"}, Signature: "serving_default"})
	if again != first {
		t.Errorf("the same request again: got %+v, want %+v", again, first)
	}
	for _, r := range []struct {
		name string
		call predictCall
		want string
	}{
		{"unknown model", predictCall{Model: "nobody"}, "NOT_FOUND: Servable not found for request: Latest(nobody)"},
		{"no name", predictCall{}, "INVALID_ARGUMENT: ModelSpec has no name specified."},
		{"unknown signature", predictCall{Model: "half", Signature: "other"}, `FAILED_PRECONDITION: Serving signature key "other" not found.`},
		{
			"unknown input", predictCall{Model: "half", Inputs: map[string][]float32{"z": {1}, "x": {1}}},
			"INVALID_ARGUMENT: input size does not match signature: 2!=1 len({x,z}) != len({x}). Sent extra: {z}. Missing but required: {}.",
		},
		{
			"unknown output", predictCall{Model: "half", Inputs: threeFloats, Filter: []string{"z"}},
			"INVALID_ARGUMENT: output tensor alias not found in signature: z Outputs expected to be in the set {y}.",
		},
	} {
		if got := refusal(t, c.predict(r.call)); got != r.want {
			t.Errorf("%s: got %q, want %q", r.name, got, r.want)
		}
	}
}

// floatsOf returns the values of a one-dimensional float tensor, from either of its two
// encodings.
func floatsOf(t *testing.T, tensor *framework.TensorProto) []float32 {
	t.Helper()
	dims := tensor.GetTensorShape().GetDim()
	if tensor.GetDtype() != framework.DataType_DT_FLOAT || len(dims) != 1 {
		t.Fatalf("tensor %v, want a list of floats", tensor)
	}
	values := slices.Clone(tensor.GetFloatVal())
	for content := tensor.GetTensorContent(); len(content) >= 4; content = content[4:] {
		bits := uint32(content[0]) | uint32(content[1])<<8 | uint32(content[2])<<16 | uint32(content[3])<<24
		values = append(values, math.Float32frombits(bits))
	}
	if int64(len(values)) != dims[0].GetSize() {
		t.Fatalf("tensor %v has %d values, want those of its shape", tensor, len(values))
	}
	return values
}

// TFS-12.3.
func metadata(t *testing.T, c *bothClients) {
	response := message(t, c.metadata("half", "signature_def"), &apis.GetModelMetadataResponse{})
	if spec := response.GetModelSpec(); spec.GetName() != "half" || spec.GetVersion().GetValue() != 1 {
		t.Errorf("model_spec: got %v, want half, version 1", spec)
	}
	signatures := &apis.SignatureDefMap{}
	if err := response.GetMetadata()["signature_def"].UnmarshalTo(signatures); err != nil {
		t.Fatal(err)
	}
	signature := signatures.GetSignatureDef()["serving_default"]
	if signature.GetMethodName() != "tensorflow/serving/predict" ||
		signature.GetInputs()["x"].GetName() != "x:0" || signature.GetOutputs()["y"].GetName() != "y:0" {
		t.Errorf("signatures: got %v, want serving_default from x to y", signatures)
	}
	for _, r := range []struct {
		got  answer
		want string
	}{
		{c.metadata("half"), "INVALID_ARGUMENT: GetModelMetadataRequest must specify at least one metadata_field"},
		{c.metadata("half", "signature_def", "other"), "INVALID_ARGUMENT: Metadata field other is not supported"},
		{c.metadata("nobody", "signature_def"), "NOT_FOUND: Servable not found for request: Latest(nobody)"},
	} {
		if got := refusal(t, r.got); got != r.want {
			t.Errorf("got %q, want %q", got, r.want)
		}
	}
}

// TFS-13.
func rest(t *testing.T, c *bothClients) {
	const status = "{\n \"model_version_status\": [\n  {\n   \"version\": \"1\",\n   \"state\": \"AVAILABLE\",\n" +
		"   \"status\": {\n    \"error_code\": \"OK\",\n    \"error_message\": \"\"\n   }\n  }\n ]\n}\n"
	for _, r := range []struct {
		got        answer
		status     int
		body       string
		typePrefix string
	}{
		{c.get("/v1/models/half"), 200, status, "application/json"},
		{c.get("/v1/models/half/versions/1"), 200, status, "application/json"},
		{c.get("/v1/models/nobody"), 404, errorBody("Could not find any versions of model nobody"), "application/json"},
		{c.get("/v1/x"), 400, errorBody("Malformed request: GET /v1/x"), "application/json"},
		{c.post("/v1/models/nobody:predict", `{"instances": [1]}`), 404, errorBody("Servable not found for request: Latest(nobody)"), "application/json"},
	} {
		if r.got.Status != r.status || r.got.Body != r.body || !strings.HasPrefix(r.got.Type, r.typePrefix) {
			t.Errorf("got %+v, want %d %q", r.got, r.status, r.body)
		}
	}
	metadata := decoded(t, c.get("/v1/models/half/metadata").Body)
	if got, want := fmt.Sprint(metadata["model_spec"]), "map[name:half signature_name: version:1]"; got != want {
		t.Errorf("metadata: got model_spec %s, want %s", got, want)
	}
	restPredicts(t, c)
}

// restPredicts checks that REST and gRPC give the same predictions of one model.
func restPredicts(t *testing.T, c *bothClients) {
	t.Helper()
	response := message(t, c.predict(predictCall{Model: "half", Inputs: threeFloats}), &apis.PredictResponse{})
	values := floatsOf(t, response.GetOutputs()["y"])
	for _, r := range []struct{ body, key string }{
		{`{"instances": [1, 2.5, -3]}`, "predictions"},
		{`{"instances": [{"x": 1}, {"x": 2.5}, {"x": -3}], "signature_name": "serving_default"}`, "predictions"},
		{`{"inputs": [1, 2.5, -3]}`, "outputs"},
		{`{"inputs": {"x": [1, 2.5, -3]}}`, "outputs"},
	} {
		got := c.post("/v1/models/half:predict", r.body)
		list, ok := decoded(t, got.Body)[r.key].([]any)
		if got.Status != 200 || !ok || len(list) != len(values) {
			t.Errorf("%s: got %+v, want 200 and %q with %d numbers", r.body, got, r.key, len(values))
			continue
		}
		for i, v := range list {
			if n, ok := v.(float64); !ok || float32(n) != values[i] {
				t.Errorf("%s: got number %d %v, want %v as by gRPC", r.body, i, v, values[i])
			}
		}
	}
}

func errorBody(text string) string { return "{\n    \"error\": \"" + text + "\"\n}" }
