package realrun

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// rawBytes is a gRPC codec for messages that are bytes already: a *[]byte on
// either side.
type rawBytes struct{}

// Name is that of the usual codec: what travels is protobuf.
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
