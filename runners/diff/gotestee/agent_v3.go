package gotestee

import (
	"cmp"
	"sort"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/agent/tfs/tfstest"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// agentV3Ops holds the operations of section 14 of the protocol, on agent_v3.py and tfs_wrapper.py.
var agentV3Ops = table{
	"agent_v3.AgentV3":                                (*call).agentV3,
	"agent_v3.AgentV3.layout_update_callback":         (*call).layoutUpdate,
	"agent_v3.AgentV3._gen_addrs_map":                 (*call).addressMap,
	"agent_v3.AgentV3.sync_available_saved_models":    (*call).syncModels,
	"tfs_wrapper.TFSWrapper.sequence":                 (*call).wrapperSequence,
	"tfs_wrapper.TFSWrapper._prepare_cmd":             (*call).wrapperCommand,
	"tfs_wrapper.TFSWrapper.list_saved_models_status": (*call).modelStatus,
	"tfs_wrapper.FakeTFSWrapper":                      (*call).fakeWrapper,
}

// newAgentV3 makes an agent without starting any part of it.
func (c *call) newAgentV3(server func(path string) tfs.ModelServerProcess) (*agent.AgentV3, *caseworld.ZooKeeper, error) {
	conf, err := c.config()
	if err != nil {
		return nil, nil, err
	}
	zk := c.NewZK()
	a, err := agent.NewAgentV3(c.Env, conf, "/log", agent.AgentV3Options{ZooKeeper: zk, Server: server})
	return a, zk, err
}

func filtersOf(a *agent.AgentV3) []any {
	return lists.Map(a.LayoutFilters(), func(f [2]string) any { return []any{f[0], f[1]} })
}

func (c *call) agentV3() (any, error) {
	a, _, err := c.newAgentV3(nil)
	if err != nil {
		return nil, err
	}
	content, err := c.Env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	grpc, err := a.ModelServer().IsGRPCRemoteOp()
	return caseworld.Object(
		"container", a.Container().String(), "service_info", a.ServiceInfo().Serialize(),
		"filters", filtersOf(a), "config_text", string(content), "grpc_remote_op", grpc), err
}

func (c *call) layoutUpdate() (any, error) {
	a, _, err := c.newAgentV3(nil)
	if err != nil {
		return nil, err
	}
	initial, err := c.Env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	called := caseworld.Attempt(true, a.LayoutUpdated(c.layoutModels()))
	content, err := c.Env.Files.ReadFile(a.ConfigPath())
	if err != nil {
		return nil, err
	}
	var written config.ModelServerConfig
	if err := textformat.Parse(string(content), &written); err != nil {
		return nil, err
	}
	file := namedConfig(&written)
	file.Set("text", string(content))
	return caseworld.Object("filters", filtersOf(a), "initial_text", string(initial), "callback", called, "file", file), nil
}

// layoutModels returns the models that the case lists as [model, sub graph, base path, policy].
func (c *call) layoutModels() []backends.LayoutModel {
	return lists.MapOrNil(c.In.Rows("saved_models", "model", "sub_graph", "base_path", "policy"), func(part caseworld.Arguments) backends.LayoutModel {
		return backends.LayoutModel{
			Model:  datadef.SavedModel{ModelName: part.Str("model"), SubGraph: part.Str("sub_graph")},
			Deploy: datadef.SavedModelDeployConfig{ModelBasePath: part.OptStr("base_path"), VersionPolicy: part.OptStr("policy")},
		}
	})
}

// serverStub is a stand-in for a model server. It answers only what the case fixes.
type serverStub struct {
	tfs.ModelServerProcess
	grpc     bool
	statuses []tfs.SavedModelStatus
}

func (s serverStub) IsGRPCRemoteOp() (bool, error) { return s.grpc, nil }

func (s serverStub) ListSavedModelsStatus() ([]tfs.SavedModelStatus, error) { return s.statuses, nil }

func (c *call) addressMap() (any, error) {
	wrapper := c.In.Str("wrapper")
	a, _, err := c.newAgentV3(func(path string) tfs.ModelServerProcess {
		if wrapper == "fake" {
			return tfstest.NewFakeTFSWrapper(c.Env, path, c.Quirks)
		}
		return serverStub{grpc: wrapper == "grpc"}
	})
	if err != nil {
		return nil, err
	}
	services, err := c.serviceMap()
	if err != nil {
		return nil, err
	}
	addrs, err := a.AddressMap(services)
	list := []any{}
	for _, m := range addrs {
		list = append(list, []any{m.Name, m.Addrs})
	}
	return list, err
}

// serviceMap parses an object of the form {model: {sub graph: [ContainerServiceInfo arguments]}}.
func (c *call) serviceMap() (backends.ServiceMap, error) {
	var services backends.ServiceMap
	models := c.In.Object("service_map")
	for _, m := range models.Items {
		model := backends.ModelServices{Model: m.Key}
		graphs := models.Object(m.Key)
		for _, g := range graphs.Items {
			graph := backends.SubGraphServices{SubGraph: g.Key}
			for _, v := range graphs.Objects(g.Key) {
				info, err := dataOf[datadef.ContainerServiceInfo](v, zero[datadef.ContainerServiceInfo])
				if err != nil {
					return nil, err
				}
				graph.Services = append(graph.Services, &info)
			}
			model.SubGraphs = append(model.SubGraphs, graph)
		}
		services = append(services, model)
	}
	return services, nil
}

// savedModelStatuses returns what the case's model server tells of its models.
func (c *call) savedModelStatuses() (list []tfs.SavedModelStatus, err error) {
	statuses := c.In.Object("statuses")
	for _, s := range statuses.Items {
		status := tfs.SavedModelStatus{Name: s.Key, Missing: s.Value == "int"}
		if !status.Missing {
			if status.Status.State, err = stateOf(statuses, s.Key); err != nil {
				return nil, err
			}
		}
		list = append(list, status)
	}
	return list, nil
}

func (c *call) syncModels() (any, error) {
	statuses, errStatuses := c.savedModelStatuses()
	a, zk, err := c.newAgentV3(func(string) tfs.ModelServerProcess { return serverStub{statuses: statuses} })
	if err = cmp.Or(err, errStatuses); err != nil {
		return nil, err
	}
	if err := a.Backend().Start(); err != nil {
		return nil, err
	}
	result := caseworld.Attempt(nil, a.SyncAvailableSavedModels())
	writes := zk.Take()
	sort.SliceStable(writes, func(i, j int) bool {
		if a, b := caseworld.CallName(writes[i]), caseworld.CallName(writes[j]); a != b {
			return a < b
		}
		return caseworld.CallPath(writes[i]) < caseworld.CallPath(writes[j])
	})
	if writes == nil {
		writes = []any{}
	}
	return caseworld.Object("result", result, "writes", writes, "available", modelNames(a.Backend().Available())), nil
}

func (c *call) wrapperCommand() (any, error) {
	w, err := c.wrapper(c.In.Str("model_config_file"), "/log")
	if err != nil {
		return nil, err
	}
	cmd := w.Command()
	return caseworld.Object("cmd", cmd, "flags", strings.Split(cmd, " ")), nil
}

// wrapper makes the wrapper of a model server that the case describes. The server's program is a
// file named None (Q149).
func (c *call) wrapper(configFile, logFile string) (*tfs.TFSWrapper, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	if c.In.Has("grpc_port") {
		conf.TFSPortArchon, conf.TFSPortGRPC = pysem.Some(c.In.Integer("archon_port")), pysem.Some(c.In.Integer("grpc_port"))
		conf.TFSPortHTTP = pysem.Some(c.In.Integer("http_port"))
	}
	content := "a model server"
	if c.In.Flag("is_grpc_remote_op") {
		content = "PredictionServiceGrpc" // the text that the wrapper looks for
	}
	c.Dir.Put("None", []byte(content))
	return tfs.NewTFSWrapper(c.Env, conf, configFile, logFile), nil
}

func (c *call) wrapperSequence() (any, error) {
	server := &wrappedServer{Processes: c.Env.Processes, exited: c.Env.Tasks.NewCond("end of the model server")}
	c.Env.Processes, c.Env.Models = server, noModelServers{}
	w, err := c.wrapper("models.cfg", "tfs.log")
	if err != nil {
		return nil, err
	}
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: caseworld.Do{
		"start": func() ([]any, error) {
			err := w.Start()
			return []any{server.command.Args, server.command.Output}, err
		},
		"stop": w.Stop,
		"poll": func() any {
			if code, done := w.Poll(); done {
				return code
			}
			return nil
		},
		"end": func(code int) { server.code, server.done = code, true },
	}})), nil
}

// wrappedServer is the fake process that a wrapper runs. It ends when it is killed, or when a step
// ends it.
type wrappedServer struct {
	env.Processes
	command env.Command
	code    int
	done    bool
	exited  env.Cond
}

func (p *wrappedServer) Start(cmd env.Command) (env.Process, error) {
	p.command, p.code, p.done = cmd, 0, false
	return p, nil
}

func (p *wrappedServer) Pid() int          { return 1 }
func (p *wrappedServer) Poll() (int, bool) { return p.code, p.done }
func (p *wrappedServer) Exited() env.Cond  { return p.exited }

func (p *wrappedServer) Signal(sig env.Signal) error {
	p.code, p.done = -int(sig), true
	return nil
}

// modelStatus asks a wrapper for the status of models. The model server behind it reports what the
// case says.
func (c *call) modelStatus() (any, error) {
	c.Env.Processes = &wrappedServer{Processes: c.Env.Processes}
	c.Env.Models = modelServers{c.In}
	w, err := c.wrapper(caseworld.CaseDir+"/models.cfg", "tfs.log")
	if err != nil {
		return nil, err
	}
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
	list := lists.Map(statuses, func(s tfs.SavedModelStatus) any { return []any{s.Name, statusValue(s, true)} })
	return caseworld.Object("names", names, "status", list), nil
}

// statusValue encodes the status of a model version, or 0 if there is none. hasStatus adds the
// error code and the message, even if they are empty.
func statusValue(s tfs.SavedModelStatus, hasStatus bool) any {
	if s.Missing {
		return 0
	}
	m := &apis.ModelVersionStatus{Version: s.Status.Version, State: apis.ModelVersionStatus_State(s.Status.State)}
	if hasStatus {
		m.Status = &util.StatusProto{ErrorCode: tfcore.Code(s.Status.Status.Code), ErrorMessage: s.Status.Status.Message}
	}
	return caseworld.PB(m)
}

// modelServers reports the case's versions for every model, or fails with the case's gRPC code.
type modelServers struct{ in caseworld.Arguments }

func (m modelServers) Dial(string) env.ModelServer { return m }

func (m modelServers) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	if failure, ok := m.in.Value("versions").(*pysem.Dict); ok {
		name := caseworld.Arguments{Dict: failure, Where: "in.versions"}.Str("rpc_error")
		for code := rpcerrors.OK; code <= rpcerrors.Unauthenticated; code++ {
			if code.String() == name {
				return nil, &env.RPCError{Code: code, Message: spec.Name + " failed"}
			}
		}
		caseworld.BadCasef("in.versions.rpc_error: found %q, want the name of a gRPC status code", name)
	}
	var list []env.ModelVersionStatus
	for _, v := range m.in.List("versions") {
		version, err := versionStatus(caseworld.Step{Arguments: m.in}, v)
		if err != nil {
			// The wrapper catches errors of the call, but this one is raised while the reply is
			// made.
			panic(err)
		}
		list = append(list, version)
	}
	return list, nil
}

func (m modelServers) Reload([]byte, time.Duration) (env.StatusProto, error) {
	return env.StatusProto{}, nil
}

func (m modelServers) Close() {}

func (c *call) fakeWrapper() (any, error) {
	w := tfstest.NewFakeTFSWrapper(c.Env, caseworld.CaseDir+"/models.cfg", c.Quirks)
	names, errNames := w.ListSavedModels()
	statuses, errStatuses := w.ListSavedModelsStatus()
	byName := caseworld.Object()
	for _, s := range statuses {
		byName.Set(s.Name, statusValue(s, false))
	}
	var poll any
	if code, done := w.Poll(); done {
		poll = code
	}
	return caseworld.Object("names", caseworld.Attempt(names, errNames), "status", caseworld.Attempt(byName, errStatuses), "poll", poll), nil
}
