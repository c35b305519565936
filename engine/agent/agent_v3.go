package agent

import (
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/service"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// Intervals of the two reporting tasks of agent v3 (agent_v3.py:180-182).
const (
	serviceInfoPeriod = 60 * time.Second
	bindingPeriod     = 30 * time.Second
)

// AgentV3 serves the models that a layout in ZooKeeper lists, with a model server of its own
// (agent_v3.py:50). When the layout changes, it rewrites the model config file, which the server
// polls. It registers in ZooKeeper that its container has the models that are AVAILABLE on the
// server.
type AgentV3 struct {
	e           *env.Env
	conf        *agentconfig.AgentConfig
	configPath  string
	server      tfs.ModelServerProcess
	filters     []agentconfig.LayoutFilter
	container   datadef.Container
	serviceInfo *datadef.ContainerServiceInfo
	backend     *backends.ZKBackend
	service     *service.AgentService
	exit        *threading.Event
	threads     *threading.Group
}

// AgentV3Options replaces parts of an agent v3, as the reference's tests do; the zero value
// replaces none.
type AgentV3Options struct {
	// Server makes the model server beside the agent. The server reads the model config file at
	// configPath. nil means tfs.NewTFSWrapper.
	Server func(configPath string) tfs.ModelServerProcess
	// ZooKeeper is the client to use; nil makes a client for conf's zk_servers.
	ZooKeeper env.ZooKeeper
}

// NewAgentV3 makes an agent without starting it, and an empty model config file
// (agent_v3.py:54-120). A deploy type other than unified, or a version other than 3, is an
// AssertionError.
func NewAgentV3(e *env.Env, conf *agentconfig.AgentConfig, tfsLog string, o AgentV3Options) (*AgentV3, error) {
	if conf.DeployType != agentconfig.DeployUnified {
		return nil, pysem.Raise("AssertionError", "agent v3 only supports unifed deploy_type")
	}
	if !conf.IsVersion(3) {
		return nil, pysem.Raise("AssertionError", "agent version %s unexpected", conf.Version())
	}
	a := &AgentV3{e: e, conf: conf, exit: threading.NewEvent(e.Tasks, "exit of the agent"), threads: threading.NewGroup(e.Tasks)}
	for _, sig := range []env.Signal{env.SIGTERM, env.SIGINT} {
		e.Processes.Notify(sig, func() {
			e.Log.Logf(env.Info, "catch signal %d, frame <frame>", int(sig))
			a.exit.Set()
		})
	}
	a.configPath = e.Files.TempFile()
	if err := e.Files.WriteFile(a.configPath, []byte("model_config_list {}")); err != nil {
		return nil, err
	}
	if o.Server == nil {
		o.Server = func(path string) tfs.ModelServerProcess { return tfs.NewTFSWrapper(e, conf, path, tfsLog) }
	}
	a.server = o.Server(a.configPath)
	if err := a.readFilters(); err != nil {
		return nil, err
	}
	a.container = datadef.Container{Cluster: conf.ContainerCluster(), ID: conf.ContainerID()}
	if err := a.describe(); err != nil {
		return nil, err
	}
	if o.ZooKeeper == nil {
		o.ZooKeeper = e.ZooKeeper.NewClient(conf.ZKServers.V, envutils.ZooKeeperOptions(e.Host, conf.Quirks.Keeps(quirks.Q322)))
	}
	a.backend = backends.NewZKBackend(e, conf.Bzid.String(), o.ZooKeeper)
	a.backend.Quirks = conf.Quirks
	a.service = service.NewAgentService(e, conf.AgentPort.V, service.AnswersV3{Env: e, Conf: conf, Addrs: a.addresses})
	return a, nil
}

// readFilters splits each layout filter at its first semicolon into pattern and condition
// (agent_v3.py:72-81). A filter without a semicolon is a ValueError (Q22). Without filters nobody
// asks for the shard, so that a wrong SHARD_ID goes unnoticed.
func (a *AgentV3) readFilters() error {
	given, _ := a.conf.Get("layout_filters")
	if !pysem.Truth(given) {
		return nil
	}
	shard, err := a.conf.ShardID()
	if err != nil {
		return err
	}
	shards, err := a.conf.AtLeast("num_shard", 1)
	if err != nil {
		return err
	}
	filters, err := pysem.Items(given)
	if err != nil {
		return err
	}
	replace := strings.NewReplacer("${shard_id}", strconv.Itoa(max(shard, 0)), "${shard_num}", shards)
	for _, raw := range filters {
		filter, ok := raw.(string)
		if !ok {
			return pysem.AttributeError(raw, "replace")
		}
		match, condition, ok := strings.Cut(replace.Replace(filter), ";")
		if !ok {
			if a.conf.Quirks.Keeps(quirks.Q22) {
				return pysem.UnpackError(2, 1)
			}
			condition = "True"
		}
		f, err := agentconfig.NewLayoutFilter(agentconfig.NormalizeRegex(match), condition)
		if err != nil {
			return err
		}
		a.filters = append(a.filters, f)
	}
	return nil
}

// describe fills in the container's service info, which other containers read (agent_v3.py:86-98).
func (a *AgentV3) describe() error {
	layout, err := a.conf.LayoutPath()
	if err != nil {
		return err
	}
	filters := lists.Map(a.filters, func(f agentconfig.LayoutFilter) any { return f.Match + ";" + f.Condition })
	debug := &pysem.Dict{}
	debug.Set("layout_path", layout)
	debug.Set("layout_filters", filters)
	ip := agentconfig.LocalIP(a.e)
	a.serviceInfo = &datadef.ContainerServiceInfo{
		GRPC:      pysem.Some(ip + ":" + a.conf.Text("tfs_port_grpc")),
		HTTP:      pysem.Some(ip + ":" + a.conf.Text("tfs_port_http")),
		Archon:    pysem.Some(ip + ":" + a.conf.Text("tfs_port_archon")),
		Agent:     pysem.Some(ip + ":" + a.conf.Text("agent_port")),
		IDC:       a.conf.IDC(),
		DebugInfo: pysem.Some(string(pysem.AppendJSON(nil, debug))),
	}
	return nil
}

// addresses returns the addresses of all models, in the form in which HeartBeat answers them.
func (a *AgentV3) addresses() ([]service.ModelAddresses, error) {
	return a.AddressMap(a.backend.ServiceMap())
}

// AddressMap lists the addresses of each sub-graph in services (agent_v3.py:106). They are the
// addresses for gRPC or for archon, whichever the model server was built for. It returns an error
// if it cannot find out which.
func (a *AgentV3) AddressMap(services backends.ServiceMap) ([]service.ModelAddresses, error) {
	var list []service.ModelAddresses
	for _, m := range services {
		for _, g := range m.SubGraphs {
			entry := service.ModelAddresses{Name: m.Model + ":" + g.SubGraph}
			for _, info := range g.Services {
				grpc, err := a.server.IsGRPCRemoteOp()
				if err != nil {
					return nil, err
				}
				entry.Addrs = append(entry.Addrs, info.Address(grpc))
			}
			list = append(list, entry)
		}
	}
	return list, nil
}

// SyncAvailableSavedModels binds the container to the models that are AVAILABLE on its server
// (agent_v3.py:118). A single model without any version stops the round (Q27). A task calls it
// every 30 s once the agent is started.
//
// Cost: a round grows with the models of the config file, with one status call after another. A
// slow server makes it longer.
func (a *AgentV3) SyncAvailableSavedModels() error {
	statuses, err := a.server.ListSavedModelsStatus()
	if err != nil {
		return err
	}
	var available []datadef.SavedModel
	for _, s := range statuses {
		if s.Missing && !a.conf.Quirks.Keeps(quirks.Q27) {
			continue
		}
		state, err := s.State()
		if err != nil {
			return err
		}
		if state != env.StateAvailable {
			continue
		}
		model, err := backends.ParseSavedModel(s.Name)
		if err != nil {
			return err
		}
		available = append(available, model)
	}
	return a.backend.SyncAvailableSavedModels(a.container, available)
}

// LayoutUpdated writes the models that the filters accept to the model config file
// (agent_v3.py:128). The backend calls it for each change of the layout. The file is written in
// place, while the server may be reading it (Q31).
//
// Cost: a write grows with the models of the layout, and each change writes the whole file. So m
// models that are added one by one cost m² entries.
func (a *AgentV3) LayoutUpdated(models []backends.LayoutModel) error {
	a.e.Log.Logf(env.Info, "layout callback with saved_models: %v", pylog.Later(func() string { return reprOfLayout(models) }))
	list := &config.ModelConfigList{}
	for _, m := range models {
		ok, err := a.accepts(m.Model)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		mc, err := agentconfig.GenModelConfig(agentconfig.ModelConfigArgs{Name: m.Model.String(), BasePath: m.Deploy.ModelBasePath, VersionPolicy: m.Deploy.VersionPolicy, VersionData: 1, Quirks: a.conf.Quirks})
		if err != nil {
			return err
		}
		list.Config = append(list.Config, mc)
	}
	text, err := textpb.Marshal(&config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: list}})
	if err != nil {
		return err
	}
	a.e.Log.Logf(env.Info, "writing model server_config: %s", text)
	return a.e.Files.WriteFile(a.configPath, []byte(text))
}

// reprOfLayout returns the layout as Python's repr of a list of tuples.
func reprOfLayout(models []backends.LayoutModel) string {
	texts := lists.Map(models, func(m backends.LayoutModel) string { return "(" + m.Model.String() + ", " + m.Deploy.Repr() + ")" })
	return "[" + strings.Join(texts, ", ") + "]"
}

// accepts reports whether a model's sub-graph is for this container. Without filters every
// sub-graph is. A filter matches by prefix (Q23). The first filter that matches and whose condition
// holds decides.
func (a *AgentV3) accepts(model datadef.SavedModel) (bool, error) {
	if len(a.filters) == 0 {
		return true, nil
	}
	for i := range a.filters {
		f := &a.filters[i]
		accepted, err := f.Accepts(model.SubGraph)
		if accepted {
			a.e.Log.Logf(env.Info, "loading %s with rule %s:%s", model, f.Match, f.Condition)
		}
		if accepted || err != nil {
			return accepted, err
		}
	}
	return false, nil
}

// background runs fn now, and then every interval until the agent ends. Errors of fn are logged
// (agent_v3.py:160).
func (a *AgentV3) background(name string, interval time.Duration, fn func() error) {
	a.threads.Go(name, func() {
		loop := threading.NewLoop(a.e.Tasks, interval)
		turn := func() bool {
			if a.exit.IsSet() {
				return false
			}
			if err := fn(); err != nil {
				a.e.Log.Logf(env.Error, "error in bg thread: %s", pylog.Text(err))
			}
			return true
		}
		if turn() {
			loop.Run(turn)
		}
	})
}

// Start starts the server, the backend and the service. Then it starts the tasks that report the
// service info every 60 s and the bindings every 30 s, and follows the layout (agent_v3.py:174). It
// returns the first error, and leaves running what was started before (Q209). If the server reads
// its config file before the layout is in it, it reads the file again only 60 s later (Q323).
func (a *AgentV3) Start() error {
	steps := []func() error{a.server.Start, a.backend.Start, a.service.Start, a.startTasks, a.followLayout}
	if !a.conf.Quirks.Keeps(quirks.Q323) {
		steps = []func() error{a.backend.Start, a.followLayout, a.server.Start, a.service.Start, a.startTasks}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// startTasks starts the two tasks that report to ZooKeeper.
func (a *AgentV3) startTasks() error {
	a.background("service info", serviceInfoPeriod, func() error {
		return a.backend.ReportServiceInfo(a.container, a.serviceInfo)
	})
	a.background("bindings", bindingPeriod, func() error {
		if err := a.backend.LookAgain(); err != nil {
			a.e.Log.Logf(env.Error, "error in bg thread: %s", pylog.Text(err))
		}
		return a.SyncAvailableSavedModels()
	})
	return nil
}

// followLayout watches the layout, so that the server serves what it lists.
func (a *AgentV3) followLayout() error {
	layout, err := a.conf.LayoutPath()
	if err != nil {
		return err
	}
	err = a.backend.RegisterLayoutCallback(layout, a.LayoutUpdated)
	if err != nil && !a.conf.Quirks.Keeps(quirks.Q209) && a.conf.Quirks.Keeps(quirks.Q323) {
		a.Stop() // stops the parts that were started so far
	}
	return err
}

// Stop first ends the tasks, which may sleep for up to 60 s more (Q29). Then it ends the service,
// the backend and the model server (agent_v3.py:187).
func (a *AgentV3) Stop() {
	a.exit.Set()
	a.join()
	a.service.Stop()
	a.backend.Stop()
	if err := a.server.Stop(); err != nil {
		a.e.Log.Logf(env.Warning, "%s", pylog.Text(err))
	}
}

// join waits for the tasks. With Q29 repaired it does not wait: they end when they wake up.
func (a *AgentV3) join() {
	if a.conf.Quirks.Keeps(quirks.Q29) {
		a.threads.Join()
	}
}

// WaitForTermination waits for SIGTERM, SIGINT or the end of the model server. Then it stops the
// agent and kills its own process (agent_v3.py:200). So it does not return (Q30).
func (a *AgentV3) WaitForTermination() error {
	loop := threading.NewLoop(a.e.Tasks, time.Second)
	turn := func() bool {
		if !a.over() {
			return true
		}
		a.Stop()
		a.e.Tasks.Sleep(time.Second)
		a.e.Processes.Exit(-int(env.SIGKILL))
		return false
	}
	if a.exit.IsSet() {
		turn()
	}
	loop.Run(turn)
	return nil
}

// over reports whether the agent should stop, because of a signal or because its model server has
// ended.
func (a *AgentV3) over() bool {
	_, ended := a.server.Poll()
	return ended || a.exit.IsSet()
}

// Backend returns the backend through which the agent reads and writes ZooKeeper.
func (a *AgentV3) Backend() *backends.ZKBackend { return a.backend }

// Container returns the agent's container as it is named in ZooKeeper.
func (a *AgentV3) Container() datadef.Container { return a.container }

// ServiceInfo returns the container's addresses, which the agent publishes for other containers.
func (a *AgentV3) ServiceInfo() *datadef.ContainerServiceInfo { return a.serviceInfo }

// ModelServer returns the model server beside the agent.
func (a *AgentV3) ModelServer() tfs.ModelServerProcess { return a.server }

// ConfigPath returns the path of the model config file, which the agent writes and its
// server polls.
func (a *AgentV3) ConfigPath() string { return a.configPath }

// LayoutFilters returns a pair of pattern and condition for each layout filter, with shard numbers
// filled in.
func (a *AgentV3) LayoutFilters() [][2]string {
	return lists.Map(a.filters, func(f agentconfig.LayoutFilter) [2]string { return [2]string{f.Match, f.Condition} })
}

// Conf returns the agent's configuration. Do not change it.
func (a *AgentV3) Conf() *agentconfig.AgentConfig { return a.conf }
