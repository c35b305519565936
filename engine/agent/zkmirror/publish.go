package zkmirror

import (
	"bytes"
	"strings"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
)

// PublishLoading writes the given publishes to ZooKeeper, except those that the mirror already has
// in the same form (zk_mirror.py:204). A scheduler calls it. It stops at the first error.
func (m *ZKMirror) PublishLoading(metas ...*datadef.PublishMeta) error {
	for _, pm := range metas {
		path, data := pm.GetPath(m.paths.Publish), pm.Serialize()
		if bytes.Equal(m.Get(path), data) {
			continue
		}
		if err := m.Create(path, data, env.CreateOptions{MakePath: true}); err != nil {
			return err
		}
	}
	return nil
}

// ExpectedModel is a model that this container has to load.
type ExpectedModel struct {
	Name pysem.OptString
	Meta *datadef.PublishMeta
}

// ExpectedLoading lists the models that this container has to load (zk_mirror.py:219). A model is
// listed once all of its publishes have arrived. The container uses its own publish if there is
// one. Otherwise it derives one from the publish with the fewest sub-models (the reference's
// comment says the most, Q191).
func (m *ZKMirror) ExpectedLoading() ([]ExpectedModel, error) {
	selected, err := m.completePublishes()
	if err != nil {
		return nil, err
	}
	expected := pysem.NewOrderedMap[string, ExpectedModel]()
	for _, pm := range selected {
		replica, err := m.TCEReplicaID()
		if err != nil {
			return nil, err
		}
		own := datadef.PublishMeta{ShardID: pysem.Some(m.shard), ReplicaID: replica, ModelName: pysem.Some(pm.ModelNameText())}
		if data := m.Get(own.GetPath(m.paths.Publish)); data != nil {
			if pm, err = datadef.PublishMetaClass.Decode(data); err != nil {
				return nil, err
			}
		}
		if pm.PType != datadef.PublishLoad {
			m.e.Log.Logf(env.Info, "ptype is not load, skip!")
			continue
		}
		// The key is the repr, because the name None and the name "None" are different models.
		key := pysem.Repr(datadef.PublishMetaClass.Get(pm, "model_name"))
		_, known := expected.Get(key)
		override, err := m.adopt(pm, replica, known)
		if err != nil {
			return nil, err
		}
		if override || !known {
			expected.Set(key, ExpectedModel{Name: pm.ModelName, Meta: pm})
		}
	}
	list := make([]ExpectedModel, 0, expected.Len())
	for _, model := range expected.All {
		list = append(list, model)
	}
	return list, nil
}

// adopt changes a publish into one for this container, unless the model is already known. The
// container's own publish stays unchanged and overrides others. A new replica of the same shard
// takes all sub-models, unless the publish is for specific replicas. Any other container takes only
// the entry sub-models, which every publish has.
func (m *ZKMirror) adopt(pm *datadef.PublishMeta, replica int, known bool) (override bool, err error) {
	ownShard := pysem.Equal(datadef.PublishMetaClass.Get(pm, "shard_id"), m.shard)
	if ownShard && pysem.Equal(datadef.PublishMetaClass.Get(pm, "replica_id"), replica) {
		return true, nil
	}
	if known {
		return false, nil
	}
	autoscaled := ownShard && !pysem.Truth(datadef.PublishMetaClass.Get(pm, "is_spec"))
	if err := pm.Set("replica_id", replica); err != nil || autoscaled {
		return false, err
	}
	if err := pm.Set("shard_id", m.shard); err != nil {
		return false, err
	}
	items, err := pm.SubModelItems()
	if err != nil {
		return false, err
	}
	entries := &pysem.Dict{}
	for _, sub := range items {
		if strings.HasPrefix(sub.Key, agentconfig.ServerEntry) {
			entries.Set(sub.Key, sub.Value)
		}
	}
	return false, pm.Set("sub_models", entries)
}

// completePublishes returns the publish with the fewest sub-models for each model whose publishes
// are complete. They are complete when as many have arrived as the last one announces.
func (m *ZKMirror) completePublishes() ([]*datadef.PublishMeta, error) {
	type arrival struct {
		count    int
		shortest *datadef.PublishMeta
	}
	arrivals := map[string]*arrival{}
	var selected []*datadef.PublishMeta
	for _, node := range m.Children(m.paths.Publish) {
		pm, err := mirrored(datadef.PublishMetaClass, m.Get(pysem.JoinStrings(m.paths.Publish, node)))
		if err != nil {
			return nil, err
		}
		parts := strings.Split(node, ":")
		if len(parts) != 3 {
			return nil, pysem.Raise("ValueError", "found %d values to unpack (expected 3)", len(parts))
		}
		a, ok := arrivals[parts[2]]
		if !ok {
			a = &arrival{shortest: pm}
			arrivals[parts[2]] = a
		} else if shorter, err := hasFewerSubModels(pm, a.shortest); err != nil {
			return nil, err
		} else if shorter {
			a.shortest = pm
		}
		a.count++
		if pysem.Equal(a.count, datadef.PublishMetaClass.Get(pm, "total_publish_num")) {
			selected = append(selected, a.shortest)
		}
	}
	return selected, nil
}

func hasFewerSubModels(a, b *datadef.PublishMeta) (bool, error) {
	lenB, err := lenSubModels(b)
	if err != nil {
		return false, err
	}
	lenA, err := lenSubModels(a)
	return lenA < lenB, err
}

// lenSubModels returns Python's len(sub_models). It is a TypeError for None.
func lenSubModels(pm *datadef.PublishMeta) (int, error) {
	value := datadef.PublishMetaClass.Get(pm, "sub_models")
	dict, ok := value.(*pysem.Dict)
	if !ok {
		return 0, pysem.Raise("TypeError", "object of type '%s' has no len()", pysem.TypeName(value))
	}
	return len(dict.Items), nil
}

// GetPublishedPath lists the znodes of a model's publishes that are in the cache
// (zk_mirror.py:287).
func (m *ZKMirror) GetPublishedPath(model string) []string {
	paths := []string{}
	for path := range m.data.All {
		if strings.HasPrefix(path, m.paths.Publish) && m.isOfModel(path, model) {
			paths = append(paths, path)
		}
	}
	return paths
}

// isOfModel reports whether the publish at path belongs to a model. The reference only compares the
// end of the path, so that the model m also gets publishes of xm (Q182).
func (m *ZKMirror) isOfModel(path, model string) bool {
	if m.keeps(quirks.Q182) {
		return strings.HasSuffix(path, model)
	}
	return publishedModel(path) == model
}

// publishedModel returns the model in a name "<shard>:<replica>:<model>".
func publishedModel(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }
