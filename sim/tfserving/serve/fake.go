package serve

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
)

// newFakeGRPC makes the gRPC server of python-fake. It passes the bytes of every request to the
// fake, as grpc-python does (TFS-17). It has neither reflection nor health (TFS-17.1 item 23).
func (s *Server) newFakeGRPC(options ...grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options, grpc.ForceServerCodecV2(bytesCodec{}), grpc.UnknownServiceHandler(s.callFake))...)
}

func (s *Server) callFake(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	var request []byte
	if err := stream.RecvMsg(&request); err != nil {
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

// bytesCodec passes messages undecoded. A message is a *[]byte.
type bytesCodec struct{}

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func (bytesCodec) Name() string { return "proto" }
