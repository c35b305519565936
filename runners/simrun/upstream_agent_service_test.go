package simrun_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// agent_service_test.py, setUpClass.
func serveTwentyPS(c *parityCase) *agent.AgentService {
	conf := c.configOf("bzid", "test_model", "base_name", "test_model_ctr", "deploy_type", "ps",
		"base_path", "/test_model/test_model_ctr/saved_models", "num_ps", 20, "dc_aware", true)
	zk := c.startedZK()
	w := agent.NewReplicaWatcher(c.env, zk, conf, false)
	prefix, err := conf.PathPrefix()
	c.must(err)
	n := 2
	register := func(task string) {
		for replica := range 2 {
			meta := agent.DefaultReplicaMeta()
			meta.Address, meta.Stat = pysem.Some(fmt.Sprintf("192.168.1.%d:%d", n, 30000+n)), env.StateAvailable
			c.create(zk, fmt.Sprintf("%s/%s/%d", prefix, task, replica), meta.Serialize())
			n++
		}
	}
	for task := range 20 {
		register(fmt.Sprintf("ps:%d", task))
	}
	register("entry:0")
	c.must(w.WatchData())
	service := agent.NewAgentService(c.env, conf.AgentPort.V, agent.AnswersV1{Watcher: w})
	c.must(service.Start())
	return service
}

// ask calls the service of the agent on this host.
func (c *parityCase) ask(method string, request, response proto.Message) {
	c.t.Helper()
	raw, err := proto.Marshal(request)
	c.must(err)
	channel := c.env.Network.Dial("127.0.0.1:1002")
	defer channel.Close()
	raw, err = channel.Call(method, raw, 0)
	c.must(err)
	c.must(proto.Unmarshal(raw, response))
}

var servicePorts = map[string]any{"TCE_INTERNAL_IDC": "lf", "TCE_LOGICAL_CLUSTER": "default", "PORT2": "1002"}

func TestUpstreamAgentService_test_heart_beat(t *testing.T) {
	inFakeWorld(t, servicePorts, func(c *parityCase) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.HeartBeatResponse
		c.ask(agent.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS}, &response)
		if n := len(response.GetAddresses()); n != 20 {
			t.Errorf("HeartBeat: got %d tasks, want 20", n)
		}
	})
}

func TestUpstreamAgentService_test_get_replicas(t *testing.T) {
	inFakeWorld(t, servicePorts, func(c *parityCase) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.GetReplicasResponse
		c.ask(agent.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS, Task: 1}, &response)
		want := []string{"192.168.1.4:30004", "192.168.1.5:30005"}
		if diff := cmp.Diff(want, response.GetAddressList().GetAddress()); diff != "" {
			t.Errorf("addresses of ps:1 (-want +got):\n%s", diff)
		}
	})
}
