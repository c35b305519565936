package replicamanager

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// updateRound is one time through the models.
type updateRound struct {
	models  []ownModel
	replica pysem.OptInt // at the beginning
	usual   func(i int, versions []env.ModelVersionStatus) bool
}

// updateAll is one round; the first model that fails ends it, and is named with the
// error: "None" where there is none yet.
func (u *ReplicaUpdater) updateAll() (model string, err error) {
	models, err := u.ownList()
	if err != nil {
		return "None", err
	}
	u.round.models, u.round.replica = models, u.conf.ReplicaID
	names := u.own.names
	for i := 0; i < len(models); i++ {
		switch {
		case u.conf.ReplicaID != u.round.replica:
			err = u.Update(names[i]) // the id was adopted while a server was asked
		case u.replaced:
			err = u.updateModel(&models[i])
		default:
			var versions []env.ModelVersionStatus
			i, versions, err = u.models.StatusFrom(names, i, u.round.usual)
			err = u.answered(&models[i], versions, err)
		}
		if err != nil {
			return names[i], err
		}
	}
	return "", nil
}

// unchanged reports whether an answer gives nothing to report.
func (u *ReplicaUpdater) unchanged(i int, versions []env.ModelVersionStatus) bool {
	m := &u.round.models[i]
	if len(versions) == 0 || m.changes != u.changes || m.meta == nil || u.conf.ReplicaID != u.round.replica {
		return false
	}
	chosen := tfs.BestVersion(versions, false)
	return chosen.Status.Code == env.OK && chosen.State == m.meta.Stat
}

// ownModels are the models of the container with their paths, which are the same
// from second to second.
type ownModels struct {
	valid bool
	key   ownKey
	list  []ownModel
	names []string
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
	u.own = ownModels{valid: true, key: key, list: list, names: names}
	return list, nil
}
