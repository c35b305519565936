package serve

import (
	"math"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

func (s *Server) newGRPC(options ...grpc.ServerOption) *grpc.Server {
	if s.fake {
		return s.newFakeGRPC(options...)
	}
	options = append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(math.MaxInt32), // no limit, as in server.cc:353
		grpc.MaxSendMsgSize(math.MaxInt32),
		grpc.UnknownServiceHandler(unknownMethod),
		grpc.ForceServerCodecV2(newIncomingCodec()),
	}, slices.Concat(Tuning(), options)...)
	g := grpc.NewServer(options...)
	apis.RegisterModelServiceServer(registrar{g}, &modelService{server: s})
	apis.RegisterPredictionServiceServer(registrar{g}, &predictionService{server: s})
	if s.opt.Machine.Profile == tfserving.ProfileHead && s.opt.Machine.EnableGRPCHealthService {
		registerHealth(g)
	}
	reflection.Register(g)
	return g
}

// Tuning returns gRPC settings that make a server faster and change none of its answers. They are
// workers that keep their stacks, buffers for many small messages, and flow-control windows that
// are large from the start.
func Tuning() []grpc.ServerOption {
	const buffer, window = 128 << 10, 1 << 20
	return []grpc.ServerOption{
		grpc.NumStreamWorkers(streamWorkers),
		grpc.ReadBufferSize(buffer), grpc.WriteBufferSize(buffer),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
	}
}

// streamWorkers is the number of goroutines that keep their stacks from call to call, which saves
// a fifth of the work of a small call. A reload that never returns occupies one for good. When
// none is free gRPC starts another goroutine.
const streamWorkers = 128

// registerHealth reports both services and the whole server as serving for ever (TFS-14.2). The
// services have the short names that server.cc gives them.
func registerHealth(g *grpc.Server) {
	service := health.NewServer()
	for _, name := range []string{"ModelService", "PredictionService"} {
		service.SetServingStatus(name, grpc_health_v1.HealthCheckResponse_SERVING)
	}
	grpc_health_v1.RegisterHealthServer(g, service)
}

// unknownMethod answers UNIMPLEMENTED with an empty text, as gRPC's C++ core does.
func unknownMethod(any, grpc.ServerStream) error { return status.Error(codes.Unimplemented, "") }

// grpcError converts an error of the simulated server to one of grpc-go.
func grpcError(err error) error {
	if e, ok := err.(*env.RPCError); ok {
		e = tfserving.GRPCStatus(e)
		return status.Error(codes.Code(e.Code), e.Message)
	}
	return err
}
