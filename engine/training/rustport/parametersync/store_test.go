package parametersync_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	pb "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	rpc "github.com/monosim/monosim/engine/proto/monolith/parameter_sync_rpc"
	"github.com/monosim/monosim/engine/training/rustport/parametersync"
)

// Goal: a push has the same effect as one to the Rust port's command serve (TRN-4.10). Method: the
// port's own test, crates/monolith-serving/tests/parameter_sync_rpc.rs, and cases that it omits.

func table(name string, dim int32, ids []int64, values ...float32) *pb.PushRequest_DeltaEmbeddingHashTable {
	return &pb.PushRequest_DeltaEmbeddingHashTable{UniqueId: &name, DimSize: &dim, Fids: ids, Embeddings: values}
}

// push sends a request to the store through Handle, as a client would.
func push(t *testing.T, s *parametersync.Store, r *pb.PushRequest) (*pb.PushResponse, error) {
	t.Helper()
	request, err := proto.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Handle(rpc.ParameterSyncRpc_Push_FullMethodName, request)
	if err != nil {
		return nil, err
	}
	response := &pb.PushResponse{}
	if err := proto.Unmarshal(answer, response); err != nil {
		t.Fatal(err)
	}
	return response, nil
}

func TestAPushReplacesEmbeddings(t *testing.T) {
	s := parametersync.NewStore()
	name, signature := "m", "serving_default"
	for _, r := range []struct {
		request *pb.PushRequest
		want    int32
	}{
		{&pb.PushRequest{ModelName: &name, SignatureName: &signature,
			DeltaHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{table("t", 2, []int64{1, 2}, 0.1, 0.2, 0.3, 0.4)}}, 2},
		{&pb.PushRequest{DeltaMultiHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{table("t", 1, []int64{2, 2}, 5, 6), table("u", 1, []int64{-1}, 7)}}, 3},
		{&pb.PushRequest{DeltaHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{
			table("t", 2, []int64{1}, 9), table("t", 2, nil), table("v", -1, []int64{1}, 1)}}, 0},
	} {
		got, err := push(t, s, r.request)
		want := &pb.PushResponse{StatusCode: proto.Int32(0), UpdateNum: &r.want}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got):\n%s", r.request, err, diff)
		}
	}
	for id, want := range map[int64][]float32{1: {0.1, 0.2}, 2: {6}} { //lint:ordered each by itself
		if got, ok := s.Get("t", id); !ok || !slices.Equal(got, want) {
			t.Errorf("embedding %d: got %v, %v, want %v", id, got, ok, want)
		}
	}
	if got, ok := s.Get("v", 1); ok {
		t.Errorf("a push with values that are too many made %v", got)
	}
	if tables, embeddings := s.Size(); tables != 2 || embeddings != 3 {
		t.Errorf("got %d tables with %d embeddings, want 2 with 3", tables, embeddings)
	}
}

func TestAPushThatMakesNoSenseIsAnError(t *testing.T) {
	s := parametersync.NewStore()
	noName, noDim := table("", 1, []int64{1}, 1), table("t", 1, []int64{1}, 1)
	noName.UniqueId, noDim.DimSize = nil, nil
	for _, c := range []struct {
		table *pb.PushRequest_DeltaEmbeddingHashTable
		want  string
	}{{noName, "Server error: missing unique_id"}, {noDim, "Server error: missing dim_size"}} {
		_, err := push(t, s, &pb.PushRequest{DeltaHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{table("first", 1, []int64{1}, 1), c.table}})
		wantError(t, err, rpcerrors.Internal, c.want)
	}
	if _, ok := s.Get("first", 1); !ok {
		t.Error("the table before the wrong one was not applied")
	}
	_, err := s.Handle(rpc.ParameterSyncRpc_Push_FullMethodName, []byte{0xff})
	wantError(t, err, rpcerrors.Internal, "Exception deserializing request!")
	_, err = s.Handle("/monolith.parameter_sync_rpc.ParameterSyncRpc/Pull", nil)
	wantError(t, err, rpcerrors.Unimplemented, "Method not found!")
}

func wantError(t *testing.T, err error, code rpcerrors.Code, message string) {
	t.Helper()
	var failed *env.RPCError
	if !errors.As(err, &failed) || failed.Code != code || failed.Message != message {
		t.Errorf("got %v, want %v %s", err, code, message)
	}
}
