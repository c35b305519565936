package replicamanager

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/pysem"
)

// updateAll is one round; the first model that fails ends it, and is named with the
// error: "None" where there is none yet.
func (u *ReplicaUpdater) updateAll() (model string, err error) {
	models, err := u.ownList()
	if err != nil {
		return "None", err
	}
	replica := u.conf.ReplicaID
	for i := range models {
		m := &models[i]
		if u.conf.ReplicaID != replica {
			err = u.Update(m.name) // the id was adopted while a server was asked
		} else {
			err = u.updateModel(m)
		}
		if err != nil {
			return m.name, err
		}
	}
	return "", nil
}

// ownModels are the models of the container with their paths, which are the same
// from second to second.
type ownModels struct {
	valid bool
	key   ownKey
	list  []ownModel
}

// ownKey is all that names and paths depend on and that may change.
type ownKey struct {
	deploy          agentconfig.DeployType
	denseAlone      bool
	numPS           int
	shards, replica pysem.OptInt
	shard           string
	hasShard        bool
}

type ownModel struct {
	name, path string
	meta       *datadef.ReplicaMeta // that of the path, nil for none
	changes    int                  // the count of changes for which meta was looked up
}

func (u *ReplicaUpdater) ownKey() ownKey {
	k := ownKey{
		deploy: u.conf.DeployType, denseAlone: u.conf.DenseAlone, numPS: u.conf.NumPS,
		shards: u.conf.NumShard, replica: u.conf.ReplicaID,
	}
	k.shard, k.hasShard = u.e.Host.LookupEnv("SHARD_ID")
	return k
}

// ownList lists the models that are reported. The slice is replaced, not changed,
// when they are others.
func (u *ReplicaUpdater) ownList() ([]ownModel, error) {
	key := u.ownKey()
	if u.own.valid && u.own.key == key {
		return u.own.list, nil
	}
	names, err := u.ModelNames()
	if err != nil {
		return nil, err
	}
	list := make([]ownModel, len(names))
	for i, name := range names {
		path, err := u.pathOf(name)
		if err != nil {
			return nil, err
		}
		list[i] = ownModel{name: name, path: path, changes: -1}
	}
	u.own = ownModels{valid: true, key: key, list: list}
	return list, nil
}
