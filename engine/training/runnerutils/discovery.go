package runnerutils

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
)

// Discoveries makes the kinds of discovery.
type Discoveries interface {
	Consul(psm pysem.OptString) (training.ServiceDiscovery, error)
	MLP() (training.ServiceDiscovery, error)
	ZK(deepInsightName, zkServer pysem.OptString) (training.ServiceDiscovery, error)
}

// consulRetry is the pause after removing an old registration. zkRetry is the first pause between
// two of the zkTries attempts (service_discovery.py:77, service_discovery.py:220).
const (
	consulRetry = 3 * time.Second
	zkRetry     = 5 * time.Second
	zkTries     = 3
)

// RealDiscoveries makes discoveries over what a process can reach.
type RealDiscoveries struct {
	Env *env.Env
	// ConsulClient calls the Consul agent.
	ConsulClient training.ConsulClient
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set
}

// Consul returns a discovery over a service of Consul.
func (d RealDiscoveries) Consul(psm pysem.OptString) (training.ServiceDiscovery, error) {
	return training.NewConsulServiceDiscovery(d.Env, d.ConsulClient, psm.V, consulRetry), nil
}

// MLP returns a discovery over the environment that MLP gave.
func (d RealDiscoveries) MLP() (training.ServiceDiscovery, error) {
	return training.NewMLPServiceDiscovery(d.Env)
}

// ZK returns a discovery over a job's znode.
func (d RealDiscoveries) ZK(deepInsightName, zkServer pysem.OptString) (training.ServiceDiscovery, error) {
	return training.NewZKServiceDiscovery(d.Env, training.ZKDiscoveryOptions{
		JobName: deepInsightName.String(), Servers: zkServer.V, MaxTries: zkTries, Delay: zkRetry, Quirks: d.Quirks,
	})
}

// GetDiscovery makes the discovery that a configuration asks for, nil for a local run
// (runner_utils.py:355). With TF_CONFIG, which Primus sets, it also sets the configuration's type
// and index; without that variable it is an AssertionError.
func GetDiscovery(c *RunnerConfig, psm pysem.OptString, make Discoveries) (training.ServiceDiscovery, error) {
	if c.IsLocal {
		return nil, nil
	}
	switch c.DiscoveryType {
	case training.DiscoveryPrimus:
		return primus(c)
	case training.DiscoveryConsul:
		return make.Consul(psm)
	case training.DiscoveryMLP:
		return make.MLP()
	}
	return make.ZK(c.DeepInsightName, c.ZKServer)
}

func primus(c *RunnerConfig) (training.ServiceDiscovery, error) {
	if !c.TFConfig.Set {
		return nil, pysem.Raise("AssertionError", "")
	}
	config, err := pysem.ParseJSON(c.TFConfig.V)
	if err != nil {
		return nil, err
	}
	d := training.NewTFConfigServiceDiscovery(config)
	typ, err := d.ServerType()
	if err != nil {
		return nil, err
	}
	if err := Class.Set(c, "server_type", typ); err != nil {
		return nil, err
	}
	index, err := d.Index()
	if err != nil {
		return nil, err
	}
	return d, Class.Set(c, "index", index)
}

// WithDiscovery calls body with the discovery that a configuration asks for, nil for a local run,
// and closes it afterwards (runner_utils.py:378). The error is that of making the discovery, or
// body's.
func WithDiscovery(e *env.Env, c *RunnerConfig, make Discoveries, body func(d training.ServiceDiscovery) error) error {
	defer e.Log.Logf(env.Info, "exit monolith_discovery!")
	if c.IsLocal {
		return body(nil)
	}
	d, err := GetDiscovery(c, pysem.Some(envutils.GeneratePSMFromUUID(c.UUID)), make)
	if err != nil {
		return err
	}
	defer d.Close()
	e.Log.Logf(env.Info, "enter monolith_discovery!")
	return body(d)
}
