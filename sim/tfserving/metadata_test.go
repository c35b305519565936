package tfserving

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
)

// describedModel has one signature with two inputs and an output.
const describedModel = `{"signatures": {"serving_default": {
	"inputs": {"x": {"name": "x:0", "dtype": 1, "shape": [-1]}, "y": {"name": "y:0", "dtype": 9, "shape": []}},
	"outputs": {"z": {"name": "z:0", "dtype": 1, "shape": [-1, 2]}}, "method": "tensorflow/serving/predict"}}}`

// servingDescribed starts a server of the profile that serves the described model as version 3 of
// a.
func servingDescribed(t testing.TB, profile Profile, description string) *Server {
	host := newTestHost()
	host.disk.write("/m/a/3/saved_model.pb", description)
	o := DefaultOptions(profile)
	o.ModelName, o.ModelBasePath = "a", "/m/a"
	s := New(o, host)
	s.Start()
	host.runTo(time.Second)
	if !s.Serving() {
		t.Fatal("the server does not serve after 1s")
	}
	return s
}

func TestMetadataHoldsTheSignatures(t *testing.T) {
	s := servingDescribed(t, Profile24, describedModel)
	spec := &apis.ModelSpec{Name: "a", SignatureName: "ignored"}
	got, err := s.GetModelMetadata(&apis.GetModelMetadataRequest{
		ModelSpec: spec, MetadataField: []string{"signature_def", "signature_def"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &apis.ModelSpec{Name: "a", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(3)}}
	if diff := cmp.Diff(want, got.GetModelSpec(), protocmp.Transform()); diff != "" {
		t.Errorf("model_spec (-want +got):\n%s", diff)
	}
	packed := got.GetMetadata()["signature_def"]
	if want := "type.googleapis.com/tensorflow.serving.SignatureDefMap"; packed.GetTypeUrl() != want {
		t.Errorf("type URL: got %q, want %q", packed.GetTypeUrl(), want)
	}
	unpacked := &apis.SignatureDefMap{}
	if err := packed.UnmarshalTo(unpacked); err != nil {
		t.Fatal(err)
	}
	signatures, err := s.reader.Signatures(spec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(signatures, unpacked.GetSignatureDef(), protocmp.Transform()); diff != "" {
		t.Errorf("signatures (-want +got):\n%s", diff)
	}
}

func TestTheFakeEchoesTheSpecOfAMetadataRequest(t *testing.T) {
	s := servingDescribed(t, ProfilePythonFake, "graph")
	spec := &apis.ModelSpec{Name: "a", SignatureName: "s", VersionChoice: &apis.ModelSpec_VersionLabel{VersionLabel: "l"}}
	got, err := s.GetModelMetadata(&apis.GetModelMetadataRequest{ModelSpec: spec, MetadataField: []string{"model_name"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &apis.GetModelMetadataResponse{
		ModelSpec: spec,
		Metadata:  map[string]*anypb.Any{"model_name": {Value: []byte("'a'")}},
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	empty, err := s.GetModelMetadata(&apis.GetModelMetadataRequest{})
	if err != nil || !proto.Equal(empty, &apis.GetModelMetadataResponse{ModelSpec: &apis.ModelSpec{}}) {
		t.Errorf("without a spec: got %v, %v, want an empty model_spec", empty, err)
	}
}
