package grpccore

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// Bytes is a codec for messages that are already encoded. A message is a *[]byte.
type Bytes struct{}

// Name returns the name of gRPC's usual codec, because the bytes are encoded protobuf.
func (Bytes) Name() string { return "proto" }

// Marshal returns the bytes of the message unchanged.
func (Bytes) Marshal(v any) (mem.BufferSlice, error) {
	data, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("send a message: found a %T, want *[]byte", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*data)}, nil
}

// Unmarshal copies the bytes.
func (Bytes) Unmarshal(data mem.BufferSlice, v any) error {
	to, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("receive a message: found a %T, want *[]byte", v)
	}
	*to = data.Materialize()
	return nil
}
