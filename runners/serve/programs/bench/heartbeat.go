package bench

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/service"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/runners/tfserving/bench"
)

// heartBeat makes a HeartBeat call that asks for all entry servers. It checks that the answer has
// the given number of replicas.
func heartBeat(replicas int) (bench.Call, error) {
	request, err := proto.Marshal(&agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_ENTRY})
	if err != nil {
		return bench.Call{}, err
	}
	return bench.Call{
		Name: fmt.Sprintf("HeartBeat of %d replicas", replicas), Method: service.MethodHeartBeat, Requests: [][]byte{bench.Frame(request)},
		Check: func(_ int, answer []byte) error {
			var got agentservice.HeartBeatResponse
			if err := proto.Unmarshal(answer, &got); err != nil {
				return err
			}
			if n := len(got.GetAddresses()["entry:0"].GetAddress()); n != replicas {
				return fmt.Errorf("found %d addresses of entry:0, want %d", n, replicas)
			}
			return nil
		},
	}, nil
}
