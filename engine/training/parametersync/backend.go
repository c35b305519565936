package parametersync

import (
	"fmt"
	"slices"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/replicamanager"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
)

// Backend says where a sub-graph is served (SyncBackend, backends.py:189).
type Backend interface {
	// Start connects to ZooKeeper and begins to watch.
	Start() error
	// SubscribeModel sets the model to which the sub-graphs belong.
	SubscribeModel(model string) error
	// Targets returns the addresses of the servers of a sub-graph, and the model name under which
	// they serve it.
	Targets(subGraph string) (model string, addrs []string, err error)
	Stop()
}

// Unified returns the backend of agents of version 3, which bind containers to sub-graphs
// (unified_serving, estimator.py:295).
func Unified(e *env.Env, bzid, zkServers string, kept quirks.Set) Backend {
	b := backends.NewZKBackend(e, bzid, training.NewMonolithKazooClient(e, zkServers, pysem.None[[][2]string](), kept))
	b.Quirks = kept
	return unified{b}
}

type unified struct{ *backends.ZKBackend }

func (b unified) Targets(subGraph string) (string, []string, error) {
	model, addrs, err := b.SyncTargets(subGraph)
	return model, given(addrs), err
}

// Watch says which replicas [Watched] finds.
type Watch struct {
	BZID, BaseName, ZKServers string
	NumPS                     int
	DCAware                   bool
	Quirks                    quirks.Set
}

// Watched returns the backend of agents of version 1, which register the replicas of a model
// (estimator.py:300). It connects to ZooKeeper at once.
func Watched(e *env.Env, o Watch) (Backend, error) {
	zk := training.NewMonolithKazooClient(e, o.ZKServers, pysem.None[[][2]string](), o.Quirks)
	if err := zk.Start(0); err != nil {
		return nil, err
	}
	conf, err := agentconfig.Loader{Env: e, Quirks: o.Quirks}.New(
		dataclass.Field{Name: "bzid", Value: o.BZID}, dataclass.Field{Name: "base_name", Value: o.BaseName},
		dataclass.Field{Name: "deploy_type", Value: "ps"}, dataclass.Field{Name: "num_ps", Value: o.NumPS}, dataclass.Field{Name: "dc_aware", Value: o.DCAware})
	if err != nil {
		return nil, err
	}
	w := replicamanager.NewReplicaWatcher(e, zk, conf, replicamanager.WatcherOptions{})
	return watched{w.ToSyncWrapper(), zk}, nil
}

type watched struct {
	*replicamanager.SyncBackendWrapper
	zk env.ZooKeeper
}

func (b watched) SubscribeModel(model string) error {
	b.SyncBackendWrapper.SubscribeModel(model)
	return nil
}

func (b watched) Targets(subGraph string) (string, []string, error) {
	model, targets, err := b.SyncTargets(subGraph)
	return model, given(lists.Map(targets, func(t replicamanager.SyncTarget) pysem.OptString { return t.Addr })), err
}

// Stop also ends the session of ZooKeeper (estimator.py:380).
func (b watched) Stop() {
	b.SyncBackendWrapper.Stop()
	b.zk.Stop()
	b.zk.Close()
}

// given returns the addresses that are set.
func given(addrs []pysem.OptString) []string {
	return lists.Select(addrs, func(a pysem.OptString) (string, bool) { return a.V, a.Set })
}

// config is a ClientConfig (parameter_sync.proto). Each target is listed only once, because the
// reference keeps its clients in a map by target.
type config struct {
	model   string
	targets []string
}

// refresh asks the backend for the servers of a PS's sub-graph (distributed_serving_ops.py:100).
func refresh(b Backend, ps int) (config, error) {
	model, addrs, err := b.Targets(fmt.Sprintf("ps_%d", ps))
	conf := config{model: model}
	for _, addr := range addrs {
		if !slices.Contains(conf.targets, addr) {
			conf.targets = append(conf.targets, addr)
		}
	}
	return conf, err
}
