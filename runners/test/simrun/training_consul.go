package simrun

import (
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/operator"
)

// Registered returns the address under which Consul finds a process of the training job
// ([operator.RegisteredAddr]).
func (c *Cluster) Registered(name string) (addr string, ok bool, err error) {
	t, err := c.world.FindTrainer(name)
	if err != nil || c.world.Consul() == nil {
		return "", false, err
	}
	var list []operator.Registration
	for _, s := range c.world.Consul().Services() {
		list = append(list, operator.Registration{Port: s.Port, Tags: s.Tags, Listed: s.Listed})
	}
	addr, ok = operator.RegisteredAddr(list, t.Role, t.Index)
	return addr, ok, nil
}

var _ runners.Registry = (*Cluster)(nil)
