package gotestee

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// constantsOps holds the operations on constants.py, and on a configuration that reads the
// environment variable named there.
var constantsOps = table{
	"constants.values":         func(c *call) (any, error) { return caseworld.Object("HOST_SHARD_ENV", agentconfig.HostShardEnv), nil },
	"constants.HOST_SHARD_ENV": (*call).hostShardEnv,
}

// hostShardEnv makes two configurations, one without the environment variable and one with it.
func (c *call) hostShardEnv() (any, error) {
	c.Host.Unsetenv(agentconfig.HostShardEnv)
	conf, err := c.countedConfig()
	if err != nil {
		return nil, err
	}
	shards := func() any { return caseworld.Attempt(conf.NumTCEShard()) }
	before := shards()
	if value := c.In.OptStr("value"); value.Set {
		c.Host.Setenv(agentconfig.HostShardEnv, value.V)
	}
	return caseworld.Object("before", before, "after", shards(), "made", caseworld.Attempt(c.shardsAndTasks())), nil
}

func (c *call) shardsAndTasks() (any, error) {
	conf, err := c.countedConfig()
	if err != nil {
		return nil, err
	}
	shards, _ := conf.Get("num_shard")
	return []any{shards, caseworld.Attempt(conf.ServerSchedule(agentconfig.ServerPS))}, nil
}
