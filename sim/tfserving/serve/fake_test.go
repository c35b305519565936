package serve

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: answers of the reference's fake arrive over gRPC (TFS-17.1). Tests in package tfserving
// compare the answers themselves with recordings.
func TestPythonFake(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.ProfilePythonFake, func(o *Options) {
		o.Machine.InitialConfig, o.Machine.ModelName, o.Machine.FakeNumVersions = nil, "m", 2
		withREST(o)
	})
	l.await("m:2 AVAILABLE")
	got, err := l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("m")})
	l.must(err)
	want := &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{
		{Version: 1, State: apis.ModelVersionStatus_AVAILABLE, Status: &util.StatusProto{}},
		{Version: 2, State: apis.ModelVersionStatus_AVAILABLE, Status: &util.StatusProto{}},
	}}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("items 1 and 10: status (-want +got):\n%s", diff)
	}
	got, err = l.models().GetModelStatus(l.context(), &apis.GetModelStatusRequest{ModelSpec: specOf("x")})
	l.must(err)
	if v := got.GetModelVersionStatus(); len(v) != 1 || v[0].GetVersion() != -1 || v[0].GetStatus().GetErrorMessage() != "x is not found" {
		t.Errorf("item 8: got %v, want version -1, x is not found", got)
	}
	l.must(l.reloadError(reloadOf(l.modelConfig("n", ""))))
	l.await("m:1 END")
	wantStatus(t, l.predictError(specOf("n")), codes.Internal, "Failed to serialize response!")
	_, err = l.predictions().Classify(l.context(), &apis.ClassificationRequest{})
	wantStatus(t, err, codes.Unimplemented, "Method not implemented!")
	_, err = l.predictions().GetModelMetadata(l.context(), &apis.GetModelMetadataRequest{
		ModelSpec:     &apis.ModelSpec{Name: "x", VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(1)}},
		MetadataField: []string{"base_path"},
	})
	wantStatus(t, err, codes.Unknown, "Exception calling application: 'x'")
	if rest := l.s.Ports().REST; rest != 0 {
		t.Errorf("item 23: the fake serves REST at port %d", rest)
	}
}
