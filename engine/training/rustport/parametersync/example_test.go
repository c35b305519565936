package parametersync_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	pb "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	"github.com/monosim/monosim/engine/training/rustport/parametersync"
)

// A training process pushes the changed embedding of one id to the store.
func Example() {
	s := parametersync.NewStore()
	response, err := s.Push(&pb.PushRequest{DeltaHashTables: []*pb.PushRequest_DeltaEmbeddingHashTable{{
		UniqueId: proto.String("user"), DimSize: proto.Int32(2), Fids: []int64{7}, Embeddings: []float32{0.5, -1},
	}}})
	fmt.Println(response.GetUpdateNum(), err)
	fmt.Println(s.Get("user", 7))
	// Output:
	// 1 <nil>
	// [0.5 -1] true
}
