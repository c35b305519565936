package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/zookeeper"
)

// agentOps are agent.py: the entry point, up to where it starts an agent.
var agentOps = table{"agent.main": (*call).agentMain}

// agentMain runs the entry point in a process of its own and says what each agent
// was made with; none of them is started.
func (c *call) agentMain() (any, error) {
	options := agent.Options{ConfPath: c.in.str("conf"), TFSLog: c.in.strOr("tfs_log", "")}
	agents := []any{}
	var failure error
	options.Started = func(e *env.Env, a agent.Agent) {
		if v1, ok := a.(*agent.AgentV1); ok {
			agents = append(agents, madeWith(e, v1))
		} else {
			failure = badCase("in.conf: found an agent of another version, want 1")
		}
		e.Processes.Exit(0)
	}
	c.machine.Procs.SetEnv(c.envOf)
	entry, err := c.env.Processes.Fork(func(e *env.Env) int {
		if err := agent.Run(e, options); err != nil {
			failure = err
		}
		return 0
	})
	if err != nil {
		return nil, err
	}
	for {
		if _, done := entry.Poll(); done {
			return object("agents", agents), failure
		}
		entry.Exited().Wait()
	}
}

// envOf is the case's world for another process of its host.
func (c *call) envOf(p *processes.Process) *env.Env {
	e := c.machine.Env(p.Life(), nil)
	h := *c.host
	h.Host = e.Host
	e.Host, e.Files, e.Clock, e.ZooKeeper = &h, c.dir, c.clock, fakeZooKeepers{e}
	return e
}

// fakeZooKeepers gives agents the reference's fake client.
type fakeZooKeepers struct{ e *env.Env }

func (z fakeZooKeepers) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper {
	return zookeeper.NewFakeClient(z.e)
}

func madeWith(e *env.Env, a *agent.AgentV1) *pysem.Dict {
	conf, log := a.MadeWith()
	environ := object()
	for _, name := range []string{"REPLICA_ID", "DENSE_SERVICE_IDX"} {
		if v, ok := e.Host.LookupEnv(name); ok {
			environ.Set(name, v)
		} else {
			environ.Set(name, nil)
		}
	}
	return object("tfs_log", log, "replica_id", conf.ReplicaID, "agent_port", conf.AgentPort, "tfs_dense_port", conf.TFSDensePort, "environ", environ)
}
