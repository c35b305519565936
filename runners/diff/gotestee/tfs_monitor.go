package gotestee

import (
	"errors"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// tfsMonitorOps holds the operations of section 12 of the protocol, on tfs_monitor.py.
var tfsMonitorOps = table{
	"tfs_monitor.TFSMonitor.get_addr":         caseworld.With((*call).config, (*call).monitorAddr),
	"tfs_monitor.TFSMonitor.gen_model_config": caseworld.With((*call).config, (*call).monitorConfigs),
	"tfs_monitor.TFSMonitor.sequence":         (*call).monitorSequence,
}

func (c *call) monitorAddr(conf *agentconfig.AgentConfig) (any, error) {
	m := tfs.NewTFSMonitor(c.Env, conf)
	addrs, types := []any{}, []any{}
	for _, name := range c.In.Strings("names") {
		addrs = append(addrs, []any{name, caseworld.Attempt(m.Addr(name))})
		kind, err := m.ServiceType(name)
		types = append(types, []any{name, caseworld.Attempt(pysem.OptString{V: kind, Set: kind != ""}, err)})
	}
	return caseworld.Object("get_addr", addrs, "get_service_type", types, "host", caseworld.Attempt(m.Host(), nil)), nil
}

// serverKinds lists the kinds of model servers that a container can have.
var serverKinds = []string{agentconfig.ServerEntry, agentconfig.ServerPS, agentconfig.ServerDense}

func (c *call) monitorConfigs(conf *agentconfig.AgentConfig) (any, error) {
	metas, err := publishMetas(c.In.Objects("pms"))
	if err != nil {
		return nil, err
	}
	configs, err := tfs.NewTFSMonitor(c.Env, conf).GenModelConfig(metas, c.In.Flag("fix_dense_version"))
	if err != nil {
		return nil, err
	}
	out := caseworld.Object()
	for _, kind := range serverKinds {
		out.Set(kind, namedConfig(configs.Of(kind)))
	}
	return out, nil
}

// firstServerPort is the port of the first fake server. The others have the next ports.
const firstServerPort = 20001

func (c *call) monitorSequence() (any, error) {
	if c.In.Has("until_ms") {
		return c.runMonitor()
	}
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	for i, kind := range c.In.Strings("servers") {
		c.startFake(firstServerPort + i)
		port := pysem.Some(firstServerPort + i)
		switch kind {
		case agentconfig.ServerEntry:
			conf.TFSEntryPort = port
		case agentconfig.ServerPS:
			conf.TFSPSPort = port
		case agentconfig.ServerDense:
			conf.TFSDensePort = port
		default:
			c.In.Wrong("servers", "entry, ps and dense")
		}
	}
	c.Env.Models = &node.Clients{Proc: c.Life, Host: c.Machine.Net}
	m := tfs.NewTFSMonitor(c.Env, conf)
	m.Start()
	return caseworld.Object("steps", c.Run(caseworld.Sequence{Do: c.monitorSteps(m)})), nil
}

// inactive gives a gRPC error the Python type that the reference's client raises.
func inactive(err error) error {
	if rpc, ok := errors.AsType[*env.RPCError](err); ok {
		return pysem.Raise("_InactiveRpcError", "%v", rpc)
	}
	return err
}

// startFake starts a FakeTFServing without models at a port.
func (c *call) startFake(port int) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.Port, options.InitialConfig, options.FakeBugs = port, &modelconfig.ServerConfig{Kind: modelconfig.ModelList}, true
	node.Start(node.Config{
		Options: options, Proc: c.Machine.Node.NewProcess("fake model server"), Host: c.Machine.Net, Files: c.Machine.FS,
		Dir: "/", Exit: func(int, string) {},
	})
}

func (c *call) monitorSteps(m *tfs.TFSMonitor) caseworld.Do {
	return caseworld.Do{
		"reload": func(kind string, pms []caseworld.Arguments, fixDense bool) (any, error) {
			metas, err := publishMetas(pms)
			if err != nil {
				return nil, err
			}
			configs, err := m.GenModelConfig(metas, fixDense)
			if err != nil {
				return nil, err
			}
			return c.reload(m, kind, configs.Of(kind))
		},
		"reload_config": func(s caseworld.Step, kind string) (any, error) {
			list := &config.ModelConfigList{}
			for _, a := range s.Objects("configs") {
				mc, err := modelConfig(a, c.Quirks)
				if err != nil {
					return nil, err
				}
				list.Config = append(list.Config, mc)
			}
			request := &config.ModelServerConfig{}
			if len(list.Config) > 0 {
				request.Config = &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}
			}
			return c.reload(m, kind, request)
		},
		"status_pm": func(pm caseworld.Arguments, fixDense bool) (any, error) {
			metas, err := publishMetas([]caseworld.Arguments{pm})
			if err != nil {
				return nil, err
			}
			statuses, err := m.PublishStatus(metas[0], fixDense)
			list := []any{}
			for _, st := range statuses {
				list = append(list, []any{st.Name, st.Path, caseworld.PB(versionStatusMessage(st.Status))})
			}
			return list, inactive(err)
		},
		"status_name": func(s caseworld.Step) (any, error) { return statusByName(m, s) },
		// The port's types do not allow such a call (tfs_monitor.py:159).
		"status_int": func() error { return pysem.Raise("NotImplementedError", "get_model_status is not implemented!") },
		"start":      m.Start,
		"stop":       m.Stop,
	}
}

// reload sends a config. In a case without until_ms it then waits 10 ms, so that the fake servers
// load before their next tick, which comes every 30 s.
func (c *call) reload(m *tfs.TFSMonitor, kind string, request *config.ModelServerConfig) (any, error) {
	status, err := m.Reload(kind, request)
	if !c.In.Has("until_ms") {
		c.Env.Tasks.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, inactive(err)
	}
	return caseworld.Object("status", caseworld.PB(statusMessage(status)), "config", caseworld.PB(proto.Clone(request))), nil
}

func statusByName(m *tfs.TFSMonitor, s caseworld.Step) (any, error) {
	asked, err := agentconfig.GenModelSpec(s.Str("name"), s.Value("version"), s.OptStr("signature_name"))
	if err != nil {
		return nil, err
	}
	spec := env.ModelSpec{Name: asked.GetName(), Signature: asked.GetSignatureName(), Label: asked.GetVersionLabel()}
	if version := asked.GetVersion(); version != nil {
		spec.HasVersion, spec.Version = true, version.GetValue()
	}
	versions, err := m.StatusOf(spec)
	list := lists.Map(versions, func(v env.ModelVersionStatus) any { return caseworld.PB(versionStatusMessage(v)) })
	return list, inactive(err)
}

// statusMessage encodes a status. It replaces messages in gRPC's own wording by a placeholder.
func statusMessage(s env.StatusProto) *util.StatusProto {
	message := s.Message
	if strings.Contains(message, "connect") {
		message = "<GRPC DETAILS>"
	}
	return &util.StatusProto{ErrorCode: tfcore.Code(s.Code), ErrorMessage: message}
}

func versionStatusMessage(v env.ModelVersionStatus) *apis.ModelVersionStatus {
	return &apis.ModelVersionStatus{
		Version: v.Version, State: apis.ModelVersionStatus_State(v.State), Status: statusMessage(v.Status),
	}
}

// slowServer is a fake model server that takes time to answer. It has one version of every model.
type slowServer struct {
	s         *stage
	answersMs []int
	asked     int
}

// runMonitor makes several threads ask one monitor at the same time.
func (c *call) runMonitor() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	s := &stage{c: c, begin: c.Env.Clock.Elapsed(), log: []any{}}
	c.Env.Models = &slowServer{s: s, answersMs: c.In.Ints("answers_ms")}
	m := tfs.NewTFSMonitor(c.Env, conf)
	m.Start()
	for _, e := range c.steppedEvents() {
		s.after(e.at, e.step.Name, func() {
			s.note(e.step.Name, caseworld.Attempt(c.DoStep(caseworld.Sequence{Do: c.monitorSteps(m)}, e.step)))
		})
	}
	c.Life.Sleep(ms(c.In.Integer("until_ms")))
	s.over = true
	return caseworld.Object("log", s.log), nil
}

func (v *slowServer) Dial(string) env.ModelServer { return v }

func (v *slowServer) takeTime(method string, model any) {
	n := v.answersMs[v.asked%len(v.answersMs)]
	v.asked++
	v.s.note("asked", []any{method, model})
	v.s.c.Env.Tasks.Sleep(ms(n))
	v.s.note("answered", []any{method, model})
}

func (v *slowServer) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	v.takeTime("GetModelStatus", spec.Name)
	return []env.ModelVersionStatus{{Version: 7, State: env.StateAvailable}}, nil
}

func (v *slowServer) Reload([]byte, time.Duration) (env.StatusProto, error) {
	v.takeTime("HandleReloadConfigRequest", nil)
	return env.StatusProto{}, nil
}

func (*slowServer) Close() {}
