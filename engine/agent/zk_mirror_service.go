package agent

import (
	"bytes"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ReportResource tells what the container offers (zk_mirror.py:155).
func (m *ZKMirror) ReportResource(spec *ResourceSpec) error {
	return m.Create(spec.GetPath(m.paths.Resource), spec.Serialize(), env.CreateOptions{Ephemeral: true, MakePath: true})
}

// UpdateService makes the container's replicas in ZooKeeper those given
// (zk_mirror.py:296): first what is not given is deleted, by path since the
// reference's set has no order, then what is new or changed is written. Failed
// writes are only logged.
func (m *ZKMirror) UpdateService(replicas []*ReplicaMeta) error {
	changed := newOrdered[string, []byte]()
	given := map[string]bool{}
	for _, rm := range replicas {
		path, err := rm.GetPath(m.o.Bzid, "/")
		if err != nil {
			return err
		}
		data := rm.Serialize()
		given[path] = true
		if !bytes.Equal(m.Get(path), data) {
			changed.set(path, data)
		}
	}
	local, err := m.LocalReplicaPaths()
	if err != nil {
		return err
	}
	for _, path := range local {
		if given[path] {
			continue
		}
		if err := m.Delete(path, true); err != nil {
			return err
		}
	}
	for path, data := range changed.all {
		if err := m.Create(path, data, env.CreateOptions{Ephemeral: true, MakePath: true}); err != nil {
			m.e.Log.Logf(env.Info, "update service %s: %v", path, err)
		}
	}
	return nil
}

// LocalReplicaPaths are the paths of this container's replicas, sorted: those
// with its address, which is cut at the first colon, and its replica id
// (zk_mirror.py:322).
func (m *ZKMirror) LocalReplicaPaths() ([]string, error) {
	paths := []string{}
	for path, data := range m.data.all {
		if !strings.HasPrefix(path, m.paths.Service) {
			continue
		}
		rm, err := mirrored(&replicaMetaClass, data)
		if err != nil {
			return nil, err
		}
		local, err := m.isLocal(rm)
		if err != nil {
			return nil, err
		}
		if local {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func (m *ZKMirror) isLocal(rm *ReplicaMeta) (bool, error) {
	if !rm.Address.Set {
		return false, pysem.AttributeError(replicaMetaClass.get(rm, "address"), "split")
	}
	if host, _, _ := strings.Cut(rm.Address.V, ":"); host != m.host {
		return false, nil
	}
	id, err := m.TCEReplicaID()
	return pysem.Equal(replicaMetaClass.get(rm, "replica"), id), err
}
