package zkmirror

import (
	"bytes"
	"strings"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
)

// ReportResource writes what the container offers into an ephemeral znode (zk_mirror.py:155).
func (m *ZKMirror) ReportResource(spec *datadef.ResourceSpec) error {
	return m.Create(spec.GetPath(m.paths.Resource), spec.Serialize(), env.CreateOptions{Ephemeral: true, MakePath: true})
}

// UpdateService makes the given replicas the only ones of this container in ZooKeeper
// (zk_mirror.py:296). First it deletes the others, in the order of Python's set, and stops at an
// error. Then it writes new and changed replicas as ephemeral znodes, and only logs errors.
func (m *ZKMirror) UpdateService(replicas []*datadef.ReplicaMeta) error {
	changed := pysem.NewOrderedMap[string, []byte]()
	given := pyset.Strings(m.hashing)
	for _, rm := range replicas {
		path, err := rm.GetPath(m.o.Bzid, "/")
		if err != nil {
			return err
		}
		data := rm.Serialize()
		given.Add(path)
		if !bytes.Equal(m.Get(path), data) {
			changed.Set(path, data)
		}
	}
	local, err := m.localReplicaPaths()
	if err != nil {
		return err
	}
	for _, path := range local.Minus(given).Keys() {
		if err := m.Delete(path, true); err != nil {
			return err
		}
	}
	if changed.Len() > 0 {
		m.e.Log.Logf(env.Info, "need_create_or_update: %v", pylog.Later(func() string { return reprOfChanges(changed) }))
	}
	for path, data := range changed.All {
		if err := m.Create(path, data, env.CreateOptions{Ephemeral: true, MakePath: true}); err != nil {
			m.e.Log.Logf(env.Info, "%s", pylog.Repr(err))
		}
	}
	return nil
}

func reprOfChanges(changed *pysem.OrderedMap[string, []byte]) string {
	d := &pysem.Dict{}
	for path, data := range changed.All {
		d.Set(path, data)
	}
	return pysem.Repr(d)
}

// LocalReplicaPaths returns the znodes of this container's replicas, sorted. A replica belongs to
// the container if it has the same address, up to the first colon, and the same replica id
// (zk_mirror.py:322). A replica without an address is an AttributeError.
func (m *ZKMirror) LocalReplicaPaths() ([]string, error) {
	paths, err := m.localReplicaPaths()
	if err != nil {
		return nil, err
	}
	return pysem.SortedStrings(paths.Keys()), nil
}

func (m *ZKMirror) localReplicaPaths() (*pyset.Words[string], error) {
	paths := pyset.Strings(m.hashing)
	for path, data := range m.data.All {
		if !strings.HasPrefix(path, m.paths.Service) {
			continue
		}
		rm, err := mirrored(datadef.ReplicaMetaClass, data)
		if err != nil {
			return nil, err
		}
		local, err := m.isLocal(rm)
		if err != nil {
			return nil, err
		}
		if local {
			paths.Add(path)
		}
	}
	return paths, nil
}

func (m *ZKMirror) isLocal(rm *datadef.ReplicaMeta) (bool, error) {
	if !rm.Address.Set {
		return false, pysem.AttributeError(datadef.ReplicaMetaClass.Get(rm, "address"), "split")
	}
	if host, _, _ := strings.Cut(rm.Address.V, ":"); host != m.host {
		return false, nil
	}
	id, err := m.TCEReplicaID()
	return pysem.Equal(datadef.ReplicaMetaClass.Get(rm, "replica"), id), err
}
