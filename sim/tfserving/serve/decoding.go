package serve

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/quickproto"
)

// quickCodec is gRPC's protobuf codec, except that it encodes and decodes most Predict messages by
// the faster package quickproto.
type quickCodec struct{ encoding.CodecV2 }

func newQuickCodec() quickCodec { return quickCodec{encoding.GetCodecV2("proto")} }

func (c quickCodec) Unmarshal(data mem.BufferSlice, v any) error {
	if r, ok := v.(*apis.PredictRequest); ok && readPredict(data, r) {
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}

func readPredict(data mem.BufferSlice, r *apis.PredictRequest) bool {
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	return quickproto.ReadPredict(buffer.ReadOnlyData(), r)
}

// usualResponse is the initial size of response buffers in bytes. Most responses are smaller.
const usualResponse = 128

func (c quickCodec) Marshal(v any) (mem.BufferSlice, error) {
	if r, ok := v.(*apis.PredictResponse); ok {
		if b, ok := quickproto.AppendPredict(make([]byte, 0, usualResponse), r); ok {
			return mem.BufferSlice{mem.SliceBuffer(b)}, nil
		}
	}
	return c.CodecV2.Marshal(v)
}
