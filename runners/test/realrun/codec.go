package realrun

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// rawBytes is a gRPC codec for messages that are encoded already. Each message is a *[]byte.
type rawBytes struct{}

// Name returns the name of gRPC's usual codec, because the bytes are protobuf.
func (rawBytes) Name() string { return "proto" }

func (rawBytes) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("send a message: found a %T, want *[]byte", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*data)}, nil
}

func (rawBytes) Unmarshal(data mem.BufferSlice, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("receive a message: found a %T, want *[]byte", v)
	}
	*to = data.Materialize()
	return nil
}
