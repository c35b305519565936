// Package psservice stores the embeddings of a training and provides barriers for its workers,
// over gRPC (TRN-4.2). It has no counterpart in Python. It behaves like the Rust port's
// crates/monolith-training/src/distributed_ps.rs.
//
// Two things to use first:
//
//   - [New] makes a server's [Service]; [Service.Handle] answers calls.
//   - [NewClient] distributes ids over servers.
//
// The barrier has two variants: that of the Rust port at commit 7fc99f7, and the defective one of
// f415ff3, where a worker that timed out still counts. To change how they differ: barrier.go.
//
// Cost: the time of a lookup or change grows with its ids times the dimension, that of statistics
// with the number of tables.
//
// Unstable: any commit may change it.
package psservice

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	pb "github.com/monosim/monosim/engine/proto/monolith/ps_training"
)

// Options configures a server.
type Options struct {
	ShardID int32
	// Dim is the dimension of a table if the first request for the table names none.
	Dim int32
	// DefectiveBarrier selects the barrier of commit f415ff3.
	DefectiveBarrier bool
	// ServiceTime is how long a lookup or a change of embeddings takes.
	ServiceTime time.Duration
}

// table holds embeddings by id. All have the same dimension.
type table struct {
	dim  int32
	rows map[int64][]float32
}

type latency struct{ count, totalUs int64 }

func (l *latency) add(took time.Duration) {
	l.count++
	l.totalUs += max(1, took.Microseconds())
}

func (l *latency) mean() int64 {
	if l.count == 0 {
		return 0
	}
	return l.totalUs / l.count
}

// Service is one embedding server of a training.
type Service struct {
	e               *env.Env
	options         Options
	started         time.Duration
	tables          map[string]*table
	lookups, applys latency
	barriers        map[string]*barrier
}

// New makes a server without tables.
func New(e *env.Env, options Options) *Service {
	return &Service{e: e, options: options, started: e.Clock.Elapsed(), tables: map[string]*table{}, barriers: map[string]*barrier{}}
}

// table returns the table of a name. A missing table is made with the dimension dim.
func (s *Service) table(name string, dim int32) *table {
	t, ok := s.tables[name]
	if !ok {
		t = &table{dim: dim, rows: map[int64][]float32{}}
		s.tables[name] = t
	}
	return t
}

func (s *Service) dim(asked int32) int32 {
	if asked > 0 {
		return asked
	}
	return s.options.Dim
}

// timed sleeps for the service time and calls do. It records the total duration of the sleep and
// the call in the statistics l.
func (s *Service) timed(l *latency, do func()) {
	start := s.e.Clock.Elapsed()
	if s.options.ServiceTime > 0 {
		s.e.Tasks.Sleep(s.options.ServiceTime)
	}
	do()
	l.add(s.e.Clock.Elapsed() - start)
}

// Lookup returns embeddings, and zeros for missing ids. It looks up all ids before it creates any.
// So a missing id that is repeated counts as missing twice.
func (s *Service) Lookup(r *pb.LookupRequest) *pb.LookupResponse {
	response := &pb.LookupResponse{}
	s.timed(&s.lookups, func() {
		t := s.table(r.TableName, s.dim(r.DimSize))
		for _, id := range r.Fids {
			row, ok := t.rows[id]
			if !ok {
				row = make([]float32, t.dim)
				response.NumInitialized++
			} else {
				response.NumFound++
			}
			response.Found = append(response.Found, ok)
			response.Embeddings = append(response.Embeddings, row...)
		}
		for i, id := range r.Fids {
			if r.CreateIfMissing && !response.Found[i] && t.rows[id] == nil {
				t.rows[id] = make([]float32, t.dim)
			}
		}
	})
	return response
}

// ApplyGradients subtracts gradients from the embeddings that exist. With a wrong number of
// gradients it changes nothing and makes no table, but the request still counts in the statistics.
func (s *Service) ApplyGradients(r *pb.ApplyGradientsRequest) *pb.ApplyGradientsResponse {
	response := &pb.ApplyGradientsResponse{}
	s.timed(&s.applys, func() {
		dim := s.dim(r.DimSize)
		if want := len(r.Fids) * int(dim); len(r.Gradients) != want {
			response.StatusCode = 1
			response.ErrorMessage = fmt.Sprintf("Gradient size mismatch: expected %d, got %d", want, len(r.Gradients))
			return
		}
		t := s.table(r.TableName, dim)
		for i, id := range r.Fids {
			row, ok := t.rows[id]
			if !ok {
				response.NumNotFound++
				continue
			}
			response.NumUpdated++
			for j, g := range r.Gradients[i*int(dim) : (i+1)*int(dim)] {
				if j < len(row) {
					row[j] -= r.LearningRate * g
				}
			}
		}
	})
	return response
}

// GetStats returns the numbers of tables, embeddings and requests.
func (s *Service) GetStats(r *pb.GetStatsRequest) *pb.GetStatsResponse {
	response := &pb.GetStatsResponse{
		ShardId: s.options.ShardID, LookupCount: s.lookups.count, ApplyGradientsCount: s.applys.count,
		AvgLookupLatencyUs: s.lookups.mean(), AvgApplyLatencyUs: s.applys.mean(),
	}
	for _, name := range slices.Sorted(maps.Keys(s.tables)) {
		t := s.tables[name]
		n := int64(len(t.rows))
		stats := &pb.TableStats{Name: name, NumEmbeddings: n, DimSize: t.dim, MemoryBytes: n * int64(t.dim) * 4}
		response.TotalEmbeddings += n
		response.MemoryBytes += stats.MemoryBytes
		if r.IncludeTableStats {
			response.TableStats = append(response.TableStats, stats)
		}
	}
	return response
}

// HealthCheck always reports a healthy server.
func (s *Service) HealthCheck() *pb.HealthCheckResponse {
	return &pb.HealthCheckResponse{Status: pb.HealthCheckResponse_HEALTHY, Message: "OK",
		UptimeSeconds: int64((s.e.Clock.Elapsed() - s.started) / time.Second)}
}

// Handle answers all calls of the service. It is an [env.Handler].
func (s *Service) Handle(method string, request []byte) ([]byte, error) {
	switch method {
	case pb.ParameterServerTraining_Lookup_FullMethodName:
		return answer(request, &pb.LookupRequest{}, s.Lookup)
	case pb.ParameterServerTraining_ApplyGradients_FullMethodName:
		return answer(request, &pb.ApplyGradientsRequest{}, s.ApplyGradients)
	case pb.ParameterServerTraining_Barrier_FullMethodName:
		return answer(request, &pb.BarrierRequest{}, s.Barrier)
	case pb.ParameterServerTraining_GetStats_FullMethodName:
		return answer(request, &pb.GetStatsRequest{}, s.GetStats)
	case pb.ParameterServerTraining_HealthCheck_FullMethodName:
		return answer(request, &pb.HealthCheckRequest{}, func(*pb.HealthCheckRequest) *pb.HealthCheckResponse { return s.HealthCheck() })
	}
	return nil, &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Method not found!"}
}

func answer[Q, A proto.Message](data []byte, request Q, do func(Q) A) ([]byte, error) {
	if err := proto.Unmarshal(data, request); err != nil {
		return nil, &env.RPCError{Code: rpcerrors.Internal, Message: "Exception deserializing request!"}
	}
	return proto.Marshal(do(request))
}
