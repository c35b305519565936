package psservice_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/monosim/monosim/engine/env"
	pb "github.com/monosim/monosim/engine/proto/monolith/ps_training"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: the service does what TRN-4.2 says, texts included (oracle: rust at 7fc99f7, and at f415ff3
// for the defective barrier). Method: workers are tasks in virtual time.

func differ(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestALookupFindsBeforeItMakes(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := psservice.New(c.Env, psservice.Options{Dim: 2})
		request := &pb.LookupRequest{TableName: "t", Fids: []int64{7, 7, 8}, CreateIfMissing: true}
		differ(t, "first", &pb.LookupResponse{Embeddings: make([]float32, 6), Found: []bool{false, false, false}, NumInitialized: 3}, s.Lookup(request))
		differ(t, "second", &pb.LookupResponse{Embeddings: make([]float32, 6), Found: []bool{true, true, true}, NumFound: 3}, s.Lookup(request))
		missing := s.Lookup(&pb.LookupRequest{TableName: "t", Fids: []int64{9}})
		differ(t, "missing", &pb.LookupResponse{Embeddings: make([]float32, 2), Found: []bool{false}, NumInitialized: 1}, missing)
	})
}

// Goal (rows D34, D35): a change that fails still counts as a request, and each latency is at least
// 1 µs.
func TestFailedChangesCountAsRequests(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := psservice.New(c.Env, psservice.Options{ShardID: 3, Dim: 2})
		differ(t, "no requests", &pb.GetStatsResponse{ShardId: 3}, s.GetStats(&pb.GetStatsRequest{}))
		refused := s.ApplyGradients(&pb.ApplyGradientsRequest{TableName: "t", Fids: []int64{1}, Gradients: []float32{1}})
		differ(t, "wrong shape", &pb.ApplyGradientsResponse{StatusCode: 1, ErrorMessage: "Gradient size mismatch: expected 2, got 1"}, refused)
		differ(t, "makes no table", &pb.GetStatsResponse{ShardId: 3, ApplyGradientsCount: 1, AvgApplyLatencyUs: 1}, s.GetStats(&pb.GetStatsRequest{IncludeTableStats: true}))
		s.Lookup(&pb.LookupRequest{TableName: "t", Fids: []int64{1}, CreateIfMissing: true})
		applied := s.ApplyGradients(&pb.ApplyGradientsRequest{TableName: "t", Fids: []int64{1, 2}, Gradients: []float32{1, 2, 3, 4}, LearningRate: 0.5})
		differ(t, "one of two", &pb.ApplyGradientsResponse{NumUpdated: 1, NumNotFound: 1}, applied)
		if got := s.Lookup(&pb.LookupRequest{TableName: "t", Fids: []int64{1}}).Embeddings; !slices.Equal(got, []float32{-0.5, -1}) {
			t.Errorf("after the change: got %v, want [-0.5 -1]", got)
		}
		differ(t, "all", &pb.GetStatsResponse{ShardId: 3, TotalEmbeddings: 1, MemoryBytes: 8, LookupCount: 2, ApplyGradientsCount: 2, AvgLookupLatencyUs: 1, AvgApplyLatencyUs: 1,
			TableStats: []*pb.TableStats{{Name: "t", NumEmbeddings: 1, DimSize: 2, MemoryBytes: 8}}}, s.GetStats(&pb.GetStatsRequest{IncludeTableStats: true}))
		c.Env.Tasks.Sleep(3 * time.Second)
		differ(t, "health", &pb.HealthCheckResponse{Status: pb.HealthCheckResponse_HEALTHY, Message: "OK", UptimeSeconds: 3}, s.HealthCheck())
	})
}

func arrival(worker, of int32, timeoutMs int64) *pb.BarrierRequest {
	return &pb.BarrierRequest{BarrierId: "b", WorkerId: worker, NumWorkers: of, TimeoutMs: timeoutMs}
}

func TestABarrierRefusesWhatMakesNoSense(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		s := psservice.New(c.Env, psservice.Options{})
		waiting := c.Env.Tasks.Go("worker", func() { s.Barrier(arrival(0, 2, 10000)) })
		c.Env.Tasks.Sleep(time.Second)
		for _, try := range []struct {
			request *pb.BarrierRequest
			text    string
			arrived int32
		}{
			{arrival(0, 0, 1), "num_workers must be > 0", 0},
			{arrival(2, 2, 1), "worker_id 2 out of range for num_workers=2", 0},
			{arrival(-1, 2, 1), "worker_id -1 out of range for num_workers=2", 0},
			{arrival(0, 3, 1), "Barrier b expects num_workers=2, got 3", 1},
			{arrival(0, 2, 1), "Worker 0 already arrived for barrier b", 1},
		} {
			differ(t, try.text, &pb.BarrierResponse{StatusCode: 1, ErrorMessage: try.text, NumArrived: try.arrived}, s.Barrier(try.request))
		}
		differ(t, "the last", &pb.BarrierResponse{NumArrived: 2}, s.Barrier(arrival(1, 2, 1)))
		waiting.Join()
	})
}

// rounds plays two rounds of a barrier for two workers. In the first round worker 0 comes alone and
// times out. In the second, worker 1 comes 5 s after worker 0. rounds returns both answers to
// worker 0, and how long it waited in the second round.
func rounds(c *worldtest.Case, defective bool) (alone, again *pb.BarrierResponse, waited time.Duration) {
	s := psservice.New(c.Env, psservice.Options{DefectiveBarrier: defective})
	alone = s.Barrier(arrival(0, 2, 1000))
	other := c.Env.Tasks.Go("other", func() {
		c.Env.Tasks.Sleep(5 * time.Second)
		s.Barrier(arrival(1, 2, 1000))
	})
	start := c.Env.Clock.Now()
	again = s.Barrier(arrival(0, 2, 10000))
	waited = c.Env.Clock.Now().Sub(start)
	other.Join()
	return alone, again, waited
}

// Goal (S16, INV-7): after a timeout a barrier again waits for all workers. The defective barrier
// lets one worker through alone.
func TestABarrierAfterATimeoutWaitsForAll(t *testing.T) {
	for defective, want := range map[bool]time.Duration{false: 5 * time.Second, true: 0} { //lint:ordered each in a world of its own
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			alone, again, waited := rounds(c, defective)
			differ(t, "alone", &pb.BarrierResponse{StatusCode: 1, ErrorMessage: "Barrier timeout"}, alone)
			differ(t, "again", &pb.BarrierResponse{NumArrived: 2}, again)
			if waited != want {
				t.Errorf("defective %v: waited %v, want %v", defective, waited, want)
			}
		})
	}
}

// Goal: the client sends each distinct id once, to the shard that holds it. Barriers are on shard
// 0.
func TestAClientSpreadsIdsOverItsShards(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		var addrs []string
		var shards []*psservice.Service
		for range 3 {
			s := psservice.New(c.Env, psservice.Options{Dim: 1})
			server, err := c.Env.Network.Serve(0, 0, s.Handle)
			c.Must(err)
			shards, addrs = append(shards, s), append(addrs, fmt.Sprintf("127.0.0.1:%d", server.Port()))
		}
		client := psservice.NewClient(c.Env, addrs)
		defer client.Close()
		ids := []int64{4, -1, 4, 3, 5}
		rows, err := client.Lookup("t", ids, 1, true)
		if err != nil || len(rows) != len(ids) {
			t.Errorf("got %v %v, want a row for each of %v", rows, err, ids)
		}
		for i, want := range []int64{1, 1, 2} {
			if got := shards[i].GetStats(&pb.GetStatsRequest{}).TotalEmbeddings; got != want {
				t.Errorf("shard %d: got %d ids, want %d", i, got, want)
			}
		}
		if arrived, err := client.Barrier("b", 0, 1, time.Second); err != nil || arrived != 1 {
			t.Errorf("barrier of one: got %d %v, want 1", arrived, err)
		}
		if _, err := client.Barrier("b", 5, 1, time.Second); err == nil || err.(*env.RPCError).Message != "worker_id 5 out of range for num_workers=1" {
			t.Errorf("barrier: got %v, want the server's refusal", err)
		}
	})
}

// Goal: the client adds up the gradients of a repeated id. A number of values that does not fit the
// dimension is an error.
func TestAClientAddsTheGradientsOfAnId(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		var addrs []string
		for range 2 {
			s := psservice.New(c.Env, psservice.Options{Dim: 2})
			server, err := c.Env.Network.Serve(0, 0, s.Handle)
			c.Must(err)
			addrs = append(addrs, fmt.Sprintf("127.0.0.1:%d", server.Port()))
		}
		client, err := psservice.Connect(c.Env, addrs)
		c.Must(err)
		defer client.Close()
		ids := []int64{3, -2, 3}
		_, err = client.Lookup("t", ids, 2, true)
		c.Must(err)
		updated, missing, err := client.ApplyGradients("t", append(ids, 7), []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 0.5)
		if err != nil || updated != 2 || missing != 1 {
			t.Errorf("got %d updated, %d missing, %v, want 2 and 1", updated, missing, err)
		}
		rows, err := client.Lookup("t", ids, 2, false)
		differ(t, "rows", [][]float32{{-3, -4}, {-1.5, -2}, {-3, -4}}, rows)
		c.Must(err)
		_, err = client.Lookup("t", ids, 3, false)
		if wrong, ok := errors.AsType[*psservice.DimensionError](err); !ok || *wrong != (psservice.DimensionError{Want: 3, Got: 2}) {
			t.Errorf("another dimension: got %v, want 3, got 2", err)
		}
		_, _, err = client.ApplyGradients("t", ids, []float32{1}, 2, 1)
		if text := "Dimension mismatch: expected 6, got 1"; err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
		_, err = psservice.Connect(c.Env, []string{addrs[0], "127.0.0.1:9"})
		if wrong, ok := errors.AsType[*psservice.ConnectionError](err); !ok || wrong.Addr != "127.0.0.1:9" {
			t.Errorf("got %v, want a ConnectionError of 127.0.0.1:9", err)
		}
	})
}
