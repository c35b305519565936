package serve

import (
	"context"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/quickproto"
)

// registrar registers services that refuse an undecodable request as gRPC's C++ library does:
// INTERNAL, with an empty text (GenericDeserialize in grpcpp/impl/codegen/proto_utils.h). The
// server must use incomingCodec.
type registrar struct{ grpc.ServiceRegistrar }

func (r registrar) RegisterService(desc *grpc.ServiceDesc, service any) {
	own := *desc
	own.Methods = slices.Clone(desc.Methods)
	for i := range own.Methods {
		own.Methods[i].Handler = silentDecoding(own.Methods[i].Handler)
	}
	r.ServiceRegistrar.RegisterService(&own, service)
}

func silentDecoding(handle grpc.MethodHandler) grpc.MethodHandler {
	return func(service any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor) (any, error) {
		return handle(service, ctx, func(message any) error {
			in := incoming{message: message}
			if err := decode(&in); err != nil {
				return err
			}
			if in.broken {
				return status.Error(codes.Internal, "")
			}
			return nil
		}, interceptor)
	}
}

// incoming is a request being decoded. broken records a decoding error for registrar, because
// gRPC-Go would send an error of the codec at once and in its own words.
type incoming struct {
	message any
	broken  bool
}

// incomingCodec is gRPC's protobuf codec, except that it records broken requests, and decodes most
// Predict requests by the faster package quickproto.
type incomingCodec struct{ encoding.CodecV2 }

func newIncomingCodec() incomingCodec { return incomingCodec{encoding.GetCodecV2("proto")} }

func (c incomingCodec) Unmarshal(data mem.BufferSlice, v any) error {
	in, ok := v.(*incoming)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	if r, ok := in.message.(*apis.PredictRequest); ok && readPredict(data, r) {
		return nil
	}
	in.broken = c.CodecV2.Unmarshal(data, in.message) != nil
	return nil
}

func readPredict(data mem.BufferSlice, r *apis.PredictRequest) bool {
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	return quickproto.ReadPredict(buffer.ReadOnlyData(), r)
}

// usualResponse is the initial size of response buffers in bytes, which is enough for most.
const usualResponse = 128

func (c incomingCodec) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(*apis.PredictResponse); ok {
		if b, ok := quickproto.AppendPredict(make([]byte, 0, usualResponse), r); ok {
			return mem.BufferSlice{mem.SliceBuffer(b)}, nil
		}
	}
	return c.CodecV2.Marshal(v)
}
