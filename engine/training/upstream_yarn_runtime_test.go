package training_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env/envtest"
	primus "github.com/monosim/monosim/engine/proto/monolith/native_training/proto"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: finding the own address and calling the application master pass the reference's own tests
// (yarn_runtime_test.py), over the simulated network.

// masterPort is the port on which the application master of these tests listens.
const masterPort = 7777

// withMaster runs call with a master that sends the same answer to each request. It returns the
// methods that were called, and their requests.
func withMaster(t *testing.T, answer proto.Message, call func(m *training.ApplicationMaster)) (methods []string, requests [][]byte) {
	t.Helper()
	worldtest.Run(t, map[string]string{"PRIMUS_AM_RPC_HOST": "127.0.0.1", "PRIMUS_AM_RPC_PORT": "7777"}, func(c *worldtest.Case) {
		server, err := c.Env.Network.Serve(masterPort, 1, func(method string, request []byte) ([]byte, error) {
			methods, requests = append(methods, method), append(requests, request)
			return proto.Marshal(answer)
		})
		c.Must(err)
		call(training.NewApplicationMaster(c.Env))
		server.Stop()
	})
	return methods, requests
}

func localHost(t *testing.T, vars map[string]string) string {
	t.Helper()
	host, err := training.LocalHost(envtest.New(nil, vars).Host)
	if err != nil {
		t.Fatal(err)
	}
	return host
}

func TestUpstreamYarnRuntime_test_get_local_host_overwrite(t *testing.T) {
	if got := localHost(t, map[string]string{"YARN_INET_ADDR": "1.2.3.4"}); got != "1.2.3.4" {
		t.Errorf("got %s, want 1.2.3.4", got)
	}
}

func TestUpstreamYarnRuntime_test_get_local_host_overwrite_by_cloudnative(t *testing.T) {
	if got := localHost(t, map[string]string{"CLOUDNATIVE_INET_ADDR": "1.2.3.4,5.6.7.8"}); got != "1.2.3.4" {
		t.Errorf("got %s, want 1.2.3.4", got)
	}
}

func TestUpstreamYarnRuntime_test_get_local_host_basic(t *testing.T) {
	if got := localHost(t, nil); got == "" {
		t.Error("got no address")
	}
}

func TestUpstreamYarnRuntime_test_kill(t *testing.T) {
	methods, requests := withMaster(t, &primus.KillResponse{}, func(m *training.ApplicationMaster) {
		if !m.MaybeKill("TestKill") {
			t.Error("the master did not take the call")
		}
	})
	request := &primus.KillRequest{}
	if len(requests) != 1 || proto.Unmarshal(requests[0], request) != nil || request.Diagnose != "TestKill" {
		t.Errorf("got %v with %v, want one kill for TestKill", methods, request)
	}
}

func TestUpstreamYarnRuntime_test_finish(t *testing.T) {
	methods, _ := withMaster(t, &primus.SucceedResponse{}, func(m *training.ApplicationMaster) {
		if got := m.MaybeFinish(); !got.V {
			t.Errorf("got %v, want true", got)
		}
	})
	if len(methods) != 1 || methods[0] != "/primus.AppMasterService/succeed" {
		t.Errorf("got %v, want succeed", methods)
	}
}

func TestUpstreamYarnRuntime_test_save_primus(t *testing.T) {
	// This message serves as the answer to both calls. Its field 3 is SUCCEEDED in the status, and
	// is read as the id in the answer to the creation.
	methods, _ := withMaster(t, &primus.CreateSavepointStatusResponse{CreateSavepointState: primus.CreateSavepointStatusResponse_SUCCEEDED}, func(m *training.ApplicationMaster) {
		if got := m.CreateSavePoint("test"); !got.V {
			t.Errorf("got %v, want true", got)
		}
	})
	if len(methods) != 2 || methods[0] != "/primus.AppMasterService/createSavepoint" || methods[1] != "/primus.AppMasterService/createSavepointStatus" {
		t.Errorf("got %v, want createSavepoint and createSavepointStatus", methods)
	}
}
