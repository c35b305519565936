package simrun

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/world"
)

// Cluster is one simulated cluster.
type Cluster struct {
	runner *Runner
	spec   runners.Spec
	pods   []runners.Pod
	world  *world.World
	quirks agent.Quirks
	bzid   string
	layout string
	// agents are those that the last start of a pod has made, by pod.
	agents map[string][]startedAgent
	// monitors are TFSMonitors by the model server that they ask.
	monitors map[*world.ModelServer]*monitor
	log      []runners.Observation
	failure  string
}

func (r *Runner) build(spec runners.Spec) (*Cluster, error) {
	c := &Cluster{runner: r, spec: spec, pods: spec.Pods(), agents: map[string][]startedAgent{}, monitors: map[*world.ModelServer]*monitor{}}
	var err error
	if spec.Quirks == "" {
		spec.Quirks = "python"
	}
	if c.quirks, err = agent.ParseQuirks(spec.Quirks); err != nil {
		return nil, err
	}
	if c.world, err = world.New(c.worldSpec(spec)); err != nil {
		return nil, err
	}
	if err := c.readConf(); err != nil {
		c.world.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) worldSpec(spec runners.Spec) world.Spec {
	w := world.Spec{
		Engine: vtime.Config{
			Seed: spec.Seed, Replay: spec.Replay, CheckOwner: c.runner.CheckOwner,
			Trace: vtime.TraceConfig{Record: spec.Record, From: spec.RecordFrom, To: spec.RecordTo},
		},
		Conf: spec.Conf, Shards: max(spec.Shards, 1), Env: map[string]string{},
		ZooKeeper: spec.ZooKeeper, ModelServer: spec.ModelServer, RestartAfter: spec.RestartAfter,
		Cost: costOf(spec.Serving), MemoryLimitBytes: spec.Serving.MemoryLimitBytes,
		FakeBugs: spec.Serving.FakeBugs, NoDefaultModel: spec.Serving.NoDefaultModel,
		Agent: c.runAgent, Observe: c.observed,
		Logs: &hosts.Logs{Level: env.Error, OnLine: func(l hosts.Line) {
			c.observed(world.Observation{At: l.At, Host: l.Host, Op: "log." + strings.ToLower(l.Level.String()), Path: l.Process, Note: l.Text})
		}},
	}
	if len(spec.Choices) > 0 {
		entries := make([]vtime.TapeEntry, len(spec.Choices))
		for i, choice := range spec.Choices {
			entries[i] = vtime.TapeEntry(choice)
		}
		w.Engine.Tape = vtime.NewTape(vtime.TapeOverlay, entries...)
	}
	for _, v := range spec.Env {
		w.Env[v.Key] = v.Value
	}
	for _, p := range c.pods {
		w.Pods = append(w.Pods, world.PodSpec{Name: p.Name, Shard: p.Shard, Replica: p.Replica, IDC: p.Location.IDC, Cluster: p.Location.Cluster})
	}
	if spec.BareServer != nil {
		w.Pods = append(w.Pods, world.PodSpec{Name: runners.BareServer, Shard: spec.Shards, Bare: true, Flags: spec.BareServer.Flags})
	}
	for _, m := range spec.Models {
		model := world.Model{BasePath: m.BasePath}
		for _, g := range m.SubGraphs {
			model.SubGraphs = append(model.SubGraphs, world.SubGraph(g))
		}
		w.Models = append(w.Models, model)
	}
	return w
}

// costOf is nil for the default.
func costOf(serving runners.ServingSpec) *tfserving.CostModel {
	if serving.RetainedPercent == nil && serving.PredictTime == 0 {
		return nil
	}
	cost := tfserving.DefaultCost()
	if serving.RetainedPercent != nil {
		cost.RetainedPercent = float64(*serving.RetainedPercent)
	}
	if serving.PredictTime > 0 {
		cost.PredictTime = serving.PredictTime
	}
	return &cost
}

// readConf takes from the configuration what an operator needs to know.
func (c *Cluster) readConf() error {
	if len(c.pods) == 0 && c.spec.BareServer != nil {
		return nil
	}
	if len(c.pods) == 0 {
		return &runners.SpecError{Where: "pods", Found: "none", Want: "at least one"}
	}
	machine := c.world.Operator()
	life := machine.Node.NewProcess("operator")
	defer life.Crash()
	e := machine.Env(life, nil)
	var args pysem.Dict
	err := machine.FS.WriteTree(map[string]string{world.ConfPath: c.spec.Conf})
	if err == nil {
		err = agent.ParseConf(e.Files, world.ConfPath, &args, c.quirks)
	}
	if err != nil {
		return &runners.SpecError{Where: c.confName(), Found: err.Error(), Want: "an agent.conf"}
	}
	text := func(key string) string {
		v, _ := args.Get(key)
		s, _ := v.(string)
		return s
	}
	c.bzid, c.layout = text("bzid"), text("layout_pattern")
	if c.layout != "" && !strings.HasPrefix(c.layout, "/") {
		c.layout = "/" + c.bzid + "/layouts/" + c.layout
	}
	return nil
}

func (c *Cluster) confName() string {
	if c.spec.ConfName == "" {
		return "agent.conf"
	}
	return c.spec.ConfName
}

// runAgent is the agent's program.
func (c *Cluster) runAgent(e *env.Env, confPath string) {
	pod := e.Host.Hostname()
	c.agents[pod] = nil
	agent.Main(e, agent.Options{ConfPath: confPath, Quirks: c.quirks, Started: func(e *env.Env, a agent.Agent) {
		c.agents[pod] = append(c.agents[pod], startedAgent{a, e.Processes.Pid()})
	}})
}

// startedAgent is an agent and its process; a dense pod has several.
type startedAgent struct {
	agent agent.Agent
	pid   int
}

// agentPort is the port of the first agent of a pod that runs.
func (c *Cluster) agentPort(p *world.Pod) (port int, ok bool) {
	for _, a := range c.agents[p.Name] {
		serving, ok := a.agent.(interface{ AgentPort() int })
		if ok && p.Machine().Procs.Find(a.pid) != nil {
			return serving.AgentPort(), true
		}
	}
	return 0, false
}

func (c *Cluster) observed(o world.Observation) {
	seen := runners.Observation{At: o.At, Pod: o.Host, Op: o.Op, Path: o.Path, Note: o.Note}
	if c.runner.OnObservation != nil {
		c.runner.OnObservation(seen)
	}
	if c.runner.KeepLog == 0 || len(c.log) < c.runner.KeepLog {
		c.log = append(c.log, seen)
	}
}

// Close ends everything.
func (c *Cluster) Close() { c.world.Close() }

// pod finds a pod for an action.
func (c *Cluster) pod(name string) (*world.Pod, error) {
	if p := c.world.Pod(name); p != nil {
		return p, nil
	}
	names := make([]string, len(c.pods))
	for i, p := range c.pods {
		names[i] = p.Name
	}
	return nil, fmt.Errorf("pod: found %q, want one of %s", name, strings.Join(names, ", "))
}

var _ runners.Cluster = (*Cluster)(nil)
