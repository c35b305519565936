package runnerutils

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training"
)

// Discoveries makes a service discovery of each kind: by Consul, by MLP, and by ZooKeeper.
type Discoveries interface {
	Consul(psm pysem.OptString) (training.ServiceDiscovery, error)
	MLP() (training.ServiceDiscovery, error)
	ZK(deepInsightName, zkServer pysem.OptString) (training.ServiceDiscovery, error)
}

// These constants say how often a registration is tried, and how long the pauses are. With Consul,
// there is a pause of consulRetry after an old registration was removed. With ZooKeeper, there are
// zkTries tries, and the first pause between two tries is zkRetry (service_discovery.py:77,
// service_discovery.py:220).
const (
	consulRetry = 3 * time.Second
	zkRetry     = 5 * time.Second
	zkTries     = 3
)

// RealDiscoveries makes discoveries that use the network and environment of a process.
type RealDiscoveries struct {
	Env *env.Env
	// ConsulClient calls the Consul agent.
	ConsulClient training.ConsulClient
	// Quirks is the set of the reference's faults that are kept.
	Quirks quirks.Set
}

// Consul returns a discovery that registers at Consul under the service name psm.
func (d RealDiscoveries) Consul(psm pysem.OptString) (training.ServiceDiscovery, error) {
	return training.NewConsulServiceDiscovery(d.Env, d.ConsulClient, psm.V, consulRetry), nil
}

// MLP returns a discovery that reads the environment variables which MLP sets.
func (d RealDiscoveries) MLP() (training.ServiceDiscovery, error) {
	return training.NewMLPServiceDiscovery(d.Env)
}

// ZK returns a discovery that registers below the znode of a job.
func (d RealDiscoveries) ZK(deepInsightName, zkServer pysem.OptString) (training.ServiceDiscovery, error) {
	return training.NewZKServiceDiscovery(d.Env, training.ZKDiscoveryOptions{
		JobName: deepInsightName.String(), Servers: zkServer.V, MaxTries: zkTries, Delay: zkRetry, Quirks: d.Quirks,
	})
}

// GetDiscovery makes the discovery that a configuration asks for, or returns nil for a local run
// (runner_utils.py:355). For Primus, it reads the processes from TF_CONFIG and also sets the
// configuration's type and index. If TF_CONFIG is not set, it returns an AssertionError.
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
	var config any
	var err error
	switch text := Class.Get(c, "tf_config").(type) {
	case nil:
		return nil, pysem.Raise("AssertionError", "")
	case string:
		config, err = pysem.ParseJSON(text)
	case []byte:
		var decoded string
		if decoded, err = pysem.DecodeUTF8(text); err == nil {
			config, err = pysem.ParseJSON(decoded)
		}
	default:
		return nil, pysem.Raise("TypeError", "the JSON object must be str, bytes or bytearray, not %s", pysem.TypeName(text))
	}
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

// WithDiscovery makes the discovery of a configuration, passes it to body, and closes it afterwards
// (runner_utils.py:378). In a local run body gets nil. WithDiscovery returns the error of making
// the discovery, or the error that body returns.
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
