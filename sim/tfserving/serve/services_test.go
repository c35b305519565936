//lint:file-ignore SA1019 the old name of the reflection service is served, too

package serve

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/monosim/monosim/sim/tfserving"
)

// Goal: the health service of tfs-head answers for both service names and for the whole server
// (TFS-14.2).
func TestHealth(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.ProfileHead, func(o *Options) { o.Machine.EnableGRPCHealthService = true })
	client := grpc_health_v1.NewHealthClient(l.dial())
	for _, service := range []string{"", "ModelService", "PredictionService"} {
		got, err := client.Check(l.context(), &grpc_health_v1.HealthCheckRequest{Service: service})
		if err != nil || got.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("service %q: got %v, %v, want SERVING", service, got, err)
		}
	}
	_, err := client.Check(l.context(), &grpc_health_v1.HealthCheckRequest{Service: "tensorflow.serving.ModelService"})
	wantCode(t, err, codes.NotFound)
}

// Goal: gRPC reflection lists and describes the services, as grpcurl needs, in both versions of its
// protocol.
func TestReflection(t *testing.T) {
	l := newLab(t)
	l.serve(tfserving.Profile24, nil)
	v1, err := grpc_reflection_v1.NewServerReflectionClient(l.dial()).ServerReflectionInfo(l.context())
	l.must(err)
	l.must(v1.Send(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	}))
	listed, err := v1.Recv()
	l.must(err)
	var names []string
	for _, s := range listed.GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	slices.Sort(names)
	want := []string{"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
		"tensorflow.serving.ModelService", "tensorflow.serving.PredictionService"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	alpha, err := grpc_reflection_v1alpha.NewServerReflectionClient(l.dial()).ServerReflectionInfo(l.context())
	l.must(err)
	l.must(alpha.Send(&grpc_reflection_v1alpha.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1alpha.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: "tensorflow.serving.ModelService",
		},
	}))
	described, err := alpha.Recv()
	l.must(err)
	files := described.GetFileDescriptorResponse().GetFileDescriptorProto()
	if len(files) == 0 {
		t.Fatalf("TFS-15.1: ModelService is not described: %v", described)
	}
	var file descriptorpb.FileDescriptorProto
	l.must(proto.Unmarshal(files[0], &file))
	if want := "tensorflow_serving/apis/model_service.proto"; file.GetName() != want {
		t.Errorf("TFS-15.1: import path: got %s, want %s", file.GetName(), want)
	}
}
