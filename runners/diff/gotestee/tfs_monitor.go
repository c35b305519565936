package gotestee

import (
	"errors"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
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

// tfsMonitorOps are section 12 of the protocol: tfs_monitor.py.
var tfsMonitorOps = table{
	"tfs_monitor.TFSMonitor.get_addr":         (*call).monitorAddr,
	"tfs_monitor.TFSMonitor.gen_model_config": (*call).monitorConfigs,
	"tfs_monitor.TFSMonitor.sequence":         (*call).monitorSequence,
}

func (c *call) monitorAddr() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	m := tfs.NewTFSMonitor(c.Env, conf)
	addrs, types := []any{}, []any{}
	for _, name := range c.In.Strings("names") {
		addr, err := m.Addr(name)
		addrs = append(addrs, []any{name, caseworld.Attempt(addr, err)})
		kind, err := m.ServiceType(name)
		types = append(types, []any{name, caseworld.Attempt(pysem.OptString{V: kind, Set: kind != ""}, err)})
	}
	return caseworld.Object("get_addr", addrs, "get_service_type", types, "host", caseworld.Attempt(m.Host(), nil)), nil
}

// serverKinds are the servers of a container.
var serverKinds = []string{agentconfig.ServerEntry, agentconfig.ServerPS, agentconfig.ServerDense}

func (c *call) monitorConfigs() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
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

// firstServerPort is that of the first fake server; the others follow.
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
	out := []any{}
	for _, s := range c.In.Steps("steps") {
		out = append(out, c.monitorAttempt(m, s))
	}
	return caseworld.Object("steps", out), nil
}

func (c *call) monitorAttempt(m *tfs.TFSMonitor, s caseworld.Step) any {
	v, err := c.monitorStep(m, s)
	var rpc *env.RPCError
	if errors.As(err, &rpc) {
		err = pysem.Raise("_InactiveRpcError", "%v", rpc)
	}
	return caseworld.Attempt(v, err)
}

// startFake starts a FakeTFServing with an empty config.
func (c *call) startFake(port int) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.Port, options.InitialConfig, options.FakeBugs = port, &modelconfig.ServerConfig{Kind: modelconfig.ModelList}, true
	node.Start(node.Config{
		Options: options, Proc: c.Machine.Node.NewProcess("fake model server"), Host: c.Machine.Net, Files: c.Machine.FS,
		Dir: "/", Exit: func(int, string) {},
	})
}

func (c *call) monitorStep(m *tfs.TFSMonitor, s caseworld.Step) (any, error) {
	switch s.Name {
	case "reload":
		metas, err := publishMetas(s.Objects("pms"))
		if err != nil {
			return nil, err
		}
		configs, err := m.GenModelConfig(metas, s.Flag("fix_dense_version"))
		if err != nil {
			return nil, err
		}
		return c.reload(m, s.Str("service_type"), configs.Of(s.Str("service_type")))
	case "reload_config":
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
		return c.reload(m, s.Str("service_type"), request)
	case "status_pm":
		metas, err := publishMetas([]caseworld.Arguments{s.Object("pm")})
		if err != nil {
			return nil, err
		}
		statuses, err := m.PublishStatus(metas[0], s.Flag("fix_dense_version"))
		list := []any{}
		for _, st := range statuses {
			list = append(list, []any{st.Name, st.Path, caseworld.PB(versionStatusMessage(st.Status))})
		}
		return list, err
	case "status_name":
		return statusByName(m, s)
	case "status_int":
		// The port's types leave no other way to ask for it (tfs_monitor.py:159).
		return nil, pysem.Raise("NotImplementedError", "get_model_status is not implemented!")
	case "start":
		m.Start()
		return nil, nil
	case "stop":
		m.Stop()
		return nil, nil
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

// reload sends a config and lets the fakes settle; their 30 s tick never comes.
func (c *call) reload(m *tfs.TFSMonitor, kind string, request *config.ModelServerConfig) (any, error) {
	status, err := m.Reload(kind, request)
	if !c.In.Has("until_ms") {
		c.Env.Tasks.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	return caseworld.Object("status", caseworld.PB(statusMessage(status)), "config", caseworld.PB(proto.Clone(request))), nil
}

func statusByName(m *tfs.TFSMonitor, s caseworld.Step) (any, error) {
	spec := env.ModelSpec{Name: s.Str("name"), Signature: s.OptStr("signature_name").V}
	switch v := s.Value("version").(type) {
	case nil:
	case int:
		spec.HasVersion, spec.Version = true, int64(v)
	case string:
		spec.Label = v
	default:
		s.Wrong("version", "an int, a string or null")
	}
	versions, err := m.StatusOf(spec)
	list := []any{}
	for _, v := range versions {
		list = append(list, caseworld.PB(versionStatusMessage(v)))
	}
	return list, err
}

// statusMessage hides gRPC's own wording.
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
