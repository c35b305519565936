package simrun

import (
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/world"
)

// Cluster is one simulated cluster, as [Runner.Build] makes it. It implements
// runners.Cluster, runners.Caller and runners.Tracer, where the contracts of its
// methods are.
type Cluster struct {
	operator.Agents
	operator.Layouts

	runner *Runner
	spec   runners.Spec
	pods   []runners.Pod
	world  *world.World
	quirks quirks.Set
	// agents are those that the last start of a pod has made, by pod.
	agents map[string][]startedAgent
	// monitors are TFSMonitors by the model server that they ask.
	monitors map[*world.ModelServer]*monitor
	log      []runners.Observation
	// With details: the number of observations so far, and of the event and the cause of
	// the last one.
	seen  int
	event uint64
	cause int
	// origin is the last observation that may lead to others, by its number.
	origin int
	// endings are of faults that end by themselves.
	endings operator.Endings
	// training is what is known of the training job.
	training *trainingState
}

func (r *Runner) build(spec runners.Spec) (*Cluster, error) {
	c := &Cluster{runner: r, spec: spec, pods: spec.Pods(), agents: map[string][]startedAgent{}, monitors: map[*world.ModelServer]*monitor{}, training: newTrainingState()}
	var err error
	if spec.Quirks == "" {
		spec.Quirks = "python"
	}
	if c.quirks, err = quirks.Parse(spec.Quirks); err != nil {
		return nil, err
	}
	if spec.Training != nil {
		c.training.watch(c)
	}
	c.Agents = operator.Agents{Call: c.callAgent}
	c.Layouts = operator.Layouts{Conf: c.confName(), Session: c.withZooKeeper}
	if c.world, err = world.New(spec, c.options()); err != nil {
		return nil, err
	}
	if err := c.readConf(); err != nil {
		c.world.Close()
		return nil, err
	}
	return c, nil
}

// options are what the agents' code, and whoever watches, adds to a world.
func (c *Cluster) options() world.Options {
	return world.Options{
		Agent: c.runAgent, Trainer: c.runTrainer, Observe: c.observed, CheckOwner: c.runner.CheckOwner, Traffic: c.runner.Traffic,
		Shared: c.runner.Shared,
		Logs: &hosts.Logs{Level: c.logLevel(), OnLine: func(l hosts.Line) {
			o := runners.Observation{At: l.At, Pod: l.Host, Op: "log." + strings.ToLower(l.Level.String()), Path: l.Process, Note: l.Text}
			if c.spec.Detail {
				o.ID = int64(l.Pid)
			}
			c.observed(o)
		}},
	}
}

func (c *Cluster) logLevel() env.Level {
	if c.spec.Detail {
		return env.Info
	}
	return env.Error
}

// readConf takes from the configuration what an operator needs to know.
func (c *Cluster) readConf() error {
	if len(c.pods) == 0 && (c.spec.BareServer != nil || c.spec.Training != nil) {
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
		err = agentconfig.ParseConf(e, world.ConfPath, &args, c.quirks)
	}
	if err != nil {
		return &runners.SpecError{Where: c.confName(), Found: err.Error(), Want: "an agent.conf"}
	}
	text := func(key string) string {
		v, _ := args.Get(key)
		s, _ := v.(string)
		return s
	}
	c.Layouts.BZID, c.Layouts.Pattern = text("bzid"), text("layout_pattern")
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

// observed takes an observation down. With details it is linked to what led to it, and
// is what leads to whatever follows.
func (c *Cluster) observed(o runners.Observation) {
	if c.seen++; c.spec.Detail {
		o.Cause = c.causeOf()
		if !strings.HasPrefix(o.Op, "log.") { // what is said leads to nothing
			c.world.Engine().SetOrigin(uint64(c.seen))
			c.origin = c.seen
		}
	}
	if c.training.check != nil {
		c.training.check.Observe(o)
	}
	if c.runner.OnObservation != nil {
		c.runner.OnObservation(o)
	}
	if c.runner.KeepLog == 0 || len(c.log) < c.runner.KeepLog || c.spec.Detail && c.runner.OnObservation == nil {
		c.log = append(c.log, o)
	}
}

// causeOf is the cause of the next observation. Those of one event did not lead to each
// other: they have the cause of the first.
func (c *Cluster) causeOf() int {
	engine := c.world.Engine()
	cause := int(engine.Origin())
	if events := engine.Events(); events != c.event {
		c.event = events
	} else if cause == c.origin {
		return c.cause
	}
	c.cause = cause
	return cause
}

// Remark takes down what is about to be done to the cluster, in a run with details: it
// is the cause of what follows from that.
func (c *Cluster) Remark(text string) {
	c.world.Engine().SetOrigin(0)
	c.event = 0
	c.remark("scenario", "remark", "", text)
	c.event = 0 // what is done now follows from the remark
}

func (c *Cluster) remark(who, op, path, note string) {
	if c.spec.Detail {
		c.observed(runners.Observation{At: c.Now(), Pod: who, Op: op, Path: path, Note: note})
	}
}

// Close ends every task and process of the cluster and frees them. It must be called
// once.
func (c *Cluster) Close() { c.world.Close() }

var _ runners.Cluster = (*Cluster)(nil)
