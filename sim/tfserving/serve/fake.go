package serve

import (
	"google.golang.org/grpc"

	"github.com/monosim/monosim/engine/grpccore"
)

// newFakeGRPC makes the gRPC server of python-fake. It passes the bytes of every request to the
// fake, as grpc-python does (TFS-17). It offers neither reflection nor health checks (TFS-17.1 item
// 23).
func (s *Server) newFakeGRPC(arguments grpccore.Arguments) *grpccore.Server {
	return grpccore.New(grpccore.Options{
		Codec: grpccore.Bytes{}, Unknown: s.callFake, Arguments: arguments,
	})
}

func (s *Server) callFake(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	request, err := grpccore.Take(stream)
	if err != nil {
		return err
	}
	s.mu.Lock()
	answer, err := s.machine.Fake().Call(method, request)
	s.mu.Unlock()
	if err != nil {
		return grpcError(err)
	}
	return stream.SendMsg(&answer)
}
