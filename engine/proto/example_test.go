package proto_test

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
)

// This example prints a message's bytes on the wire, and a message in the text form that Python
// writes.
func Example() {
	wire, err := proto.Marshal(&agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_ENTRY, Task: 1})
	fmt.Printf("% x %v\n", wire, err)

	text, err := textpb.Marshal(&config.ModelConfigList{Config: []*config.ModelConfig{
		{Name: "ctr", BasePath: "/models/ctr", ModelPlatform: "tensorflow"},
	}})
	fmt.Print(text)
	fmt.Println(err)

	// Output:
	// 08 01 10 01 <nil>
	// config {
	//   name: "ctr"
	//   base_path: "/models/ctr"
	//   model_platform: "tensorflow"
	// }
	// <nil>
}
