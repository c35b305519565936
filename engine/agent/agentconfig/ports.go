package agentconfig

import (
	"github.com/monosim/monosim/engine/pysem"
)

// portChoice is a port field with the environment variable that sets it. Without a variable the
// field gets any free port.
type portChoice struct{ field, variable string }

// These lists have the order in which the reference asks for ports (utils.py:397-469). PORT1 is
// reserved for p2p, and PORT2 for the agent.
var (
	freeProxy = []portChoice{{field: "proxy_port"}}
	freeEntry = []portChoice{{field: "tfs_entry_archon_port"}, {field: "tfs_entry_port"}, {field: "tfs_entry_http_port"}}
	freePS    = []portChoice{{field: "tfs_ps_archon_port"}, {field: "tfs_ps_port"}, {field: "tfs_ps_http_port"}}
	freeDense = []portChoice{{field: "tfs_dense_archon_port"}, {field: "tfs_dense_port"}, {field: "tfs_dense_http_port"}}
	// besideDense lists the ports of dense in a container that serves another server type.
	besideDense = []portChoice{{field: "tfs_dense_port"}, {field: "tfs_dense_http_port"}, {field: "tfs_dense_archon_port"}}

	mixedPorts = []portChoice{
		{"tfs_entry_archon_port", "PORT"}, {"tfs_entry_port", "PORT3"}, {"tfs_entry_http_port", "PORT4"},
		{"tfs_ps_port", "PORT5"}, {"tfs_ps_http_port", "PORT6"}, {"tfs_ps_archon_port", "PORT7"},
	}
	mixedDense = []portChoice{
		{"tfs_dense_port", "PORT8"}, {"tfs_dense_http_port", "PORT9"}, {"tfs_dense_archon_port", "PORT10"},
	}
	ownEntry = []portChoice{
		{"tfs_entry_archon_port", "PORT"}, {"tfs_entry_port", "PORT3"}, {"tfs_entry_http_port", "PORT4"},
	}
	ownPS    = []portChoice{{"tfs_ps_archon_port", "PORT"}, {"tfs_ps_port", "PORT3"}, {"tfs_ps_http_port", "PORT4"}}
	ownDense = []portChoice{
		{"tfs_dense_archon_port", "PORT"}, {"tfs_dense_port", "PORT3"}, {"tfs_dense_http_port", "PORT4"},
	}
	unifiedPorts = []portChoice{{"tfs_port_archon", "PORT"}, {"tfs_port_grpc", "PORT3"}, {"tfs_port_http", "PORT4"}}
)

// choosePorts sets the ports that the deploy type needs. It overwrites ports that the file sets.
func (c *AgentConfig) choosePorts() error {
	switch c.DeployType {
	case DeployMixed:
		if err := c.takePorts(freeProxy, mixedPorts); err != nil || !c.DenseAlone {
			return err
		}
		return c.takeDensePorts(mixedDense)
	case DeployEntry:
		return c.takePorts(freeProxy, freePS, c.ifDenseAlone(besideDense), ownEntry)
	case DeployPS:
		return c.takePorts(freeProxy, freeEntry, c.ifDenseAlone(besideDense), ownPS)
	case DeployDense:
		if !pysem.Equal(c.value("dense_alone"), true) {
			return &pysem.Error{Type: "AssertionError"}
		}
		if err := c.takePorts(freeProxy, freeEntry, freePS); err != nil {
			return err
		}
		return c.takeDensePorts(ownDense)
	}
	return c.takePorts(unifiedPorts)
}

func (c *AgentConfig) ifDenseAlone(choices []portChoice) []portChoice {
	if c.DenseAlone {
		return choices
	}
	return nil
}

// takeDensePorts sets the ports of dense. The first dense service of a container takes its ports
// from the environment, any other takes free ports.
func (c *AgentConfig) takeDensePorts(own []portChoice) error {
	if text, ok := c.env.Host.LookupEnv("DENSE_SERVICE_IDX"); ok {
		index, err := pysem.ParseInt(text)
		if err != nil {
			return err
		}
		if index.Sign() != 0 {
			return c.takePorts(freeDense)
		}
	}
	return c.takePorts(own)
}

func (c *AgentConfig) takePorts(lists ...[]portChoice) error {
	for _, list := range lists {
		for _, choice := range list {
			if err := c.portFromEnv(choice.field, choice.variable); err != nil {
				return err
			}
		}
	}
	return nil
}

// portFromEnv sets a port field to the value of an environment variable. It takes a free port from
// the host even if the variable is set, because Python evaluates the default of os.environ.get
// first (Q165).
func (c *AgentConfig) portFromEnv(field, variable string) error {
	free := c.env.Host.FreePort()
	if variable != "" {
		if text, ok := c.env.Host.LookupEnv(variable); ok {
			_, exact, err := pysem.ParseSmallInt(text)
			if err != nil {
				return err
			}
			return c.Set(field, exact)
		}
	}
	return c.Set(field, free)
}
