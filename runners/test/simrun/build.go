package simrun

import (
	"cmp"
	"iter"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
	"github.com/monosim/monosim/runners/test/simrun/freshness"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/world"
)

// Cluster is one simulated cluster, made by [Runner.Build]. It implements runners.Cluster,
// runners.Caller and runners.Tracer, which document its methods.
type Cluster struct {
	operator.Agents
	operator.Layouts

	runner *Runner
	spec   runners.Spec
	pods   []runners.Pod
	world  *world.World
	quirks quirks.Set
	// agents maps a pod to the agents of its latest start.
	agents map[string][]startedAgent
	// begun counts how often the agents of any pod have changed.
	begun uint64
	// monitors holds one TFSMonitor for each model server that was called through one.
	monitors map[*world.ModelServer]*monitor
	log      []runners.Observation
	// For runs with details: seen counts the observations so far. event and cause belong to the
	// latest observation.
	seen  int
	event uint64
	cause int
	// origin is the number of the latest observation that later ones may name as their cause.
	origin int
	// endings holds the scheduled ends of faults.
	endings operator.Endings
	// training is the state of the training job, nil if there is no job.
	training *trainingState
	// fresh measures how old the job's exports and pushed parameters are in the pods. It is nil if
	// the job neither exports nor pushes.
	fresh *freshness.Meter
	watch watch
	// coroutines holds the coroutines that this cluster has from the runner's Warm, nil without it.
	coroutines *vtime.Coroutines
}

func (r *Runner) build(spec runners.Spec) (*Cluster, error) {
	c := &Cluster{runner: r, spec: spec, pods: spec.Pods(), agents: map[string][]startedAgent{}, monitors: map[*world.ModelServer]*monitor{}, training: newTrainingState()}
	var err error
	spec.Quirks = cmp.Or(spec.Quirks, "python")
	if c.quirks, err = quirks.Parse(spec.Quirks); err != nil {
		return nil, err
	}
	if spec.Training != nil {
		c.training.watch(c)
		c.measure()
	}
	c.Agents = operator.Agents{Call: c.callAgent}
	c.Layouts = operator.Layouts{Conf: c.confName(), Session: c.withZooKeeper}
	c.watch.begin(c)
	c.coroutines = r.Warm.take()
	if c.world, err = world.New(spec, c.options()); err != nil {
		r.Warm.give(c.coroutines)
		return nil, err
	}
	if err := c.readConf(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// options returns the options of the simulated world, such as the agents' main function and
// the observer.
func (c *Cluster) options() world.Options {
	return world.Options{
		Agent: c.runAgent, Trainer: c.runTrainer, Observe: c.observed, CheckOwner: c.runner.CheckOwner, Traffic: c.runner.Traffic,
		History: c.watch.history, Coroutines: c.coroutines,
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

// readConf reads from agent.conf the settings that an operator needs, such as bzid and
// layout_pattern.
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
	if dir := text("rough_sort_model_p2p_path"); strings.HasPrefix(dir, "/") {
		c.world.StoreOf(dir) // created here, because a transfer service has its folder before any agent starts
	}
	return nil
}

func (c *Cluster) confName() string {
	return cmp.Or(c.spec.ConfName, "agent.conf")
}

// runAgent is the main function of the agent's process.
func (c *Cluster) runAgent(e *env.Env, confPath string) {
	pod := e.Host.Hostname()
	c.agents[pod] = nil
	c.begun++
	agent.Main(e, agent.Options{ConfPath: confPath, Quirks: c.quirks, Started: func(e *env.Env, a agent.Agent) {
		c.agents[pod] = append(c.agents[pod], startedAgent{a, e.Processes.Pid()})
		c.begun++
	}})
}

// startedAgent is an agent and the pid of its process. A dense pod has several.
type startedAgent struct {
	agent agent.Agent
	pid   int
}

// agentPort returns the port of the first running agent of a pod.
func (c *Cluster) agentPort(p *world.Pod) (port int, ok bool) {
	for a := range c.running(p) {
		serving, ok := a.(interface {
			Conf() *agentconfig.AgentConfig
		})
		if ok {
			return serving.Conf().AgentPort.V, true
		}
	}
	return 0, false
}

// running iterates over the agents of a pod whose processes are running.
func (c *Cluster) running(p *world.Pod) iter.Seq[agent.Agent] {
	return func(yield func(agent.Agent) bool) {
		for _, a := range c.agents[p.Name] {
			if p.Machine().Procs.Find(a.pid) != nil && !yield(a.agent) {
				return
			}
		}
	}
}

// observed records an observation. In a run with details, it also links the observation to
// its cause, and makes it the cause of later ones.
func (c *Cluster) observed(o runners.Observation) {
	if c.seen++; c.spec.Detail {
		o.Cause = c.causeOf()
		if !strings.HasPrefix(o.Op, "log.") { // log messages are left out, because they cause nothing
			c.world.Engine().SetOrigin(uint64(c.seen))
			c.origin = c.seen
		}
	}
	if c.training.check != nil {
		c.training.check.Observe(o)
	}
	if c.watch.agents != nil {
		c.watch.agents.Observe(o)
	}
	if c.fresh != nil {
		c.fresh.Observe(o)
	}
	if c.runner.OnObservation != nil {
		c.runner.OnObservation(o)
	}
	if c.runner.KeepLog == 0 || len(c.log) < c.runner.KeepLog || c.spec.Detail && c.runner.OnObservation == nil {
		c.log = append(c.log, o)
	}
}

// causeOf returns the cause of the next observation. Observations of one event do not cause
// each other, so all get the cause of the first.
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

// Remark records the text of the next step in the log, if the run has details. The
// observations that follow name the remark as their cause.
func (c *Cluster) Remark(text string) {
	c.world.Engine().SetOrigin(0)
	c.event = 0
	c.remark("scenario", "remark", "", text)
	c.event = 0 // the next observation is caused by the remark, not by the event before it
}

func (c *Cluster) remark(who, op, path, note string) {
	if c.spec.Detail {
		c.observed(runners.Observation{At: c.Now(), Pod: who, Op: op, Path: path, Note: note})
	}
}

// Close ends every task and process of the cluster and frees them. It must be called once.
func (c *Cluster) Close() {
	c.world.Close()
	c.runner.Warm.give(c.coroutines)
	c.coroutines = nil
}

var _ runners.Cluster = (*Cluster)(nil)
