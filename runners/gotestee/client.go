package gotestee

import (
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/gotestee/caseworld"
)

// clientOps are client.py.
var clientOps = table{"client.ServingClient.sequence": (*call).servingClientSequence}

// servingRun is a sequence on one client.
type servingRun struct {
	client *clients.ServingClient
	zk     *caseworld.ZooKeeper
}

func (c *call) servingClientSequence() (any, error) {
	r := &servingRun{zk: c.NewZK()}
	r.zk.Strict = true
	c.Env.ZooKeeper = oneClient{r.zk}
	client, err := clients.NewServingClient(c.Env, "", c.In.Str("bzid"))
	if err != nil {
		return nil, err
	}
	r.client = client
	steps := c.Sequence(r.zk, r.do, nil, "delete")
	data := []any{}
	for _, entry := range client.Mirror().Entries() {
		data = append(data, []any{entry.Path, orNil(entry.Data)})
	}
	return caseworld.Object("steps", steps, "data", data, "tree", r.zk.Tree()), nil
}

func (r *servingRun) do(s caseworld.Step) (any, error) {
	switch s.Name {
	case "load":
		meta, err := dataOf[datadef.ModelMeta](s.Arguments, datadef.DefaultModelMeta)
		if err != nil {
			return nil, err
		}
		return nil, r.client.Load(meta)
	case "unload":
		return nil, r.client.Unload(s.Str("model_name"))
	case "get_status":
		state, err := r.client.Status(s.Str("model_name"))
		return []any{trueOrNil(state.Portal), trueOrNil(state.Publish), serviceStates(state), state.String()}, err
	}
	caseworld.UnknownStep(s)
	return nil, nil
}

// trueOrNil is what the reference has for what was not found (Q70).
func trueOrNil(b bool) any {
	if b {
		return true
	}
	return nil
}

func serviceStates(s clients.LoadState) []any {
	list := []any{}
	for _, r := range s.Service {
		list = append(list, []any{r.Replica, r.Stat})
	}
	return list
}

// oneClient is the client that all get which are made.
type oneClient struct{ zk *caseworld.ZooKeeper }

func (o oneClient) NewClient(string, env.ZooKeeperOptions) env.ZooKeeper { return o.zk }
