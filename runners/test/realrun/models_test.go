package realrun_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/runners/test/realrun"
)

// cannedServer starts a server whose handler gives canned answers, and calls fn with a
// client of it.
func cannedServer(t *testing.T, handler env.Handler, fn func(env.ModelServer)) {
	t.Helper()
	w := newWorld(t)
	p := w.NewProcess("node", "p")
	p.Go("main", func() {
		network := realrun.NewNetwork(p, realrun.Options{})
		server, err := network.Serve(0, 0, handler)
		if err != nil {
			t.Error(err)
			return
		}
		client := realrun.ModelServers{Network: network}.Dial(fmt.Sprintf("127.0.0.1:%d", server.Port()))
		fn(client)
		client.Close()
		server.Stop()
	})
	if err := waitFor(w); err != nil {
		t.Fatal(err)
	}
}

// Goal: requests are TensorFlow Serving's messages, sent to its methods. Method: a server
// that decodes them with the generated types and records what it got.
func TestModelServerRequests(t *testing.T) {
	models := &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{
		ModelConfigList: &config.ModelConfigList{Config: []*config.ModelConfig{{Name: "m", BasePath: "/m"}}},
	}}
	var got []string
	cannedServer(t, func(method string, data []byte) ([]byte, error) {
		var request proto.Message = &apis.GetModelStatusRequest{}
		if method == "/tensorflow.serving.ModelService/HandleReloadConfigRequest" {
			request = &apis.ReloadConfigRequest{}
		}
		if err := proto.Unmarshal(data, request); err != nil {
			return nil, err
		}
		text, err := proto.MarshalOptions{Deterministic: true}.Marshal(request)
		got = append(got, fmt.Sprintf("%s %q", method, text))
		return nil, err
	}, func(client env.ModelServer) {
		for _, spec := range []env.ModelSpec{
			{}, {Name: "m"}, {Name: "m", HasVersion: true}, {Name: "m", HasVersion: true, Version: -3, Label: "l"},
			{Name: "m", Label: "l", Signature: "s"},
		} {
			if versions, err := client.Status(spec, 0); err != nil || len(versions) != 0 {
				t.Errorf("status of %+v: got %v, %v, want no version", spec, versions, err)
			}
		}
		for _, m := range []*config.ModelServerConfig{{}, models} {
			data, err := proto.Marshal(m)
			if err != nil {
				t.Error(err)
				return
			}
			if status, err := client.Reload(data, 0); err != nil || status != (env.StatusProto{}) {
				t.Errorf("reload: got %v, %v, want OK", status, err)
			}
		}
	})
	const status, reload = "/tensorflow.serving.ModelService/GetModelStatus ", "/tensorflow.serving.ModelService/HandleReloadConfigRequest "
	want := []string{ // a field that is set to an empty message counts as set
		status + `"\n\x00"`,
		status + `"\n\x03\n\x01m"`,
		status + `"\n\x05\n\x01m\x12\x00"`,
		status + `"\n\x10\n\x01m\x12\v\b\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01"`,
		status + `"\n\t\n\x01m\x1a\x01s\"\x01l"`,
		reload + `"\n\x00"`,
		reload + `"\n\v\n\t\n\a\n\x01m\x12\x02/m"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// Goal: answers are passed on unchanged, including unknown states and codes.
func TestModelServerAnswers(t *testing.T) {
	status := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{
		{Version: 10, State: apis.ModelVersionStatus_END, Status: &util.StatusProto{ErrorCode: tfcore.Code_NOT_FOUND, ErrorMessage: "none"}},
		{Version: -1, State: apis.ModelVersionStatus_AVAILABLE},
		{Version: 3, State: 77, Status: &util.StatusProto{ErrorCode: 99}},
	}}
	reload := &apis.ReloadConfigResponse{Status: &util.StatusProto{ErrorCode: tfcore.Code_UNKNOWN, ErrorMessage: "1 model(s)"}}
	cannedServer(t, func(method string, _ []byte) ([]byte, error) {
		if method == apis.ModelService_GetModelStatus_FullMethodName {
			return proto.Marshal(status)
		}
		return proto.Marshal(reload)
	}, func(client env.ModelServer) {
		versions, err := client.Status(env.ModelSpec{Name: "m"}, 0)
		if err != nil {
			t.Error(err)
		}
		want := []env.ModelVersionStatus{
			{Version: 10, State: env.StateEnd, Status: env.StatusProto{Code: rpcerrors.NotFound, Message: "none"}},
			{Version: -1, State: env.StateAvailable},
			{Version: 3, State: 77, Status: env.StatusProto{Code: 99}},
		}
		if diff := cmp.Diff(want, versions); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
		got, err := client.Reload(nil, 0)
		if want := (env.StatusProto{Code: rpcerrors.Unknown, Message: "1 model(s)"}); err != nil || got != want {
			t.Errorf("reload: got %v, %v, want %v", got, err, want)
		}
	})
}

// Goal: a message that cannot be encoded or decoded gives the error text of grpc-python
// (grpc/_channel.py).
func TestModelServerMessagesThatAreNone(t *testing.T) {
	cannedServer(t, func(string, []byte) ([]byte, error) { return []byte("\x0a\xff"), nil }, func(client env.ModelServer) {
		for _, c := range []struct{ name, want string }{
			{"m", "INTERNAL: Exception deserializing response!"},
			{"\xff", "INTERNAL: Exception serializing request!"},
		} {
			if _, err := client.Status(env.ModelSpec{Name: c.name}, 0); fmt.Sprint(err) != c.want {
				t.Errorf("status of %q: got %v, want %s", c.name, err, c.want)
			}
		}
		if _, err := client.Reload(nil, 0); fmt.Sprint(err) != "INTERNAL: Exception deserializing response!" {
			t.Errorf("reload: got %v", err)
		}
	})
}
