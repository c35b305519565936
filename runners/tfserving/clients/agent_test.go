package clients_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/tfserving/server"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

const layout = "/demo/layouts/mixed"

// Goal: on the wall clock, an agent of version 3 starts `monosim tfserving` and serves a
// model that is added to its layout. It follows the model's versions, tells others the
// model's address, and stops serving the model when it is removed. Method: the agent's own
// code with real processes, files and sockets, and a simulated ZooKeeper behind a socket.
func TestAgentV3ServesWhatItsLayoutLists(t *testing.T) {
	v := newV3(t)
	served := servedModels{dir: t.TempDir()}
	served.write(t, "entry", 1)
	v.step(func() error { return v.operator.Start() })
	v.step(func() error {
		return v.operator.DeclSavedModel(v.model, &datadef.SavedModelDeployConfig{
			ModelBasePath: pysem.Some(served.base("entry")), VersionPolicy: pysem.Some("latest"),
		})
	})
	v.step(func() error { return v.zk.EnsurePath(layout) })
	v.step(func() error { return v.Start() })
	v.step(func() error { return v.operator.AddToLayout(layout, v.model) })
	v.awaitStates("1 AVAILABLE 0 ")
	v.step(v.SyncAvailableSavedModels) // called by the test, because the agent itself does so only every 30 s
	v.until("others know the address", func() bool {
		list, err := v.AddressMap(v.Backend().ServiceMap())
		return err == nil && len(list) == 1 && len(list[0].Addrs) == 1 && list[0].Addrs[0] == v.addr()
	})
	served.write(t, "entry", 2)
	v.awaitStates("2 AVAILABLE 0 , 1 END 0 ")
	v.step(func() error { return v.operator.RemoveFromLayout(layout, v.model) })
	v.awaitStates("2 END 0 , 1 END 0 ")
}

// v3 is an agent of version 3 with its environment and an operator.
type v3 struct {
	*program
	*agent.AgentV3
	conf     *agentconfig.AgentConfig
	operator *backends.ZKBackend
	zk       env.ZooKeeper
	model    datadef.SavedModel
}

func newV3(t *testing.T) *v3 {
	t.Helper()
	keeper, err := wire.Listen("127.0.0.1:0", wire.Options{Config: zookeeper.Config{TickMs: 500}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keeper.Close() })
	dir := t.TempDir()
	p := startProgram(t, map[string]string{
		"MY_HOST_IP": anyAddress, "MY_POD_NAME": "pod0", "SHARD_ID": "0", server.Variable: impatient(t, dir),
	})
	zks := &realrun.ZooKeepers{Env: p.e, Proc: p.p, Servers: []string{keeper.Addr()}}
	v := &v3{program: p, model: datadef.SavedModel{ModelName: "lm", SubGraph: "entry"}}
	v.step(func() (err error) {
		v.zk = zks.NewClient("", env.ZooKeeperOptions{})
		v.operator = backends.NewZKBackend(p.e, "demo", v.zk)
		var fields []dataclass.Field
		for _, f := range []struct {
			name  string
			value any
		}{
			{"bzid", "demo"}, {"deploy_type", "unified"}, {"agent_version", 3}, {"layout_pattern", layout},
			{"platform_config_file", filepath.Join(dir, "platform.cfg")}, {"agent_port", p.e.Host.FreePort()},
		} {
			fields = append(fields, dataclass.Field{Name: f.name, Value: f.value})
		}
		if v.conf, err = agentconfig.NewConfig(p.e, fields...); err != nil {
			return err
		}
		v.AgentV3, err = agent.NewAgentV3(p.e, v.conf, filepath.Join(dir, "log"), agent.AgentV3Options{
			ZooKeeper: zks.NewClient("", env.ZooKeeperOptions{}),
		})
		return err
	})
	return v
}

// impatient writes a model server program that polls its config file every second instead of
// every 60 s, which the agent asks for (tfs_wrapper.py:57). It contains the marker that the
// agent looks for.
func impatient(t *testing.T, dir string) string {
	t.Helper()
	script := fmt.Sprintf("#!/bin/sh\n# PredictionServiceGrpc\nexec %s \"$@\" --model_config_file_poll_wait_seconds=1\n", server.Monosim(t))
	path := filepath.Join(dir, "tensorflow_model_server")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// addr returns the model server's address as the agent reports it.
func (v *v3) addr() string { return anyAddress + ":" + v.conf.TFSPortGRPC.String() }

// step runs one action of the agent or of the operator, and fails the test on an error.
func (v *v3) step(fn func() error) {
	v.t.Helper()
	var err error
	v.do(func() { err = fn() })
	if err != nil {
		v.t.Fatal(err)
	}
}

// until polls fn until it returns true. what describes the condition for the failure message.
func (v *v3) until(what string, fn func() bool) {
	v.t.Helper()
	met := false
	v.do(func() {
		for end := v.e.Clock.Elapsed() + patience/2; !met && v.e.Clock.Elapsed() < end; met = fn() {
			v.e.Tasks.Sleep(20 * time.Millisecond)
		}
	})
	if !met {
		v.t.Fatalf("after %v: not %s", patience/2, what)
	}
}

// awaitStates waits until the model server reports the wanted states of the model's versions.
func (v *v3) awaitStates(want string) {
	v.t.Helper()
	server := v.e.Models.Dial(v.addr())
	v.until("the states "+want, func() bool {
		versions, err := server.Status(env.ModelSpec{Name: v.model.String()}, patience)
		return err == nil && versionLines(versions) == want
	})
}
