package serve

import (
	"context"
	"errors"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

type modelService struct {
	apis.UnimplementedModelServiceServer
	server *Server
}

// GetModelStatus returns the last published statuses (TFS-7).
func (m *modelService) GetModelStatus(_ context.Context, r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	response, err := m.server.status(r)
	return response, grpcError(err)
}

func (s *Server) status(r *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	if err := s.suffer("GetModelStatus", r.GetModelSpec().GetName(), r.GetModelSpec().GetVersion().GetValue()); err != nil {
		return nil, err
	}
	if r.GetModelSpec() != nil {
		return s.statuses.answer(r.GetModelSpec())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.machine.GetModelStatus(r)
}

// HandleReloadConfigRequest waits until the reload ends or the client gives up. The reload itself
// continues when the client gives up (TFS-8.7).
func (m *modelService) HandleReloadConfigRequest(ctx context.Context, r *apis.ReloadConfigRequest) (*apis.ReloadConfigResponse, error) {
	type answer struct {
		response *apis.ReloadConfigResponse
		err      error
	}
	if err := m.server.suffer("HandleReloadConfigRequest", "", 0); err != nil {
		return nil, grpcError(err)
	}
	answers := make(chan answer, 1)
	before := m.server.metricValues(r)
	m.server.reload(r, func(response *apis.ReloadConfigResponse, err error) { answers <- answer{response, err} })
	select {
	case a := <-answers:
		if a.err == nil {
			a.response.Metric = append(a.response.Metric, m.server.increases(before)...)
		}
		return a.response, grpcError(a.err)
	case <-ctx.Done():
		return nil, gaveUp(ctx)
	case <-m.server.done:
		return nil, errGone
	}
}

// gaveUp returns the error for a client that has given up. gRPC's own clients replace this error by
// their own.
func gaveUp(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return status.Error(codes.DeadlineExceeded, rpcerrors.DeadlineIsOver)
	}
	return status.FromContextError(ctx.Err()).Err()
}

func (s *Server) reload(r *apis.ReloadConfigRequest, done func(*apis.ReloadConfigResponse, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.HandleReloadConfigRequest(r, done)
}

// errGone is the error of calls to a process that has ended. Their connections are about to close.
var errGone = status.Error(codes.Unavailable, rpcerrors.SocketClosed)

// metricValues returns the present values of the metrics that a request names. For tfs-2.4 it
// returns nil, because its requests cannot name metrics (TFS-8.1).
func (s *Server) metricValues(r *apis.ReloadConfigRequest) map[string]int64 {
	if s.opt.Machine.Profile != tfserving.ProfileHead {
		return nil
	}
	values := make(map[string]int64, len(r.GetMetricNames()))
	for _, name := range r.GetMetricNames() {
		values[name] = s.meter.value(name)
	}
	return values
}

// increases returns how much each metric has grown since its value in before. The result is sorted
// by name. Upstream's order is the random order of a hash table.
func (s *Server) increases(before map[string]int64) (metrics []*apis.Metric) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		metrics = append(metrics, &apis.Metric{
			Name:          name,
			ValueIncrease: &apis.Metric_Int64ValueIncrease{Int64ValueIncrease: s.meter.value(name) - before[name]},
		})
	}
	return metrics
}
