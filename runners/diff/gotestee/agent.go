package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// agentOps holds the operation on agent.py. It runs the entry point up to where an agent would be
// started.
var agentOps = table{"agent.main": (*call).agentMain}

// agentMain runs the entry point in a separate process. It returns the arguments of each agent that
// the entry point makes, but starts none.
func (c *call) agentMain() (any, error) {
	options := agent.Options{ConfPath: c.In.Str("conf"), TFSLog: c.In.StrOr("tfs_log", "")}
	agents := []any{}
	var failure error
	options.Started = func(e *env.Env, a agent.Agent) {
		if v1, ok := a.(*agent.AgentV1); ok {
			agents = append(agents, madeWith(e, v1))
		} else {
			failure = caseworld.BadCase("in.conf: found an agent of another version, want 1")
		}
		e.Processes.Exit(0)
	}
	c.Machine.Procs.SetEnv(c.envOf)
	entry, err := c.Env.Processes.Fork(func(e *env.Env) int {
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
			return caseworld.Object("agents", agents), failure
		}
		entry.Exited().Wait()
	}
}

// envOf returns the environment of a further process on the case's host.
func (c *call) envOf(p *processes.Process) *env.Env {
	e := c.Machine.Env(p.Life(), nil)
	h := *c.Host
	h.Host = e.Host
	e.Host, e.Files, e.Clock, e.ZooKeeper = &h, c.Dir, c.Clock, fakeZooKeepers{e}
	return e
}

// fakeZooKeepers gives each agent a fake ZooKeeper client that behaves as the reference's fake.
type fakeZooKeepers struct{ e *env.Env }

func (z fakeZooKeepers) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper {
	return kazoofake.New(z.e)
}

func madeWith(e *env.Env, a *agent.AgentV1) *pysem.Dict {
	conf := a.Conf()
	environ := caseworld.Object()
	for _, name := range []string{"REPLICA_ID", "DENSE_SERVICE_IDX"} {
		if v, ok := e.Host.LookupEnv(name); ok {
			environ.Set(name, v)
		} else {
			environ.Set(name, nil)
		}
	}
	return caseworld.Object("tfs_log", a.TFSLog(), "replica_id", conf.ReplicaID, "agent_port", conf.AgentPort, "tfs_dense_port", conf.TFSDensePort, "environ", environ)
}
