package trainingcases

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/clustermanager"
	"github.com/monosim/monosim/engine/training/cputraining"
	"github.com/monosim/monosim/engine/training/modelexport"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// tfConfigOps holds the operations on trainings and exports that depend on TF_CONFIG.
var tfConfigOps = caseworld.Table{
	"cpu_training.do_worker_train":               inCluster(cputraining.InCluster, true),
	"cpu_training.do_worker_feature_engineering": inCluster(cputraining.FeaturesInCluster, false),
	"cpu_training.local_train_internal":          localTraining,
	"saved_model_exporters.export_saved_model":   exporterTFConfig,
}

// seen records what TensorFlow would find in TF_CONFIG.
type seen struct {
	c   *caseworld.Call
	log []any
}

func (s *seen) variable() any {
	if v, ok := s.c.Env.Host.LookupEnv(cputraining.TFConfig); ok {
		return v
	}
	return nil
}

func (s *seen) note(what string) { s.log = append(s.log, []any{what, s.variable()}) }

// train stands in for a training. It ends with the outcome that the case gives.
func (s *seen) train() error {
	s.note("train")
	return outcomeOf(s.c.In.Str("outcome"))
}

func (s *seen) answer(result any, err error) any {
	return caseworld.Object("result", caseworld.Attempt(result, err), "log", s.log, "tf_config", s.variable())
}

// tried is a network in which the dead addresses cannot be reached. It records the addresses that
// are tried.
type tried struct {
	env.Network
	dead  []string
	addrs []string
	limit time.Duration
}

func (n *tried) Probe(addr string, timeout time.Duration) error {
	n.addrs, n.limit = append(n.addrs, addr), timeout
	if slices.Contains(n.dead, addr) {
		return &env.RPCError{Code: rpcerrors.Unavailable}
	}
	return nil
}

// inCluster returns an operation that trains in a cluster. The parameter returns says whether the
// reference's function returns an estimator.
func inCluster(train func(e *env.Env, kept quirks.Set, c cputraining.Cluster, work func() error) error, returns bool) func(c *caseworld.Call) (any, error) {
	return func(c *caseworld.Call) (any, error) {
		s, n := &seen{c: c, log: []any{}}, &tried{Network: c.Env.Network}
		if c.In.Has("dead") {
			n.dead = c.In.Strings("dead")
		}
		c.Env.Network = n
		given, task := c.In.Object("cluster"), c.In.Object("task")
		cluster := cputraining.Cluster{
			Cluster: clustermanager.Cluster{Chief: given.Strings("chief"), Worker: given.Strings("worker"), PS: given.Strings("ps")},
			Task:    clustermanager.Task{Type: task.Str("type"), Index: task.Integer("index")},
		}
		err := train(c.Env, c.Quirks, cluster, s.train)
		if slices.Sort(n.addrs); len(n.addrs) > 0 {
			s.log = slices.Insert(s.log, 0, any([]any{"alive", n.addrs, int(n.limit / time.Second)}))
		}
		return s.answer(returns, err), nil
	}
}

// firstPort is the port of the first server of a local training.
const firstPort = 1001

// mostServers is how many PS a local training of a case may have, which is as many as there are
// ports for.
const mostServers = 998

func localTraining(c *caseworld.Call) (any, error) {
	s, servers := &seen{c: c, log: []any{}}, []string{}
	kwargs := c.In.Object("kwargs")
	ps, err := numPS(kwargs)
	if err != nil {
		return s.answer(nil, err), nil
	}
	for i := range ps + 1 {
		servers = append(servers, fmt.Sprintf("localhost:%d", firstPort+i))
	}
	last := len(servers) - 1
	return s.answer(true, cputraining.Local(c.Env.Host, c.Quirks, servers[last], servers[:last], s.train)), nil
}

// numPS returns how many PS a local training starts. What range cannot count, and what has no order
// among numbers, is a TypeError.
func numPS(kwargs caseworld.Arguments) (int, error) {
	given := any(0)
	if kwargs.Has("num_ps") {
		given = kwargs.Value("num_ps")
	}
	none, err := pysem.Compare(given, "<=", 0)
	if none || err != nil {
		return 0, err
	}
	n, isInt := pysem.Big(given)
	if !isInt {
		return 0, pysem.Raise("TypeError", "'%s' object cannot be interpreted as an integer", pysem.TypeName(given))
	}
	if n.Cmp(big.NewInt(mostServers)) > 0 {
		kwargs.Wrong("num_ps", fmt.Sprintf("%d at most", mostServers))
	}
	return int(n.Int64()), nil
}

func exporterTFConfig(c *caseworld.Call) (any, error) {
	s := &seen{c: c, log: []any{}}
	err := modelexport.WithoutTFConfig(c.Env.Host, c.Quirks, func() error {
		s.note("model_fn")
		if c.In.Str("outcome") != "ok" {
			return pysem.Raise("RuntimeError", "model_fn failed")
		}
		s.note("export")
		return nil
	})
	return s.answer(true, err), nil
}
