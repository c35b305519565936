// Package parametersync receives the embeddings that a training pushes to the server of its model,
// as the Rust port's serve command does at a separate address (TRN-4.10;
// crates/monolith-serving/src/parameter_sync_sink.rs and embedding_store.rs). Python has no such
// service: there a PS pushes by Predict (parameter_sync_client.cc).
//
// Two things to use first:
//
//   - [Store.Push] applies a push request.
//   - [Store.Handle] serves ParameterSyncRpc as a handler of calls.
//
// Cost: the time of a push grows with its ids times their dimension. Embeddings are never removed.
//
// Unstable: any commit may change it.
package parametersync

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	pb "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	rpc "github.com/monosim/monosim/engine/proto/monolith/parameter_sync_rpc"
)

// Store holds embeddings by table and id. It is not safe for concurrent use.
type Store struct {
	tables map[string]map[int64][]float32
}

// NewStore makes an empty store.
func NewStore() *Store { return &Store{tables: map[string]map[int64][]float32{}} }

// ApplyDelta sets the embeddings of ids and returns how many it set. A repeated id counts twice.
// embeddings holds dim values for each id, one id after another. If their number is wrong, or there
// is no id, it makes no table, changes nothing and returns 0.
func (s *Store) ApplyDelta(table string, dim int32, ids []int64, embeddings []float32) int {
	if len(ids) == 0 || dim < 0 || len(embeddings) != len(ids)*int(dim) {
		return 0
	}
	rows, ok := s.tables[table]
	if !ok {
		rows = map[int64][]float32{}
		s.tables[table] = rows
	}
	for i, id := range ids {
		rows[id] = slices.Clone(embeddings[i*int(dim) : (i+1)*int(dim)])
	}
	return len(ids)
}

// Get returns a copy of an embedding; ok is false if there is none.
func (s *Store) Get(table string, id int64) (embedding []float32, ok bool) {
	row, ok := s.tables[table][id]
	return slices.Clone(row), ok
}

// Size returns the numbers of tables and embeddings.
func (s *Store) Size() (tables, embeddings int) {
	for _, rows := range s.tables { //lint:ordered a sum
		embeddings += len(rows)
	}
	return len(s.tables), embeddings
}

// Push applies all tables of a request, the single tables before the multi tables. A table without
// a name or a dimension is an error of code INTERNAL. Tables before it stay applied.
func (s *Store) Push(r *pb.PushRequest) (*pb.PushResponse, error) {
	updated := 0
	for _, t := range slices.Concat(r.DeltaHashTables, r.DeltaMultiHashTables) {
		switch {
		case t.UniqueId == nil:
			return nil, &env.RPCError{Code: rpcerrors.Internal, Message: "Server error: missing unique_id"}
		case t.DimSize == nil:
			return nil, &env.RPCError{Code: rpcerrors.Internal, Message: "Server error: missing dim_size"}
		}
		updated += s.ApplyDelta(t.GetUniqueId(), t.GetDimSize(), t.Fids, t.Embeddings)
	}
	return &pb.PushResponse{StatusCode: proto.Int32(0), UpdateNum: proto.Int32(int32(updated))}, nil
}

// Handle answers the calls of the service. Push is its only method. Handle is an [env.Handler].
func (s *Store) Handle(method string, request []byte) ([]byte, error) {
	if method != rpc.ParameterSyncRpc_Push_FullMethodName {
		return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
	}
	r := &pb.PushRequest{}
	if err := proto.Unmarshal(request, r); err != nil {
		return nil, &env.RPCError{Code: rpcerrors.Internal, Message: "Exception deserializing request!"}
	}
	response, err := s.Push(r)
	if err != nil {
		return nil, err
	}
	return proto.Marshal(response)
}
