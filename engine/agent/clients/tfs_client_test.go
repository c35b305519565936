package clients_test

import (
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// These tests run the model server client against simulated model servers, in virtual time. That
// its requests equal the reference's is checked by vectors/golden/tfs_client.json.

// serve starts a simulated model server with version 1 of a model.
func serve(c *worldtest.Case, port int, model string) {
	c.T.Helper()
	c.Must(c.Machine.FS.AddModelVersion("/models/"+model, 1, 1000))
	options := tfserving.DefaultOptions(tfserving.Profile24)
	options.Port, options.ModelName, options.ModelBasePath = port, model, path.Join("/models", model)
	c.StartModelServer(options)
}

func inClientWorld(t *testing.T, fn func(c *worldtest.Case)) {
	t.Helper()
	worldtest.Run(t, map[string]string{"MY_HOST_IP": "127.0.0.1"}, func(c *worldtest.Case) {
		serve(c, 20001, "m")
		c.Env.Tasks.Sleep(10 * time.Second)
		fn(c)
	})
}

// profileOf runs a load test of 2 s against the servers at the given ports.
func profileOf(c *worldtest.Case, threads int, ports ...int) clients.Profile {
	c.T.Helper()
	client := clients.TFSClient{Env: c.Env}
	batch, err := client.RandomExampleBatch([]clients.Feature{
		{FeatureName: pysem.Some("f_user_id"), Method: pysem.Some("Direct"), Slot: pysem.Some(1)},
	}, 4)
	c.Must(err)
	load := clients.PredictLoad{
		ModelName: "m", Signature: "serving_default", Duration: 2 * time.Second, Threads: threads,
		Data: []*framework.TensorProto{clients.MakeTensorProto([][]byte{batch})},
	}
	for _, port := range ports {
		load.Channels = append(load.Channels, c.Env.Network.Dial(fmt.Sprint("127.0.0.1:", port)))
	}
	p, err := client.Profile(load)
	c.Must(err)
	return p
}

func TestAProfileMeasuresTheServerAndIsTheSameEveryTime(t *testing.T) {
	var profiles []clients.Profile
	for range 2 {
		inClientWorld(t, func(c *worldtest.Case) { profiles = append(profiles, profileOf(c, 3, 20001)) })
	}
	if diff := cmp.Diff(profiles[0], profiles[1]); diff != "" {
		t.Errorf("profiles of one seed (-first +second):\n%s", diff)
	}
	p := profiles[0]
	model := tfserving.DefaultOptions(tfserving.Profile24).Cost.PredictTime.Seconds() * 1000
	if p.Count == 0 || p.AverageMs < model || p.P99Ms < p.AverageMs {
		t.Errorf("got %s, want calls of %g ms and more", p, model)
	}
}

func TestThreadsOfAProfileRunAtOnce(t *testing.T) {
	inClientWorld(t, func(c *worldtest.Case) {
		one, three := profileOf(c, 1, 20001), profileOf(c, 3, 20001)
		if three.CallsPerSecond < 2*one.CallsPerSecond {
			t.Errorf("three threads: got %s, want about thrice the calls of %s", three, one)
		}
	})
}

func TestQ142_AProfileThatFindsNobodyEnds(t *testing.T) {
	inClientWorld(t, func(c *worldtest.Case) {
		if p := profileOf(c, 2, 20099); p != (clients.Profile{}) {
			t.Errorf("got %s, want no call", p)
		}
	})
}

// Goal: each command of the client works. The reference's own command fails before that, at a
// function that does not exist (Q67).
func TestTheClientsCommands(t *testing.T) {
	inClientWorld(t, func(c *worldtest.Case) {
		c.Write(map[string]string{
			worldtest.Dir + "/a.conf": "bzid b\nbase_name n\nbase_path /m\ndeploy_type mixed\n",
			worldtest.Dir + "/eb":     "batch_size: 1",
			worldtest.Dir + "/models": `model_config_list { config { name: "n" base_path: "/models/m" model_platform: "tensorflow" } }`,
		})
		o := clients.DefaultTFSClientOptions()
		o.Conf, o.Target, o.ModelName = worldtest.Dir+"/a.conf", "127.0.0.1:20001", pysem.Some("m")
		o.Cmd, o.FileType, o.InputFile = "get", "pbtxt", pysem.Some(worldtest.Dir+"/eb")
		a, err := clients.RunTFSClient(c.Env, o)
		c.Must(err)
		if v := a.Predict.GetModelSpec().GetVersion().GetValue(); v != 1 {
			t.Errorf("get: answered by version %d, want 1", v)
		}
		o.Cmd = "meta"
		if _, err = clients.RunTFSClient(c.Env, o); codeOf(err) != rpcerrors.InvalidArgument {
			t.Errorf("meta: got %v, want INVALID_ARGUMENT: a model server knows signature_def alone (TFS-12.3)", err)
		}
		o.Cmd, o.InputFile = "load", pysem.Some(worldtest.Dir+"/models")
		a, err = clients.RunTFSClient(c.Env, o)
		c.Must(err)
		if a.Load != (env.StatusProto{}) {
			t.Errorf("load: got %+v, want OK", a.Load)
		}
		o.Cmd, o.ModelName = "status", pysem.Some("n")
		a, err = clients.RunTFSClient(c.Env, o)
		c.Must(err)
		if diff := cmp.Diff([]env.ModelVersionStatus{{Version: 1, State: env.StateAvailable}}, a.Status); diff != "" {
			t.Errorf("status of the loaded model (-want +got):\n%s", diff)
		}
	})
}

func codeOf(err error) rpcerrors.Code {
	if rpc, ok := err.(*env.RPCError); ok {
		return rpc.Code
	}
	return rpcerrors.OK
}

func TestPredictRefusesBytesThatAreNoRequest(t *testing.T) {
	inClientWorld(t, func(c *worldtest.Case) {
		_, err := c.Env.Network.Dial("127.0.0.1:20001").Call(clients.MethodPredict, []byte("\xff"), time.Second)
		if codeOf(err) != rpcerrors.Internal {
			t.Errorf("got %v, want INTERNAL", err)
		}
	})
}
