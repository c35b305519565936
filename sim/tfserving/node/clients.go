package node

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/network"
)

// Clients makes the model server clients of one process. It implements env.ModelServers.
type Clients struct {
	Proc *vtime.Process
	Host *network.Host
}

// Dial makes a client of the model server at addr, a host:port. It connects at the first call.
func (c *Clients) Dial(addr string) env.ModelServer {
	return &client{channel: network.NewChannel(c.Proc, c.Host, addr)}
}

type client struct {
	channel *network.Channel
	// specs caches earlier requests so that a repeated request allocates nothing. The cached
	// requests are immutable.
	specs []*env.ModelSpec
}

const maxSpecs = 64

// spec returns a cached request that equals spec. It adds a copy to the cache if there is none.
func (c *client) spec(spec *env.ModelSpec) *env.ModelSpec {
	for _, known := range c.specs {
		if *known == *spec {
			return known
		}
	}
	if len(c.specs) == maxSpecs {
		c.specs = c.specs[:0]
	}
	own := *spec
	c.specs = append(c.specs, &own)
	return &own
}

// statusQueryBytes estimates the size of a request in bytes.
func statusQueryBytes(spec *env.ModelSpec) int { return 16 + len(spec.Name) }

func (c *client) Status(spec env.ModelSpec, timeout time.Duration) ([]env.ModelVersionStatus, error) {
	response, err := c.channel.Ask(MethodStatus, c.spec(&spec), statusQueryBytes(&spec), timeout)
	if err != nil {
		return nil, err
	}
	return response.([]env.ModelVersionStatus), nil
}

func (c *client) Reload(config []byte, timeout time.Duration) (env.StatusProto, error) {
	response, err := c.channel.Invoke(MethodReload, serializedConfig(config), 8+len(config), timeout)
	if err != nil {
		return env.StatusProto{}, err
	}
	return response.(env.StatusProto), nil
}

func (c *client) Close() { c.channel.Close() }
