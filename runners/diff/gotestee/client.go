package gotestee

import (
	"fmt"
	"strings"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// clientOps are client.py.
var clientOps = table{"client.ServingClient.sequence": (*call).servingClientSequence}

// servingRun is one run of a sequence of steps on a client.
type servingRun struct {
	client   *clients.ServingClient
	zk       *caseworld.ZooKeeper
	warnings *warnings
}

func (c *call) servingClientSequence() (any, error) {
	r := &servingRun{zk: c.NewZK(), warnings: &warnings{Log: c.Env.Log}}
	c.Env.Log = r.warnings
	r.zk.Strict = true
	c.Env.ZooKeeper = oneZK{r.zk}
	client, err := clients.NewServingClient(c.Env, "", c.In.Str("bzid"))
	if err != nil {
		return nil, err
	}
	r.client = client
	start := writesOf(r.zk)
	steps := c.Run(caseworld.Sequence{Do: r.do(), ZK: r.zk, Sorted: []string{"delete"}, After: r.after})
	return caseworld.Object("start", start, "steps", steps, "tree", r.zk.Tree()), nil
}

// after adds the warnings that a step caused to its answer. It drops the results of zk steps.
func (r *servingRun) after(s caseworld.Step, answer *pysem.Dict) {
	if _, returned := answer.Get("r"); returned && strings.HasPrefix(s.Name, "zk.") {
		answer.Set("r", nil)
	}
	if len(r.warnings.lines) > 0 {
		answer.Set("log", r.warnings.lines)
		r.warnings.lines = nil
	}
}

// warnings is a log that keeps its warnings.
type warnings struct {
	env.Log
	lines []any
}

func (w *warnings) Logf(level env.Level, format string, args ...any) {
	if level == env.Warning {
		w.lines = append(w.lines, fmt.Sprintf(format, args...))
	}
	w.Log.Logf(level, format, args...)
}

func (r *servingRun) do() caseworld.Do {
	return caseworld.Do{
		"load": func(s caseworld.Step) error {
			meta, err := dataOf[datadef.ModelMeta](s.Arguments, datadef.DefaultModelMeta)
			if err != nil {
				return err
			}
			return r.client.Load(meta)
		},
		"unload": r.client.Unload,
		"get_status": func(name string) (any, error) {
			state, err := r.client.Status(name)
			return caseworld.Object("portal", trueOrNil(state.Portal), "publish", trueOrNil(state.Publish),
				"service", serviceStates(state), "str", state.String()), err
		},
	}
}

// trueOrNil returns nil for false. If the reference does not find something, it returns None
// instead of False (Q70).
func trueOrNil(b bool) any {
	if b {
		return true
	}
	return nil
}

func serviceStates(s clients.LoadState) []any {
	return lists.Map(s.Service, func(r clients.ServiceState) any { return []any{r.Replica, r.Stat} })
}
