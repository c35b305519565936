package zkmirror

import (
	"strings"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/quirks"
)

// onceEach watches the children of a path and calls watch once for each child. A child that is
// deleted and created again is not watched again. Several calls can share the map known. The
// function key then tells the children of different paths apart.
func (m *ZKMirror) onceEach(path string, known map[string]bool, key func(child string) string, watch func(path string) error) error {
	_, err := m.zk.ChildrenWatch(path, func(children []string) error {
		for _, child := range children {
			if known[key(child)] {
				continue
			}
			known[key(child)] = true
			if err := watch(pysem.JoinStrings(path, child)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func itself(child string) string { return child }

// dataWatch calls changed with the data of a path at each change.
func (m *ZKMirror) dataWatch(path string, changed func(path string, data []byte, event *env.WatchEvent) error) error {
	_, err := m.zk.DataWatch(path, func(data []byte, _ *env.Stat, event *env.WatchEvent) error {
		return changed(path, data, event)
	})
	return err
}

// again records a function that sets a watch, so that a restart can call it again. The reference
// does not set such watches again (Q188).
func (m *ZKMirror) again(watch func() error) { m.started = append(m.started, watch) }

// WatchPortal first deletes the publishes of models that are no longer requested. Then it watches
// the requests. For each model that is newly requested or no longer requested, it queues an event
// of type PORTAL (zk_mirror.py:397).
func (m *ZKMirror) WatchPortal() error {
	m.again(m.watchPortal)
	return m.watchPortal()
}

func (m *ZKMirror) watchPortal() error {
	for _, path := range []string{m.paths.Portal, m.paths.Publish} {
		if err := m.zk.EnsurePath(path); err != nil {
			return err
		}
	}
	if err := m.dropOrphans(); err != nil {
		return err
	}
	m.e.Log.Logf(env.Info, "add children watch in portal")
	return m.onceEach(m.paths.Portal, map[string]bool{}, itself, func(path string) error {
		m.e.Log.Logf(env.Info, "add data watch for model %s in portal", pysem.Basename(path))
		return m.dataWatch(path, m.portalChanged)
	})
}

// dropOrphans deletes the publishes of models that are not requested, in the order of Python's set
// of these models (zk_mirror.py:401).
func (m *ZKMirror) dropOrphans() error {
	asked, err := m.zk.Children(m.paths.Portal)
	if err != nil {
		return err
	}
	published, err := m.zk.Children(m.paths.Publish)
	if err != nil {
		return err
	}
	orphans := pyset.Strings(m.hashing)
	for _, name := range published {
		orphans.Add(publishedModel(name))
	}
	if len(asked) > 0 {
		orphans = orphans.Minus(pyset.Strings(m.hashing, asked...))
	}
	for _, model := range orphans.Keys() {
		names, err := m.zk.Children(m.paths.Publish)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !m.isOfModel(name, model) {
				continue
			}
			if err := m.Delete(pysem.JoinStrings(m.paths.Publish, name), true); err != nil {
				return err
			}
		}
	}
	return nil
}

// portalChanged queues an event for a model that is newly requested or no longer requested. The
// event's action is the type of the change. At the first call of a watch the action is NONE. New
// models are found by such a first call, so their action is NONE, too (Q187).
func (m *ZKMirror) portalChanged(path string, data []byte, event *env.WatchEvent) error {
	action := env.EventNone
	if event == nil {
		m.e.Log.Logf(env.Info, "call watch_portal when restart %v", pylog.Bytes(data))
	}
	switch {
	case event == nil && data == nil:
		action = env.EventDeleted
	case event == nil:
	case event.Type == env.EventCreated || event.Type == env.EventDeleted:
		action = event.Type
	case event.Type == env.EventChanged && !m.keeps(quirks.Q187):
		action = event.Type
	default:
		return nil
	}
	mm := datadef.DefaultModelMeta()
	mm.ModelName = pysem.Some(pysem.Basename(path))
	if len(data) > 0 {
		var err error
		if mm, err = datadef.ParseModelMeta(data); err != nil {
			return err
		}
	}
	if err := mm.Set("action", action.String()); err != nil {
		return err
	}
	m.put(path, mm.Serialize(), datadef.EventPortal)
	return nil
}

func (m *ZKMirror) put(path string, data []byte, etype datadef.EventType) {
	m.queue.Put(datadef.Event{Path: pysem.Some(path), Data: data, EType: etype})
}

// WatchPublish mirrors the publishes. It queues an event of type PUBLISH when all publishes of a
// model have arrived, and when all are gone (zk_mirror.py:467).
func (m *ZKMirror) WatchPublish() error {
	if err := m.zk.EnsurePath(m.paths.Publish); err != nil {
		return err
	}
	return m.onceEach(m.paths.Publish, map[string]bool{}, itself, func(path string) error {
		return m.dataWatch(path, m.publishChanged)
	})
}

func (m *ZKMirror) publishChanged(path string, data []byte, event *env.WatchEvent) error {
	if len(data) == 0 {
		data = m.Get(path)
	}
	if len(data) == 0 {
		m.e.Log.Logf(env.Info, "watch_publish: data is None, %v", pylog.Event(event))
		return nil
	}
	pm, err := datadef.PublishMetaClass.Decode(data)
	if err != nil {
		return err
	}
	if err := m.storePublish(path, data, pm, event); err != nil {
		return err
	}
	count, err := m.countPublishes(pm)
	if err != nil {
		return err
	}
	if count == 0 || pysem.Equal(count, datadef.PublishMetaClass.Get(pm, "total_publish_num")) {
		verb := "load"
		if count == 0 {
			verb = "unload"
		}
		m.e.Log.Logf(env.Info, "all the publish of model %s arrived, send event to %s", pm.ModelNameText(), verb)
		if stored, ok := m.data.Get(pm.GetPath(m.paths.Publish)); ok {
			data = stored
		}
		m.put(path, data, datadef.EventPublish)
	}
	return nil
}

// storePublish stores a publish of type LOAD in the cache. If a publish changes, its first content
// stays (Q181).
func (m *ZKMirror) storePublish(path string, data []byte, pm *datadef.PublishMeta, event *env.WatchEvent) error {
	_, cached := m.data.Get(path)
	switch {
	case event != nil && event.Type == env.EventDeleted:
		m.data.Delete(path)
	case event != nil && event.Type != env.EventCreated && (event.Type != env.EventChanged || m.keeps(quirks.Q181)):
	case pm.PType == datadef.PublishLoad:
		m.data.Set(path, data)
	case !cached && m.keeps(quirks.Q185):
		return pysem.Raise("KeyError", "%s", pysem.Repr(path))
	default:
		m.data.Delete(path)
	}
	return nil
}

// countPublishes returns how many publishes of pm's model are in the cache.
func (m *ZKMirror) countPublishes(pm *datadef.PublishMeta) (int, error) {
	count := 0
	value := datadef.PublishMetaClass.Get(pm, "model_name")
	model, ok := value.(string)
	for path := range m.data.All {
		if !strings.HasPrefix(path, m.paths.Publish) {
			continue
		}
		if !ok {
			return 0, pysem.Raise("TypeError", "endswith first arg must be str or a tuple of str, not %s", pysem.TypeName(value))
		}
		if m.isOfModel(path, model) {
			count++
		}
	}
	return count, nil
}

// WatchResource mirrors what the containers offer. If no container has reported anything before,
// the watch of a real client never fires (Q183).
func (m *ZKMirror) WatchResource() error {
	m.again(m.watchResource)
	return m.watchResource()
}

func (m *ZKMirror) watchResource() error {
	if !m.keeps(quirks.Q183) {
		if err := m.zk.EnsurePath(m.paths.Resource); err != nil {
			return err
		}
	}
	return m.onceEach(m.paths.Resource, map[string]bool{}, itself, func(path string) error {
		return m.dataWatch(path, m.nodeChanged)
	})
}

// WatchService mirrors the replicas of all models (zk_mirror.py:557).
func (m *ZKMirror) WatchService() error {
	if err := m.zk.EnsurePath(m.paths.Service); err != nil {
		return err
	}
	known := map[string]bool{}
	below := func(prefix string) func(string) string {
		return func(child string) string { return prefix + ":" + child }
	}
	watchTask := func(path string) error {
		m.e.Log.Logf(env.Info, "task_path: %s", path)
		prefix := pysem.Basename(pysem.Dirname(path)) + ":" + pysem.Basename(path)
		return m.onceEach(path, known, below(prefix), func(path string) error {
			m.e.Log.Logf(env.Info, "data_path: %s", path)
			return m.dataWatch(path, m.replicaChanged)
		})
	}
	watchModel := func(path string) error {
		m.e.Log.Logf(env.Info, "model_path: %s", path)
		return m.onceEach(path, known, below(pysem.Basename(path)), watchTask)
	}
	return m.onceEach(m.paths.Service, known, itself, watchModel)
}

func (m *ZKMirror) replicaChanged(path string, data []byte, event *env.WatchEvent) error {
	m.e.Log.Logf(env.Info, "service data_watch: %s: %v, %v", path, pylog.Bytes(data), pylog.Event(event))
	return m.nodeChanged(path, data, event)
}

// nodeChanged stores the data of a znode in the cache (zk_mirror.py:533). If the data is empty, the
// cached value stays. For a znode that was deleted before its watch was set, the cached value is
// None (Q184).
func (m *ZKMirror) nodeChanged(path string, data []byte, event *env.WatchEvent) error {
	gone := data == nil
	cached, known := m.data.Get(path)
	if len(data) == 0 {
		data = cached
	}
	switch {
	case event == nil || event.Type == env.EventCreated || event.Type == env.EventChanged:
		if (gone || data == nil) && !m.keeps(quirks.Q184) {
			m.data.Delete(path)
			return nil
		}
		m.data.Set(path, data)
	case event.Type == env.EventDeleted:
		if !known {
			return pysem.Raise("KeyError", "%s", pysem.Repr(path))
		}
		m.data.Delete(path)
	}
	return nil
}
