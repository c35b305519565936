package service_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agenttest"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/env"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// agent_service_test.py, setUpClass.
func serveTwentyPS(c *worldtest.Case) *service.AgentService {
	conf := agenttest.Config(c.T, c.Env, "bzid", "test_model", "base_name", "test_model_ctr", "deploy_type", "ps",
		"base_path", "/test_model/test_model_ctr/saved_models", "num_ps", 20, "dc_aware", true)
	zk := c.StartedZooKeeper()
	w := replicamanager.NewReplicaWatcher(c.Env, zk, conf, replicamanager.WatcherOptions{})
	prefix, err := conf.PathPrefix()
	c.Must(err)
	n := 2
	register := func(task string) {
		for replica := range 2 {
			meta := datadef.DefaultReplicaMeta()
			meta.Address, meta.Stat = pysem.Some(fmt.Sprintf("192.168.1.%d:%d", n, 30000+n)), env.StateAvailable
			c.Create(zk, fmt.Sprintf("%s/%s/%d", prefix, task, replica), meta.Serialize())
			n++
		}
	}
	for task := range 20 {
		register(fmt.Sprintf("ps:%d", task))
	}
	register("entry:0")
	c.Must(w.WatchData())
	service := service.NewAgentService(c.Env, conf.AgentPort.V, service.AnswersV1{Watcher: w})
	c.Must(service.Start())
	return service
}

// ask calls a method of the agent on this host over gRPC.
func ask(c *worldtest.Case, method string, request, response proto.Message) {
	c.T.Helper()
	raw, err := proto.Marshal(request)
	c.Must(err)
	channel := c.Env.Network.Dial("127.0.0.1:1002")
	defer channel.Close()
	raw, err = channel.Call(method, raw, 0)
	c.Must(err)
	c.Must(proto.Unmarshal(raw, response))
}

var servicePorts = map[string]string{"TCE_INTERNAL_IDC": "lf", "TCE_LOGICAL_CLUSTER": "default", "PORT2": "1002"}

func TestUpstreamAgentService_test_heart_beat(t *testing.T) {
	worldtest.Run(t, servicePorts, func(c *worldtest.Case) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.HeartBeatResponse
		ask(c, service.MethodHeartBeat, &agentservice.HeartBeatRequest{ServerType: agentservice.ServerType_PS}, &response)
		if n := len(response.GetAddresses()); n != 20 {
			t.Errorf("HeartBeat: got %d tasks, want 20", n)
		}
	})
}

func TestUpstreamAgentService_test_get_replicas(t *testing.T) {
	worldtest.Run(t, servicePorts, func(c *worldtest.Case) {
		defer serveTwentyPS(c).Stop()
		var response agentservice.GetReplicasResponse
		ask(c, service.MethodGetReplicas, &agentservice.GetReplicasRequest{ServerType: agentservice.ServerType_PS, Task: 1}, &response)
		want := []string{"192.168.1.4:30004", "192.168.1.5:30005"}
		if diff := cmp.Diff(want, response.GetAddressList().GetAddress()); diff != "" {
			t.Errorf("addresses of ps:1 (-want +got):\n%s", diff)
		}
	})
}
