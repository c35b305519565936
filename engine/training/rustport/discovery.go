package rustport

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training"
	"github.com/monosim/monosim/engine/training/runnerutils"
)

// ZKDescriptor names the ZooKeeper by which a job is found, and the job's name there.
type ZKDescriptor struct{ DeepInsightName, ZKServer string }

// RunnerDiscovery finds the processes of a training. For ZooKeeper it only describes which server
// and job to ask (TRN-4.4).
type RunnerDiscovery struct {
	kind string
	// by makes the queries. It is nil if the discovery only describes a ZooKeeper.
	by training.ServiceDiscovery
	zk ZKDescriptor
}

// Kind returns the kind of discovery: tf_config, mlp, consul or zk.
func (d *RunnerDiscovery) Kind() string { return d.kind }

// ZKConfig returns the descriptor of a ZooKeeper; ok is false for other kinds.
func (d *RunnerDiscovery) ZKConfig() (z ZKDescriptor, ok bool) { return d.zk, d.by == nil }

// viaZK returns the error for an operation on a discovery that only describes a ZooKeeper.
func viaZK(operation string) error {
	return &Error{Kind: DiscoveryFailed, About: "zk " + operation + " must use native_training::service_discovery::ZkServiceDiscovery"}
}

// Register registers a process at an address. A discovery that only describes a ZooKeeper returns
// a DiscoveryFailed.
func (d *RunnerDiscovery) Register(name string, index int, addr string) error {
	if d.by == nil {
		return viaZK("registration")
	}
	return wrap(DiscoveryFailed, d.by.Register(name, index, addr))
}

// Deregister removes a registration. A discovery that only describes a ZooKeeper returns a
// DiscoveryFailed.
func (d *RunnerDiscovery) Deregister(name string, index int, addr string) error {
	if d.by == nil {
		return viaZK("deregistration")
	}
	return wrap(DiscoveryFailed, d.by.Deregister(name, index, addr))
}

// Query returns the addresses of the processes registered under a name, by index. A discovery that
// only describes a ZooKeeper returns a DiscoveryFailed.
func (d *RunnerDiscovery) Query(name string) (training.Addrs, error) {
	if d.by == nil {
		return nil, viaZK("query")
	}
	addrs, err := d.by.Query(name)
	if err != nil {
		return nil, wrap(DiscoveryFailed, err)
	}
	addrs = slices.Clone(addrs)
	slices.SortFunc(addrs, training.IndexedAddr.Compare)
	return addrs, nil
}

// Close releases the resources of the discovery. If it only describes a ZooKeeper, there are none.
func (d *RunnerDiscovery) Close() {
	if d.by != nil {
		d.by.Close()
	}
}

// GetDiscovery makes the discovery of a configuration, nil for a local run. For ZooKeeper, the
// discovery only describes which server and job to ask. TF_CONFIG comes from the configuration, or
// else from the environment. Without either the error is a MissingTFConfig. Consul without a psm is
// a MissingPSM.
func GetDiscovery(e *env.Env, c RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*RunnerDiscovery, error) {
	if c.IsLocal {
		return nil, nil
	}
	switch c.DiscoveryType {
	case Primus:
		return primus(e, c)
	case Consul:
		if !psm.Set {
			return nil, &Error{Kind: MissingPSM}
		}
		by, err := kinds.Consul(psm)
		return found("consul", by, err)
	case Mlp:
		by, err := kinds.MLP()
		return found("mlp", by, err)
	}
	return &RunnerDiscovery{kind: "zk", zk: ZKDescriptor{DeepInsightName: c.DeepInsightName, ZKServer: c.ZKServer}}, nil
}

func found(kind string, by training.ServiceDiscovery, err error) (*RunnerDiscovery, error) {
	if err != nil {
		return nil, wrap(DiscoveryFailed, err)
	}
	return &RunnerDiscovery{kind: kind, by: by}, nil
}

func primus(e *env.Env, c RunnerConfig) (*RunnerDiscovery, error) {
	text := c.TFConfig
	if !text.Set {
		text.V, text.Set = e.Host.LookupEnv("TF_CONFIG")
	}
	if !text.Set {
		return nil, &Error{Kind: MissingTFConfig}
	}
	config, err := pysem.ParseJSON(text.V)
	if err != nil {
		return nil, &Error{Kind: DiscoveryFailed, About: "Configuration error: Invalid TF_CONFIG JSON: " + err.Error(), Err: err}
	}
	return found("tf_config", tfConfig{training.NewTFConfigServiceDiscovery(config)}, nil)
}

// tfConfig finds processes by TF_CONFIG. Its error for another name than ps and worker says which one
// that is, which Python's does not (TRN-5.17).
type tfConfig struct{ training.ServiceDiscovery }

// Query lists the processes of ps or worker.
func (d tfConfig) Query(name string) (training.Addrs, error) {
	if name != "ps" && name != "worker" {
		return nil, pysem.Raise("Configuration error", "name must be ps/worker, got %q", name)
	}
	return d.ServiceDiscovery.Query(name)
}

// Guard owns a discovery until it is closed (row D23).
type Guard struct {
	discovery *RunnerDiscovery
	closed    bool
}

// MonolithDiscovery returns the guard of a configuration's discovery. If Consul is chosen without a
// psm, it derives the psm from the deep insight name. Python derives it from the uuid (TRN-5.9).
func MonolithDiscovery(e *env.Env, c RunnerConfig, psm pysem.OptString, kinds runnerutils.Discoveries) (*Guard, error) {
	if !psm.Set && c.DiscoveryType == Consul {
		psm = pysem.Some(envutils.GeneratePSMFromUUID(c.DeepInsightName))
	}
	d, err := GetDiscovery(e, c, psm, kinds)
	if err != nil {
		return nil, err
	}
	return &Guard{discovery: d}, nil
}

// Discovery returns the guarded discovery; nil for a local run.
func (g *Guard) Discovery() *RunnerDiscovery { return g.discovery }

// Kind returns the kind of the guarded discovery; None for a local run.
func (g *Guard) Kind() pysem.OptString {
	if g.discovery == nil {
		return pysem.OptString{}
	}
	return pysem.Some(g.discovery.Kind())
}

// Register calls RunnerDiscovery.Register. For a local run it returns a LocalModeNoDiscovery.
func (g *Guard) Register(name string, index int, addr string) error {
	if g.discovery == nil {
		return &Error{Kind: LocalModeNoDiscovery}
	}
	return g.discovery.Register(name, index, addr)
}

// Deregister calls RunnerDiscovery.Deregister. For a local run it returns a LocalModeNoDiscovery.
func (g *Guard) Deregister(name string, index int, addr string) error {
	if g.discovery == nil {
		return &Error{Kind: LocalModeNoDiscovery}
	}
	return g.discovery.Deregister(name, index, addr)
}

// Query calls RunnerDiscovery.Query. For a local run it returns a LocalModeNoDiscovery.
func (g *Guard) Query(name string) (training.Addrs, error) {
	if g.discovery == nil {
		return nil, &Error{Kind: LocalModeNoDiscovery}
	}
	return g.discovery.Query(name)
}

// Close closes the discovery. A second call does nothing.
func (g *Guard) Close() {
	if g.discovery != nil && !g.closed {
		g.closed = true
		g.discovery.Close()
	}
}
