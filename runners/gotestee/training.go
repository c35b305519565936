package gotestee

import "github.com/monosim/monosim/engine/agent"

// trainingOps are section 19 of the protocol: native_training.
var trainingOps = table{"zk_utils.is_ipv6_only": (*call).isIPv6Only}

func (c *call) isIPv6Only() (any, error) {
	return object("ipv6_only", agent.IsIPv6Only(c.env),
		"default", agent.DefaultZKServers(), "default_v6", agent.DefaultZKServers()), nil
}
