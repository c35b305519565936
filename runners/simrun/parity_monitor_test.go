package simrun_test

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/tfserving"
)

// modelConfigs is section 12 of the protocol.
func (c *parityCase) modelConfigs() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	configs, err := agent.NewTFSMonitor(c.env, conf).GenModelConfig(publishes(c.t, c.in), isTrue(c.in, "fix_dense_version"))
	if err != nil {
		return nil, err
	}
	out := object()
	for _, server := range []string{agent.ServerEntry, agent.ServerPS, agent.ServerDense} {
		names := []any{}
		for _, m := range configs.Of(server).GetModelConfigList().GetConfig() {
			names = append(names, m.GetName())
		}
		out.Set(server, object("names", names, "config", encodeValue(configs.Of(server))))
	}
	return out, nil
}

// fakeServers are the reference's fakes of model servers by address; another
// address refuses.
type fakeServers struct {
	e       *env.Env
	servers map[string]*tfserving.Server
}

func (f *fakeServers) Dial(addr string) env.ModelServer {
	return &fakeServerClient{e: f.e, server: f.servers[addr]}
}

// settle lets the servers handle all their events.
func (f *fakeServers) settle() { f.e.Tasks.Sleep(time.Second) }

// start starts a server without models.
func (f *fakeServers) start(addr string) {
	options := tfserving.DefaultOptions(tfserving.ProfilePythonFake)
	options.InitialConfig = &tfserving.ServerConfig{Kind: tfserving.ModelList}
	server := tfserving.New(options, &fakeServerHost{e: f.e})
	server.Start()
	f.servers[addr] = server
}

// fakeServerHost has timers that are tasks; a fake needs nothing else.
type fakeServerHost struct {
	tfserving.Host
	e *env.Env
}

func (h *fakeServerHost) Now() time.Duration            { return h.e.Clock.Elapsed() }
func (h *fakeServerHost) Choose(string, int) int        { return 0 }
func (h *fakeServerHost) Log(env.Level, string, ...any) {}
func (h *fakeServerHost) After(d time.Duration, fn func()) func() {
	cancelled := false
	h.e.Tasks.Go("timer", func() {
		h.e.Tasks.Sleep(d)
		if !cancelled {
			fn()
		}
	})
	return func() { cancelled = true }
}

type fakeServerClient struct {
	e      *env.Env
	server *tfserving.Server
}

var errRefused = &env.RPCError{Code: env.Unavailable, Message: "failed to connect to all addresses"}

func (c *fakeServerClient) Status(spec env.ModelSpec, _ time.Duration) ([]env.ModelVersionStatus, error) {
	if c.server == nil {
		return nil, errRefused
	}
	return c.server.Status(spec)
}

func (c *fakeServerClient) Reload(data []byte, _ time.Duration) (env.StatusProto, error) {
	if c.server == nil {
		return env.StatusProto{}, errRefused
	}
	parsed, err := tfserving.ParseServerConfig(data)
	if err != nil {
		return env.StatusProto{}, err
	}
	c.server.Reload(parsed, func(*env.RPCError) {})
	return env.StatusProto{}, nil
}

func (c *fakeServerClient) Close() {}

// monitorSequence is section 12 of the protocol.
func (c *parityCase) monitorSequence() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	r := &monitorRun{parityCase: c, servers: &fakeServers{e: c.env, servers: map[string]*tfserving.Server{}}}
	c.env.Models = r.servers
	r.m = agent.NewTFSMonitor(c.env, conf)
	for _, name := range item(c.in, "servers").([]any) {
		port := map[any]agent.OptInt{"entry": conf.TFSEntryPort, "ps": conf.TFSPSPort, "dense": conf.TFSDensePort}[name]
		r.servers.start(r.m.Host() + ":" + port.String())
	}
	r.servers.settle()
	r.m.Start()
	steps := []any{}
	for _, s := range item(c.in, "steps").([]any) {
		steps = append(steps, attempt(r.do(s.([]any)[0].(string), s.([]any)[1].(*pysem.Dict))))
	}
	return object("steps", steps), nil
}

type monitorRun struct {
	*parityCase
	servers *fakeServers
	m       *agent.TFSMonitor
}

func (r *monitorRun) do(name string, a *pysem.Dict) (any, error) {
	server, fix := text(a, "service_type"), isTrue(a, "fix_dense_version")
	switch name {
	case "start":
		r.m.Start()
		return nil, nil
	case "stop":
		r.m.Stop()
		return nil, nil
	case "reload":
		configs, err := r.m.GenModelConfig(publishes(r.t, a), fix)
		if err != nil {
			return nil, err
		}
		return r.reload(server, configs.Of(server))
	case "reload_config":
		c := &config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: &config.ModelConfigList{}}}
		for _, arguments := range item(a, "configs").([]any) {
			c.GetModelConfigList().Config = append(c.GetModelConfigList().Config, r.modelConfig(arguments.(*pysem.Dict)))
		}
		return r.reload(server, c)
	case "status_pm":
		found, err := r.m.PublishStatus(publishes(r.t, a)[0], fix)
		list := []any{}
		for _, s := range found {
			list = append(list, []any{s.Name, s.Path, encodeValue(statusMessage(s.Status))})
		}
		return list, err
	case "status_name":
		return r.statusName(a)
	}
	panic("monitor step " + name)
}

func (r *monitorRun) reload(server string, c *config.ModelServerConfig) (any, error) {
	status, err := r.m.Reload(server, c)
	if err != nil {
		return nil, err
	}
	r.servers.settle()
	return object("status", encodeValue(statusProto(status)), "config", encodeValue(c)), nil
}

func (r *monitorRun) modelConfig(a *pysem.Dict) *config.ModelConfig {
	args := agent.ModelConfigArgs{Name: text(a, "name"), BasePath: optional(item(a, "base_path")), VersionPolicy: pysem.Some("latest"), VersionData: 1}
	if policy := optional(item(a, "version_policy")); policy.Set {
		args.VersionPolicy = policy
	}
	switch v := item(a, "version_data").(type) {
	case int:
		args.VersionData = v
	case []any:
		for _, n := range v {
			args.Versions = append(args.Versions, n.(int))
		}
	}
	m, err := agent.GenModelConfig(args)
	r.must(err)
	return m
}

func (r *monitorRun) statusName(a *pysem.Dict) (any, error) {
	spec := env.ModelSpec{Name: text(a, "name"), Signature: text(a, "signature_name")}
	switch v := item(a, "version").(type) {
	case int:
		spec.HasVersion, spec.Version = true, int64(v)
	case string:
		spec.Label = v
	}
	versions, err := r.m.StatusOf(spec)
	list := []any{}
	for _, v := range versions {
		list = append(list, encodeValue(statusMessage(v)))
	}
	return list, err
}

func statusProto(s env.StatusProto) *util.StatusProto {
	if strings.Contains(s.Message, "connect") {
		s.Message = "<GRPC DETAILS>"
	}
	return &util.StatusProto{ErrorCode: tfcore.Code(s.Code), ErrorMessage: s.Message}
}

func statusMessage(s env.ModelVersionStatus) proto.Message {
	return &apis.ModelVersionStatus{Version: s.Version, State: apis.ModelVersionStatus_State(s.State), Status: statusProto(s.Status)}
}
