package gotestee

import (
	"errors"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
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
	m := agent.NewTFSMonitor(c.env, conf)
	addrs, types := []any{}, []any{}
	for _, name := range c.in.strings("names") {
		addr, err := m.Addr(name)
		addrs = append(addrs, []any{name, attempt(addr, err)})
		kind, err := m.ServiceType(name)
		types = append(types, []any{name, attempt(agent.OptString{V: kind, Set: kind != ""}, err)})
	}
	return object("get_addr", addrs, "get_service_type", types, "host", attempt(m.Host(), nil)), nil
}

// serverKinds are the servers of a container.
var serverKinds = []string{agent.ServerEntry, agent.ServerPS, agent.ServerDense}

func (c *call) monitorConfigs() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	metas, err := publishMetas(c.in.objects("pms"))
	if err != nil {
		return nil, err
	}
	configs, err := agent.NewTFSMonitor(c.env, conf).GenModelConfig(metas, c.in.flag("fix_dense_version"))
	if err != nil {
		return nil, err
	}
	out := object()
	for _, kind := range serverKinds {
		out.Set(kind, namedConfig(configs.Of(kind)))
	}
	return out, nil
}

// firstServerPort is that of the first fake server; the others follow.
const firstServerPort = 20001

func (c *call) monitorSequence() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	for i, kind := range c.in.strings("servers") {
		c.startFake(firstServerPort + i)
		port := pysem.Some(firstServerPort + i)
		switch kind {
		case agent.ServerEntry:
			conf.TFSEntryPort = port
		case agent.ServerPS:
			conf.TFSPSPort = port
		case agent.ServerDense:
			conf.TFSDensePort = port
		default:
			c.in.wrong("servers", "entry, ps and dense")
		}
	}
	c.env.Models = &tfserving.Clients{Proc: c.life, Host: c.machine.Net}
	m := agent.NewTFSMonitor(c.env, conf)
	m.Start()
	out := []any{}
	for _, s := range c.in.steps("steps") {
		v, err := c.monitorStep(m, s)
		var rpc *env.RPCError
		if errors.As(err, &rpc) {
			err = pysem.Raise("_InactiveRpcError", "%v", rpc)
		}
		out = append(out, attempt(v, err))
	}
	return object("steps", out), nil
}

// startFake starts a FakeTFServing with an empty config.
func (c *call) startFake(port int) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.Port, options.InitialConfig, options.FakeBugs = port, &tfserving.ServerConfig{Kind: tfserving.ModelList}, true
	tfserving.StartNode(tfserving.NodeConfig{
		Options: options, Proc: c.machine.Node.NewProcess("fake model server"), Host: c.machine.Net, Files: c.machine.FS,
		Dir: "/", Exit: func(int, string) {},
	})
}

func (c *call) monitorStep(m *agent.TFSMonitor, s step) (any, error) {
	switch s.name {
	case "reload":
		metas, err := publishMetas(s.objects("pms"))
		if err != nil {
			return nil, err
		}
		configs, err := m.GenModelConfig(metas, s.flag("fix_dense_version"))
		if err != nil {
			return nil, err
		}
		return c.reload(m, s.str("service_type"), configs.Of(s.str("service_type")))
	case "reload_config":
		list := &config.ModelConfigList{}
		for _, a := range s.objects("configs") {
			mc, err := modelConfig(a, c.quirks)
			if err != nil {
				return nil, err
			}
			list.Config = append(list.Config, mc)
		}
		request := &config.ModelServerConfig{}
		if len(list.Config) > 0 {
			request.Config = &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}
		}
		return c.reload(m, s.str("service_type"), request)
	case "status_pm":
		metas, err := publishMetas([]arguments{s.object("pm")})
		if err != nil {
			return nil, err
		}
		statuses, err := m.PublishStatus(metas[0], s.flag("fix_dense_version"))
		list := []any{}
		for _, st := range statuses {
			list = append(list, []any{st.Name, st.Path, pb(versionStatusMessage(st.Status))})
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
	unknownStep(s)
	return nil, nil
}

// reload sends a config and lets the fakes settle; their 30 s tick never comes.
func (c *call) reload(m *agent.TFSMonitor, kind string, request *config.ModelServerConfig) (any, error) {
	status, err := m.Reload(kind, request)
	c.env.Tasks.Sleep(10 * time.Millisecond)
	if err != nil {
		return nil, err
	}
	return object("status", pb(statusMessage(status)), "config", pb(proto.Clone(request))), nil
}

func statusByName(m *agent.TFSMonitor, s step) (any, error) {
	spec := env.ModelSpec{Name: s.str("name"), Signature: s.optStr("signature_name").V}
	switch v := s.value("version").(type) {
	case nil:
	case int:
		spec.HasVersion, spec.Version = true, int64(v)
	case string:
		spec.Label = v
	default:
		s.wrong("version", "an int, a string or null")
	}
	versions, err := m.StatusOf(spec)
	list := []any{}
	for _, v := range versions {
		list = append(list, pb(versionStatusMessage(v)))
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
