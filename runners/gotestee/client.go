package gotestee

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// clientOps are client.py.
var clientOps = table{"client.ServingClient.sequence": (*call).servingClientSequence}

// servingRun is a sequence on one client.
type servingRun struct {
	client *agent.ServingClient
	zk     *fakeZK
	log    *unloadLog
}

func (c *call) servingClientSequence() (any, error) {
	r := &servingRun{zk: c.newZK(), log: &unloadLog{Log: c.env.Log}}
	r.zk.strict = true
	c.env.Log, c.env.ZooKeeper = r.log, oneClient{r.zk}
	client, err := agent.NewServingClient(c.env, "", c.in.str("bzid"))
	if err != nil {
		return nil, err
	}
	r.client = client
	steps := c.sequence(r.zk, r.do, r.after, "delete")
	data := []any{}
	for _, entry := range client.Mirror().Entries() {
		data = append(data, []any{entry.Path, orNil(entry.Data)})
	}
	return object("steps", steps, "data", data, "tree", r.zk.tree()), nil
}

func (r *servingRun) after(_ step, out *pysem.Dict) {
	if len(r.log.lines) > 0 {
		out.Set("log", r.log.lines)
		r.log.lines = nil
	}
}

func (r *servingRun) do(s step) (any, error) {
	switch s.name {
	case "load":
		meta, err := dataOf[agent.ModelMeta](s.arguments, agent.DefaultModelMeta)
		if err != nil {
			return nil, err
		}
		return nil, r.client.Load(meta)
	case "unload":
		return nil, r.client.Unload(s.str("model_name"))
	case "get_status":
		state, err := r.client.Status(s.str("model_name"))
		return []any{trueOrNil(state.Portal), trueOrNil(state.Publish), serviceStates(state), state.String()}, err
	}
	unknownStep(s)
	return nil, nil
}

// trueOrNil is what the reference has for what was not found (Q70).
func trueOrNil(b bool) any {
	if b {
		return true
	}
	return nil
}

func serviceStates(s agent.LoadState) []any {
	list := []any{}
	for _, r := range s.Service {
		list = append(list, []any{r.Replica, r.Stat})
	}
	return list
}

// oneClient is the client that all get which are made.
type oneClient struct{ zk *fakeZK }

func (o oneClient) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return o.zk }

// unloadLog keeps the line about a model that nobody asked for.
type unloadLog struct {
	env.Log
	lines []string
}

func (*unloadLog) Enabled(env.Level) bool { return true }

func (l *unloadLog) Logf(level env.Level, format string, args ...any) {
	if line := fmt.Sprintf(format, args...); level == env.Warning && strings.HasSuffix(line, " not exists, nothing to do!") {
		l.lines = append(l.lines, hide(line))
	}
}
