package agentcheck

import (
	"fmt"
	"strconv"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/quirks"
)

// before lists the models that have to be AVAILABLE before an entry starts.
func before(conf *agentconfig.AgentConfig) (models []string) {
	for task := range conf.NumPS {
		models = append(models, modelV1("ps", strconv.Itoa(task)))
	}
	if conf.DenseAlone {
		models = append(models, modelV1("dense", "0"))
	}
	return models
}

// placeV1 returns what an agent v1 has to serve: its tasks (replica_manager.py:434).
func placeV1(a *agent.AgentV1) (*place, error) {
	conf := a.Conf()
	prefix, err := conf.PathPrefix()
	if err != nil {
		return nil, err
	}
	p := &place{v1: true, prefix: prefix, rough: roughOf(conf)}
	frozen := func(kind string) bool {
		if kind == "ps" && conf.Quirks.Keeps(quirks.Q212) {
			return conf.FileSystemPollWaitSecondsPS == 0
		}
		return conf.FileSystemPollWaitSeconds == 0 && (kind != "ps" || conf.FileSystemPollWaitSecondsPS == 0)
	}
	add := func(kind, task, id string) {
		model := modelV1(kind, task)
		p.tasks = append(p.tasks, target{
			kind: kind, model: model, key: kind + ":" + task, base: conf.BasePath.V + "/" + model,
			node: fmt.Sprintf("%s/%s:%s/%s", prefix, kind, task, id), frozen: frozen(kind),
		})
		if p.rough != nil && conf.RoughSortModelLoadedServer.V == kind {
			part := kind + "_item_embedding_" + task
			p.tasks = append(p.tasks, target{kind: kind, model: part, base: part, rough: p.rough, frozen: frozen(kind)})
		}
	}
	for _, model := range before(conf) {
		p.before = append(p.before, target{kind: agentconfig.ServerEntry, model: model, base: conf.BasePath.V + "/" + model})
	}
	mixed, id := conf.DeployType == agentconfig.DeployMixed, conf.ReplicaID.String()
	if mixed || conf.DeployType == agentconfig.DeployPS {
		tasks, err := tasksOf(conf)
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			add("ps", strconv.Itoa(task), id)
		}
	}
	if conf.DenseAlone && (mixed || conf.DeployType == agentconfig.DeployDense) {
		add("dense", "0", id)
	}
	if mixed || conf.DeployType == agentconfig.DeployEntry {
		add("entry", "0", padded(conf.ReplicaID.V))
	}
	return p, nil
}

// tasksOf lists the PS of a pod: every num_shard-th, from the number of its shard on. They are counted
// here from the configuration, so as not to ask the agent that is checked.
func tasksOf(conf *agentconfig.AgentConfig) (tasks []int, err error) {
	shard, err := conf.ShardID()
	if err != nil {
		return nil, err
	}
	if shard < 0 && conf.Quirks.Keeps(quirks.Q161) {
		return nil, nil
	}
	for task := max(shard, 0); task < conf.NumPS; task += max(conf.NumShard.V, 1) {
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// padded formats the id of an entry's replica as its znode has it (replica_manager.py:513).
func padded(id int) string { return fmt.Sprintf("%011d", id) }
