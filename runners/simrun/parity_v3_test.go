package simrun_test

import (
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/processes"
)

// newAgentV3 is an agent of which nothing is started.
func (c *parityCase) newAgentV3(server func(path string) agent.ModelServerProcess) (*agent.AgentV3, *recordingZK, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	zk := newRecordingZK(c.env)
	a, err := agent.NewAgentV3(c.env, conf, "/log", agent.AgentV3Options{ZooKeeper: zk, Server: server})
	return a, zk, err
}

func filtersOf(a *agent.AgentV3) []any {
	list := []any{}
	for _, f := range a.LayoutFilters() {
		list = append(list, []any{f[0], f[1]})
	}
	return list
}

func (c *parityCase) agentV3() (any, error) {
	a, _, err := c.newAgentV3(nil)
	if err != nil {
		return nil, err
	}
	content, err := c.env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	grpc, err := a.ModelServer().IsGRPCRemoteOp()
	return object(
		"container", a.Container().String(), "service_info", encodeValue(a.ServiceInfo().Serialize()),
		"filters", filtersOf(a), "config_text", string(content), "grpc_remote_op", grpc), err
}

func (c *parityCase) layoutUpdate() (any, error) {
	a, _, err := c.newAgentV3(nil)
	if err != nil {
		return nil, err
	}
	initial, err := c.env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	var models []agent.LayoutModel
	for _, m := range item(c.in, "saved_models").([]any) {
		m := m.([]any)
		models = append(models, agent.LayoutModel{
			Model:  agent.SavedModel{ModelName: m[0].(string), SubGraph: m[1].(string)},
			Deploy: agent.SavedModelDeployConfig{ModelBasePath: optional(m[2]), VersionPolicy: optional(m[3])},
		})
	}
	called := attempt(true, a.LayoutUpdated(models))
	content, err := c.env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	names, err := a.ModelServer().ListSavedModels()
	if err != nil {
		return nil, err
	}
	var written config.ModelServerConfig
	if err := textpb.Unmarshal(string(content), &written); err != nil {
		return nil, err
	}
	return object("filters", filtersOf(a), "initial_text", string(initial), "callback", called,
		"file", object("text", string(content), "names", encodeValue(names), "config", encodeValue(&written))), nil
}

// serverStub is a model server of which a case fixes one trait.
type serverStub struct {
	agent.ModelServerProcess
	grpc     bool
	statuses []agent.SavedModelStatus
}

func (s serverStub) IsGRPCRemoteOp() (bool, error) { return s.grpc, nil }

func (s serverStub) ListSavedModelsStatus() ([]agent.SavedModelStatus, error) { return s.statuses, nil }

func (c *parityCase) addressMap() (any, error) {
	a, _, err := c.newAgentV3(func(path string) agent.ModelServerProcess {
		if text(c.in, "wrapper") == "fake" {
			return agent.NewFakeTFSWrapper(c.env, path)
		}
		return serverStub{grpc: text(c.in, "wrapper") == "grpc"}
	})
	if err != nil {
		return nil, err
	}
	var services agent.ServiceMap
	for _, m := range item(c.in, "service_map").(*pysem.Dict).Items {
		model := agent.ModelServices{Model: m.Key}
		for _, g := range m.Value.(*pysem.Dict).Items {
			graph := agent.SubGraphServices{SubGraph: g.Key}
			for _, v := range g.Value.([]any) {
				info, err := serviceInfo(v)
				if err != nil {
					return nil, err
				}
				graph.Services = append(graph.Services, info)
			}
			model.SubGraphs = append(model.SubGraphs, graph)
		}
		services = append(services, model)
	}
	addrs, err := a.AddressMap(services)
	list := []any{}
	for _, m := range addrs {
		list = append(list, []any{m.Name, encodeValue(m.Addrs)})
	}
	return list, err
}

func (c *parityCase) syncModels() (any, error) {
	stub := serverStub{}
	for _, s := range item(c.in, "statuses").(*pysem.Dict).Items {
		state, ok := s.Value.(int)
		stub.statuses = append(stub.statuses, agent.SavedModelStatus{
			Name: s.Key, Missing: !ok, Status: env.ModelVersionStatus{State: env.ModelState(state)},
		})
	}
	a, zk, err := c.newAgentV3(func(string) agent.ModelServerProcess { return stub })
	if err != nil {
		return nil, err
	}
	if err := a.Backend().Start(); err != nil {
		return nil, err
	}
	result := attempt(nil, a.SyncAvailableSavedModels())
	writes := zk.take("create")
	if writes == nil {
		writes = []any{}
	}
	return object("result", result, "writes", writes, "available", modelNames(a.Backend().Available())), nil
}

func (c *parityCase) wrapperCommand() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	conf.TFSPortArchon, conf.TFSPortGRPC = pysem.Some(number(c.in, "archon_port")), pysem.Some(number(c.in, "grpc_port"))
	conf.TFSPortHTTP = pysem.Some(number(c.in, "http_port"))
	if isTrue(c.in, "is_grpc_remote_op") {
		c.write(map[string]string{caseDir + "/None": "…PredictionServiceGrpc…"})
	}
	cmd := agent.NewTFSWrapper(c.env, conf, text(c.in, "model_config_file"), "/log").Command()
	return object("cmd", cmd, "flags", encodeValue(strings.Split(cmd, " "))), nil
}

// modelStatus runs a model server that does nothing: its status is the case's.
func (c *parityCase) modelStatus() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	c.machine.Procs.Register("tfs", func(*processes.Process) {})
	c.write(map[string]string{caseDir + "/tfs": "a model server"})
	c.env.Host.Setenv("MONOLITH_TFS_BINARY", caseDir+"/tfs")
	c.env.Models = modelServers{c.in}
	w := agent.NewTFSWrapper(c.env, conf, caseDir+"/models.cfg", "/log")
	if err := w.Start(); err != nil {
		return nil, err
	}
	names, err := w.ListSavedModels()
	if err != nil {
		return nil, err
	}
	statuses, err := w.ListSavedModelsStatus()
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, s := range statuses {
		list = append(list, []any{s.Name, statusValue(s, true)})
	}
	return object("names", encodeValue(names), "status", list), nil
}

// statusValue is the message; that of a known version always has a status.
func statusValue(s agent.SavedModelStatus, hasStatus bool) any {
	if s.Missing {
		return 0
	}
	m := &apis.ModelVersionStatus{Version: s.Status.Version, State: apis.ModelVersionStatus_State(s.Status.State)}
	if hasStatus {
		m.Status = &util.StatusProto{ErrorCode: tfcore.Code(s.Status.Status.Code), ErrorMessage: s.Status.Status.Message}
	}
	return encodeValue(m)
}

// modelServers answers every model with the versions of the case, or fails.
type modelServers struct{ in *pysem.Dict }

func (m modelServers) Dial(string) env.ModelServer { return m }

func (m modelServers) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	if failure, ok := item(m.in, "versions").(*pysem.Dict); ok {
		for code := env.OK; code <= env.Unauthenticated; code++ {
			if code.String() == text(failure, "rpc_error") {
				return nil, &env.RPCError{Code: code, Message: spec.Name + " failed"}
			}
		}
	}
	var list []env.ModelVersionStatus
	for _, v := range item(m.in, "versions").([]any) {
		v := v.([]any)
		list = append(list, env.ModelVersionStatus{Version: int64(v[0].(int)), State: env.ModelState(v[1].(int))})
	}
	return list, nil
}

func (m modelServers) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

func (m modelServers) Close() {}

func (c *parityCase) fakeWrapper() (any, error) {
	w := agent.NewFakeTFSWrapper(c.env, caseDir+"/models.cfg")
	names, errNames := w.ListSavedModels()
	statuses, errStatuses := w.ListSavedModelsStatus()
	byName := &pysem.Dict{}
	for _, s := range statuses {
		byName.Set(s.Name, statusValue(s, false))
	}
	var poll any
	if code, done := w.Poll(); done {
		poll = code
	}
	return object("names", attempt(names, errNames), "status", attempt(byName, errStatuses), "poll", poll), nil
}
