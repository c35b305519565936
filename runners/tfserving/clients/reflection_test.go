package clients_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/runners/tfserving/server"
)

// Goal: a client without any stubs, such as grpcurl, can call the server by what gRPC
// reflection describes. Method: a minimal client of this kind.
func TestReflection(t *testing.T) {
	served := serve(t, server.Monosim(t))
	served.write(t, "half", 1)
	r := newReflected(t, served.GRPCAddr())
	services := r.services()
	for _, name := range []string{"tensorflow.serving.ModelService", "tensorflow.serving.PredictionService"} {
		if !slices.Contains(services, name) {
			t.Errorf("services %q, want %s among them", services, name)
		}
	}
	for _, c := range []struct{ service, method, request, want string }{
		{
			"ModelService", "GetModelStatus", `{"modelSpec": {"name": "half"}}`,
			"NOT_FOUND: Could not find any versions of model half",
		},
		{
			"ModelService", "HandleReloadConfigRequest",
			`{"config": {"modelConfigList": {"config": [{"name": "half", "basePath": "` + served.base("half") + `", "modelPlatform": "tensorflow"}]}}}`,
			`{"status": {}}`,
		},
		{
			"ModelService", "GetModelStatus", `{"modelSpec": {"name": "half", "version": "1"}}`,
			`{"model_version_status": [{"version": "1", "state": "AVAILABLE", "status": {}}]}`,
		},
		{"PredictionService", "Predict", `{"modelSpec": {"name": "nobody"}}`, "NOT_FOUND: Servable not found for request: Latest(nobody)"},
	} {
		r.call(t, protoreflect.FullName("tensorflow.serving."+c.service), protoreflect.Name(c.method), c.request, c.want)
	}
}

// reflected is a client that fetches the message descriptions from the server.
type reflected struct {
	t      *testing.T
	conn   *grpc.ClientConn
	stream grpc_reflection_v1.ServerReflection_ServerReflectionInfoClient
	files  map[string]*descriptorpb.FileDescriptorProto
}

func newReflected(t *testing.T, addr string) *reflected {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	stream, err := grpc_reflection_v1.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return &reflected{t: t, conn: conn, stream: stream, files: map[string]*descriptorpb.FileDescriptorProto{}}
}

func (r *reflected) ask(q *grpc_reflection_v1.ServerReflectionRequest) *grpc_reflection_v1.ServerReflectionResponse {
	r.t.Helper()
	if err := r.stream.Send(q); err != nil {
		r.t.Fatal(err)
	}
	a, err := r.stream.Recv()
	if err != nil {
		r.t.Fatal(err)
	}
	if refused := a.GetErrorResponse(); refused != nil {
		r.t.Fatalf("reflection of %v: %v", q, refused)
	}
	return a
}

func (r *reflected) services() (names []string) {
	r.t.Helper()
	a := r.ask(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{},
	})
	for _, s := range a.GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	return names
}

// service returns the description of a service. It fetches the needed .proto files one by one.
func (r *reflected) service(name protoreflect.FullName) protoreflect.ServiceDescriptor {
	r.t.Helper()
	r.take(&grpc_reflection_v1.ServerReflectionRequest{
		MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: string(name)},
	})
	set := &descriptorpb.FileDescriptorSet{}
	for _, f := range r.files {
		set.File = append(set.File, f)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := files.FindDescriptorByName(name)
	if err != nil {
		r.t.Fatal(err)
	}
	return found.(protoreflect.ServiceDescriptor)
}

// take stores the .proto files of an answer, and fetches those that they import.
func (r *reflected) take(q *grpc_reflection_v1.ServerReflectionRequest) {
	r.t.Helper()
	for _, data := range r.ask(q).GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := &descriptorpb.FileDescriptorProto{}
		if err := proto.Unmarshal(data, file); err != nil {
			r.t.Fatal(err)
		}
		r.files[file.GetName()] = file
		for _, imported := range file.GetDependency() {
			if r.files[imported] == nil {
				r.take(&grpc_reflection_v1.ServerReflectionRequest{
					MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileByFilename{FileByFilename: imported},
				})
			}
		}
	}
}

// call makes a call with a JSON request. want is the expected JSON answer, or the expected
// status.
func (r *reflected) call(t *testing.T, service protoreflect.FullName, name protoreflect.Name, request, want string) {
	t.Helper()
	method := r.service(service).Methods().ByName(name)
	if method == nil {
		t.Fatalf("%s has no method %s", service, name)
	}
	in, out := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := protojson.Unmarshal([]byte(request), in); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.conn.Invoke(ctx, "/"+string(service)+"/"+string(name), in, out); err != nil {
		s := status.Convert(err)
		if got := rpcerrors.Code(s.Code()).String() + ": " + s.Message(); got != want {
			t.Errorf("%s %s: got %q, want %q", name, request, got, want)
		}
		return
	}
	wanted := dynamicpb.NewMessage(method.Output())
	if err := protojson.Unmarshal([]byte(want), wanted); err != nil {
		t.Fatal(errors.Join(err, errors.New("an answer: "+protojson.Format(out))))
	}
	if diff := cmp.Diff(protojson.Format(wanted), protojson.Format(out)); diff != "" {
		t.Errorf("%s %s (-want +got):\n%s", name, request, diff)
	}
}
