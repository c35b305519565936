package tfserving

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// These are the reference's own tests of its fake model server (TFS-20.5, mocked_tfserving.py),
// under their names. The originals only check that there is an answer. Here its content is checked
// too.

// servingFake starts a fake that has two versions of one model, and lets five seconds pass.
func servingFake(t *testing.T) (*Server, *testHost) {
	t.Helper()
	host := newTestHost()
	o := DefaultOptions(ProfilePythonFake)
	o.ModelName, o.ModelBasePath = "test_model_test", "/tmp/test_model/monolith"
	o.FakeNumVersions, o.FakeBugs = 2, true
	s := New(o, host)
	s.Start()
	host.runTo(5 * time.Second)
	if !s.Serving() {
		t.Fatal("the fake does not serve after 5s")
	}
	return s, host
}

// Goal: metadata values are Python reprs. num_versions is missing, because the fake has no such
// field. Q98 also covers the KeyError of an unknown model, which is tested here.
func TestUpstreamMockedTFServing_test_get_model_metadata(t *testing.T) {
	s, _ := servingFake(t)
	spec := specMessage(env.ModelSpec{Name: "test_model_test", HasVersion: true, Version: 2, Signature: "predict"})
	got, err := s.GetModelMetadata(&apis.GetModelMetadataRequest{
		ModelSpec: spec, MetadataField: []string{"base_path", "num_versions", "signature_name"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &apis.GetModelMetadataResponse{ModelSpec: spec, Metadata: map[string]*anypb.Any{
		"base_path": {Value: []byte("'/tmp/test_model/monolith'")}, "signature_name": {Value: []byte("('update', 'predict')")},
	}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	_, err = s.GetModelMetadata(&apis.GetModelMetadataRequest{ModelSpec: &apis.ModelSpec{Name: "other"}, MetadataField: []string{"base_path"}})
	if want := "Exception calling application: 'other'"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("unknown model: got error %v, want %s", err, want)
	}
}

func TestUpstreamMockedTFServing_test_get_model_status(t *testing.T) {
	s, _ := servingFake(t)
	got, err := s.Status(env.ModelSpec{Name: "test_model_test", HasVersion: true, Version: 1, Signature: "predict"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

// Goal: of two entries with the same name in a reload the last one wins, and the model that the
// fake had before is unloaded.
func TestUpstreamMockedTFServing_test_handle_reload_config_request(t *testing.T) {
	s, host := servingFake(t)
	config := modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{
		{Name: "test_model", BasePath: "/tmp/test_model/ctr/saved_model", Policy: modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: 2}},
		{Name: "test_model", BasePath: "/tmp/test_model/cvr/saved_model", Policy: modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: 1}},
	}}
	answered := false
	s.Reload(config, func(err *env.RPCError) {
		answered = true
		if err != nil {
			t.Errorf("reload: got %v, want OK", err)
		}
	})
	host.runTo(6 * time.Second)
	if !answered {
		t.Fatal("the reload has no answer after 1s")
	}
	for _, c := range []struct {
		model string
		want  []env.ModelVersionStatus
	}{
		{"test_model", []env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}},
		{"test_model_test", []env.ModelVersionStatus{{Version: -1, Status: env.StatusProto{Code: rpcerrors.NotFound, Message: "test_model_test is not found"}}}},
	} {
		got, err := s.Status(env.ModelSpec{Name: c.model})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("status of %s (-want +got):\n%s", c.model, diff)
		}
	}
	metadata, err := s.GetModelMetadata(&apis.GetModelMetadataRequest{ModelSpec: &apis.ModelSpec{Name: "test_model"}, MetadataField: []string{"base_path"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(metadata.GetMetadata()["base_path"].GetValue()), "'/tmp/test_model/cvr/saved_model'"; got != want {
		t.Errorf("base_path: got %s, want %s", got, want)
	}
}
