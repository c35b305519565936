package gotestee

import (
	"github.com/monosim/monosim/engine/agent"
)

// constantsOps are constants.py, and what reads the variable that it names.
var constantsOps = table{
	"constants.values":         (*call).constantValues,
	"constants.HOST_SHARD_ENV": (*call).hostShardEnv,
}

func (c *call) constantValues() (any, error) {
	return object("HOST_SHARD_ENV", agent.HostShardEnv), nil
}

// hostShardEnv makes a configuration without the variable and one with it.
func (c *call) hostShardEnv() (any, error) {
	c.host.unsetenv(agent.HostShardEnv)
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	shards := func() any { return attempt(conf.NumTCEShard()) }
	before := shards()
	if value := c.in.optStr("value"); value.Set {
		c.host.Setenv(agent.HostShardEnv, value.V)
	}
	return object("before", before, "after", shards(), "made", attempt(c.shardsAndTasks())), nil
}

func (c *call) shardsAndTasks() (any, error) {
	conf, err := c.config()
	if err != nil {
		return nil, err
	}
	shards, _ := conf.Get("num_shard")
	tasks, err := conf.ServerSchedule(agent.ServerPS)
	return []any{shards, attempt(tasks, err)}, nil
}
