package serve

import (
	"math"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving"
)

// newGRPC makes a gRPC server that answers as gRPC's C core does (TFS-9.6). secure holds the TLS
// credentials; nil means no TLS.
func (s *Server) newGRPC(arguments grpccore.Arguments, secure credentials.TransportCredentials) *grpccore.Server {
	if s.fake {
		return s.newFakeGRPC(arguments)
	}
	g := grpccore.New(grpccore.Options{
		Credentials: secure, Codec: newQuickCodec(), Arguments: arguments,
		MaxReceive: new(math.MaxInt32), // no limit (server.cc:353)
	}, Tuning()...)
	apis.RegisterModelServiceServer(g, &modelService{server: s})
	apis.RegisterPredictionServiceServer(g, &predictionService{server: s})
	if s.opt.Machine.Profile == tfserving.ProfileHead && s.opt.Machine.EnableGRPCHealthService {
		registerHealth(g)
	}
	reflection.Register(g)
	return g
}

// Tuning returns gRPC settings that make a server faster without changing its answers: worker
// goroutines that keep their stacks, buffers for many small messages, and flow-control windows that
// are large from the start.
func Tuning() []grpc.ServerOption {
	const buffer, window = 128 << 10, 1 << 20
	return []grpc.ServerOption{
		grpc.NumStreamWorkers(streamWorkers),
		grpc.ReadBufferSize(buffer), grpc.WriteBufferSize(buffer),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
	}
}

// streamWorkers is the number of goroutines that are reused from call to call. Reusing their stacks
// saves a fifth of the work of a small call. A reload that never returns occupies one of them
// forever. If none of them is free, gRPC starts another goroutine.
const streamWorkers = 128

// registerHealth registers a health service. It always reports both services and the whole server
// as serving (TFS-14.2). The services have the short names that server.cc uses.
func registerHealth(g *grpccore.Server) {
	service := health.NewServer()
	for _, name := range []string{"ModelService", "PredictionService"} {
		service.SetServingStatus(name, grpc_health_v1.HealthCheckResponse_SERVING)
	}
	grpc_health_v1.RegisterHealthServer(g, service)
}

// grpcError converts an error of the simulated server to one of grpc-go.
func grpcError(err error) error {
	if e, ok := err.(*env.RPCError); ok {
		e = tfserving.GRPCStatus(e)
		return status.Error(codes.Code(e.Code), e.Message)
	}
	return err
}
