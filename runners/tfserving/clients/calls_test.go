package clients_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/runners/tfserving/server"
)

// answer is a client's view of an answer. A gRPC call has a message in hexadecimal, or else
// a code and details. A REST request has a status, a content type and a body.
type answer struct {
	Hex, Code, Details string

	Status     int
	Type, Body string
}

// client makes the same calls as the program clients.py.
type client interface {
	status(name string, version *int64, label *string) answer
	reload(models ...modelEntry) answer
	predict(predictCall) answer
	metadata(name string, fields ...string) answer
	rest(method, path string, body *string) answer
}

type modelEntry struct{ name, basePath, platform string }

// predictCall describes a Predict request. Inputs maps an input's name to a list of floats.
type predictCall struct {
	Model     string               `json:"model"`
	Inputs    map[string][]float32 `json:"inputs,omitempty"`
	Filter    []string             `json:"filter,omitempty"`
	Version   *int64               `json:"version,omitempty"`
	Signature string               `json:"signature,omitempty"`
}

// pythonClient is clients.py.
type pythonClient struct {
	t *testing.T
	*pythontest.Program
}

// call asks the Python client for a call whose answer has the type of m. Python encodes a
// message's fields in another order, so the answer is encoded again.
func (c pythonClient) call(name string, given any, m proto.Message) (a answer) {
	c.t.Helper()
	c.Order(c.t, map[string]any{name: given}, &a)
	if a.Hex != "" {
		a.Hex = hexOf(c.t, message(c.t, a, m))
	}
	return a
}

func (c pythonClient) status(name string, version *int64, label *string) answer {
	return c.call("status", []any{name, version, label}, &apis.GetModelStatusResponse{})
}

func (c pythonClient) reload(models ...modelEntry) answer {
	list := [][]string{}
	for _, m := range models {
		list = append(list, []string{m.name, m.basePath, m.platform})
	}
	return c.call("reload", list, &apis.ReloadConfigResponse{})
}

func (c pythonClient) predict(p predictCall) answer {
	return c.call("predict", p, &apis.PredictResponse{})
}

func (c pythonClient) metadata(name string, fields ...string) answer {
	return c.call("metadata", []any{name, append([]string{}, fields...)}, &apis.GetModelMetadataResponse{})
}

func (c pythonClient) rest(method, path string, body *string) answer {
	return c.call("rest", []any{method, path, body}, nil)
}

// goClient makes calls with the stubs of engine/proto, and REST requests with net/http.
type goClient struct {
	t           *testing.T
	models      apis.ModelServiceClient
	predictions apis.PredictionServiceClient
	restAddr    string
}

func newGoClient(t *testing.T, s *server.Server) goClient {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+s.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return goClient{
		t: t, models: apis.NewModelServiceClient(conn), predictions: apis.NewPredictionServiceClient(conn), restAddr: s.RESTAddr(),
	}
}

// patience is the timeout of calls that should end earlier.
const patience = 4 * time.Minute

// told makes a gRPC call and returns its outcome as an answer.
func told[Request any, Response proto.Message](
	c goClient, call func(context.Context, Request, ...grpc.CallOption) (Response, error), request Request,
) answer {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	response, err := call(ctx, request)
	if err != nil {
		s := status.Convert(err)
		return answer{Code: rpcerrors.Code(s.Code()).String(), Details: s.Message()}
	}
	return answer{Hex: hexOf(c.t, response)}
}

func hexOf(t *testing.T, m proto.Message) string {
	t.Helper()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(data)
}

func (c goClient) status(name string, version *int64, label *string) answer {
	c.t.Helper()
	spec := &apis.ModelSpec{Name: name}
	switch {
	case version != nil:
		spec.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(*version)}
	case label != nil:
		spec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: *label}
	}
	return told(c, c.models.GetModelStatus, &apis.GetModelStatusRequest{ModelSpec: spec})
}

func (c goClient) reload(models ...modelEntry) answer {
	c.t.Helper()
	list := &config.ModelConfigList{}
	for _, m := range models {
		list.Config = append(list.Config, &config.ModelConfig{Name: m.name, BasePath: m.basePath, ModelPlatform: m.platform})
	}
	return told(c, c.models.HandleReloadConfigRequest, &apis.ReloadConfigRequest{Config: &config.ModelServerConfig{
		Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list},
	}})
}

func (c goClient) predict(p predictCall) answer {
	c.t.Helper()
	request := &apis.PredictRequest{
		ModelSpec: &apis.ModelSpec{Name: p.Model, SignatureName: p.Signature}, OutputFilter: p.Filter,
		Inputs: map[string]*framework.TensorProto{},
	}
	if p.Version != nil {
		request.ModelSpec.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(*p.Version)}
	}
	for name, values := range p.Inputs {
		request.Inputs[name] = &framework.TensorProto{
			Dtype: framework.DataType_DT_FLOAT, FloatVal: values,
			TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: int64(len(values))}}},
		}
	}
	return told(c, c.predictions.Predict, request)
}

func (c goClient) metadata(name string, fields ...string) answer {
	c.t.Helper()
	return told(c, c.predictions.GetModelMetadata, &apis.GetModelMetadataRequest{
		ModelSpec: &apis.ModelSpec{Name: name}, MetadataField: fields,
	})
}

func (c goClient) rest(method, path string, body *string) answer {
	c.t.Helper()
	var data io.Reader
	if body != nil {
		data = strings.NewReader(*body)
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, "http://"+c.restAddr+path, data)
	if err != nil {
		c.t.Fatal(err)
	}
	response, err := (&http.Client{Timeout: patience}).Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{Status: response.StatusCode, Type: response.Header.Get("Content-Type"), Body: string(text)}
}

// message decodes an answer into m. It fails the test if the answer is an error.
func message[M proto.Message](t *testing.T, a answer, m M) M {
	t.Helper()
	data, err := hex.DecodeString(a.Hex)
	if err != nil || a.Code != "" {
		t.Fatalf("answer %+v, want a message", a)
	}
	if err := proto.Unmarshal(data, m); err != nil {
		t.Fatalf("answer %+v: %v", a, err)
	}
	return m
}

// refusal returns the status of a failed call as one line. It fails the test if the call
// succeeded.
func refusal(t *testing.T, a answer) string {
	t.Helper()
	if a.Code == "" {
		t.Fatalf("answer %+v, want a status", a)
	}
	return fmt.Sprintf("%s: %s", a.Code, a.Details)
}

// decoded decodes a JSON body.
func decoded(t *testing.T, body string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("body %q: %v", body, err)
	}
	return v
}
