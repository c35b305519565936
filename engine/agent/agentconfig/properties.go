package agentconfig

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// Like the reference's properties, the methods of this file read the environment at each call
// (utils.py:530-584).

// NumTCEShard returns the number of containers that share the PS shards (utils.py:529): the
// variable [HostShardEnv], or 1 when it is unset (constants.py:15). A variable that is no number is
// a ValueError.
//
// Cost: a call does not grow: it reads one variable.
func (c *AgentConfig) NumTCEShard() (int, error) { return c.envInt(HostShardEnv, 1) }

// ShardID returns this container's index, from 0, among the containers that share the PS shards. It
// is -1 if SHARD_ID is unset. A value that is not a number is a ValueError.
func (c *AgentConfig) ShardID() (int, error) { return c.envInt("SHARD_ID", -1) }

func (c *AgentConfig) envInt(variable string, fallback int) (int, error) {
	text, ok := c.env.Host.LookupEnv(variable)
	if !ok {
		return fallback, nil
	}
	n, _, err := pysem.ParseSmallInt(text)
	return n, err
}

// IDC returns the name of the data centre in lower case. It is None if TCE_INTERNAL_IDC is unset.
func (c *AgentConfig) IDC() pysem.OptString {
	if v, ok := c.env.Host.LookupEnv("TCE_INTERNAL_IDC"); ok {
		return pysem.Some(pysem.Lower(v))
	}
	return pysem.OptString{}
}

// Cluster returns the cluster's name in lower case: the first of three variables that is not empty.
// If only the last variable is set, it is used even when it is empty (Q176).
func (c *AgentConfig) Cluster() pysem.OptString {
	var last pysem.OptString
	for _, variable := range []string{"TCE_LOGICAL_CLUSTER", "TCE_CLUSTER", "TCE_PHYSICAL_CLUSTER"} {
		v, ok := c.env.Host.LookupEnv(variable)
		if v != "" {
			return pysem.Some(pysem.Lower(v))
		}
		last = pysem.OptString{V: v, Set: ok}
	}
	return last
}

// Location returns "idc:cluster". It is None unless both the data centre and the cluster are known.
func (c *AgentConfig) Location() pysem.OptString {
	idc, cluster := c.IDC(), c.Cluster()
	if !idc.Set || !cluster.Set {
		return pysem.OptString{}
	}
	return pysem.Some(idc.V + ":" + cluster.V)
}

// PathPrefix returns the znode below which this model's replicas are registered. DCAware without a
// location is a TypeError (Q116), and so is a bzid or base_name that is no str, as keyword arguments
// may give it.
func (c *AgentConfig) PathPrefix() (string, error) {
	parts := []pysem.OptString{c.Bzid, pysem.Some("service"), c.BaseName}
	given := []any{c.value("bzid"), c.value("base_name")}
	if location := c.Location(); c.DCAware && (location.Set || c.Quirks.Keeps(quirks.Q116)) {
		parts, given = append(parts, location), append(given, location.Any())
	}
	if err := pysem.JoinTypes(given...); err != nil {
		return "", err
	}
	return pysem.Join(pysem.Some("/"), parts...)
}

// LayoutPath returns the znode of the layout. An absolute pattern is taken unchanged, any other is
// below the business id's znode. Without a pattern it is an AttributeError (Q173).
func (c *AgentConfig) LayoutPath() (string, error) {
	var pattern string
	switch given := c.value("layout_pattern").(type) {
	case string:
		pattern = given
	case []byte:
		return "", pysem.Raise("TypeError", "startswith first arg must be bytes or a tuple of bytes, not str")
	default:
		return "", pysem.AttributeError(given, "startswith")
	}
	if strings.HasPrefix(pattern, "/") {
		return pattern, nil
	}
	return "/" + pysem.Str(c.value("bzid")) + "/layouts/" + pattern, nil
}

// ContainerCluster returns "psm;idc;cluster", with "None" for unknown parts (Q172).
func (c *AgentConfig) ContainerCluster() string {
	psm := c.envOr("TCE_PSM", "unknown")
	if !c.Quirks.Keeps(quirks.Q172) {
		return psm + ";" + c.IDC().Or("") + ";" + c.Cluster().Or("")
	}
	return psm + ";" + c.IDC().String() + ";" + c.Cluster().String()
}

// ContainerID returns the pod's name, or the local address if there is none. It looks up the
// address in either case, as the reference does.
func (c *AgentConfig) ContainerID() string { return c.envOr("MY_POD_NAME", LocalIP(c.env)) }

func (c *AgentConfig) envOr(variable, fallback string) string {
	if v, ok := c.env.Host.LookupEnv(variable); ok {
		return v
	}
	return fallback
}
