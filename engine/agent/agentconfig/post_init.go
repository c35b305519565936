package agentconfig

import (
	"crypto/md5"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// HostShardEnv is the environment variable with the number of containers that share the PS shards
// (constants.py:15).
const HostShardEnv = "MONOLITH_HOST_SHARD_N"

// postInit completes the configuration from the environment, in the reference's
// order (utils.py:375-485).
func (c *AgentConfig) postInit() error {
	ipv6 := IsIPv6Only(c.env)
	switch servers := c.value("zk_servers").(type) {
	case string:
		if err := checkZKServers(servers, ipv6); err != nil {
			return err
		}
	default:
		if ipv6 && pysem.Truth(servers) {
			return pysem.AttributeError(servers, "split")
		}
	}
	if err := c.chooseDeployType(); err != nil {
		return err
	}
	if err := c.checkNumShard(); err != nil {
		return err
	}
	if err := c.choosePorts(); err != nil {
		return err
	}
	if c.value("agent_port") == nil {
		if err := c.portFromEnv("agent_port", "PORT2"); err != nil {
			return err
		}
	}
	if err := c.chooseReplicaID(); err != nil {
		return err
	}
	if !pysem.Truth(c.value("platform_config_file")) {
		c.PlatformConfigFile = pysem.Some(c.TFSHome() + defaultPlatformConfigFile)
	}
	c.writePlatformConfigFile()
	return nil
}

// value returns the Python value of a field, which must exist.
func (c *AgentConfig) value(name string) any {
	v, _ := c.Get(name)
	return v
}

// IsVersion reports whether agent_version equals n in Python. Keyword arguments may give it as any
// value: True and 1.0 equal 1, and "1" and 1.5 equal no version.
func (c *AgentConfig) IsVersion(n int) bool { return pysem.Equal(c.value("agent_version"), n) }

// Version returns the str() of agent_version.
func (c *AgentConfig) Version() string { return pysem.Str(c.value("agent_version")) }

func (c *AgentConfig) chooseDeployType() error {
	if c.StandAloneServing {
		c.DeployType = DeployMixed
		return nil
	}
	switch word := c.value("deploy_type").(type) {
	case nil:
		return &pysem.Error{Type: "AssertionError"}
	case string:
		t, err := NewDeployType(word)
		c.DeployType = t
		return err
	case []byte: // bytes have lower(), but equal no str
		return &pysem.Error{Type: "AssertionError"}
	default:
		return pysem.AttributeError(word, "lower")
	}
}

// checkNumShard requires that num_shard equals the number in the environment (Q159).
func (c *AgentConfig) checkNumShard() error {
	text, ok := c.env.Host.LookupEnv(HostShardEnv)
	if !ok {
		text = "1"
	}
	_, want, err := pysem.ParseSmallInt(text)
	if err != nil {
		return err
	}
	switch found := c.value("num_shard"); {
	case found == nil:
		return c.Set("num_shard", want)
	case !pysem.Equal(found, want):
		return &pysem.Error{Type: "AssertionError"}
	}
	return nil
}

// chooseReplicaID takes the replica id from the environment and ignores the file's (Q160). It uses
// REPLICA_ID, or else the pod's name. Version 1 ignores REPLICA_ID, even where it distinguishes the
// agents of a dense pod (Q2).
func (c *AgentConfig) chooseReplicaID() error {
	if c.ReplicaID.Set && !c.Quirks.Keeps(quirks.Q160) {
		return nil
	}
	if !c.IsVersion(1) || c.DeployType == DeployDense && !c.Quirks.Keeps(quirks.Q2) {
		if text, ok := c.env.Host.LookupEnv("REPLICA_ID"); ok {
			n, exact, err := pysem.ParseSmallInt(text)
			if err != nil {
				return err
			}
			if n != -1 {
				return c.Set("replica_id", exact)
			}
		}
	}
	c.ReplicaID = pysem.Some(ReplicaIDFromPodName(c.env))
	return nil
}

// ReplicaIDFromPodName returns 40 bits of the MD5 of MY_POD_NAME, or -1 if that is not set
// (utils.py:182-192).
func ReplicaIDFromPodName(e *env.Env) int {
	name, ok := e.Host.LookupEnv("MY_POD_NAME")
	if !ok || !utf8.ValidString(name) {
		return -1
	}
	sum := md5.Sum([]byte(name))
	id, err := strconv.ParseInt(hex.EncodeToString(sum[:])[10:20], 16, 64)
	if err != nil {
		panic("agent: ten hexadecimal digits do not fit an int64")
	}
	return int(id)
}
