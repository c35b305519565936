package replicamanager

import (
	"errors"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// Poll compares with ZooKeeper once a minute, until Stop; errors end the round only
// (replica_manager.py:188-274). It is the whole of a task: the caller returns right after
// it.
func (w *ReplicaWatcher) Poll() {
	loop := threading.NewLoop(w.e.Tasks, pollPeriod)
	if w.stopping {
		return
	}
	loop.Run(func() bool {
		if !w.session.Poll {
			return !w.stopping
		}
		if err := w.Reconcile(); err != nil {
			if w.pollFailed.Due(w.e.Clock, 10*time.Minute) {
				w.e.Log.Logf(env.Error, "exc_type: %s", pylog.Class(err))
			}
		}
		return !w.stopping
	})
}

// Reconcile reads the whole tree and makes the mirror equal to it. Of the replicas that
// are gone from ZooKeeper it registers those again that it takes for the container's own
// (replica_manager.py:194-269). One replica that vanishes while it reads is an error, and
// the mirror stays as it was (Q211).
//
// Cost: reads grow with the znodes below the prefix: every 60 s each agent lists and
// reads them all, though they are watched too, so that n agents cost n² reads a minute.
func (w *ReplicaWatcher) Reconcile() error {
	reader := w.reader
	w.reader = nil // another round at the same time reads for itself
	if reader == nil {
		reader = newTreeReader(w.zk, w.e.Shared, w.prefix, w.conf.DCAware)
	}
	defer func() { w.reader = reader }()
	if err := reader.read(); err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if reader.unchanged(w.replicas) {
		return nil
	}
	fresh := reader.mirror()
	again, err := w.ownAmong(w.missingFrom(fresh))
	if err != nil {
		return err
	}
	w.replace(fresh)
	// popitem takes the last one first.
	for i := len(again) - 1; i >= 0; i-- {
		r := again[i]
		err := w.zk.Retry(func() error {
			_, err := w.zk.Create(r.path, r.meta.Serialize(), env.CreateOptions{Ephemeral: true, MakePath: true})
			return err
		})
		if errors.Is(err, zkerrors.ErrNodeExists) {
			w.e.Log.Logf(env.Info, "%s has already exists", r.path)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// replace takes other replicas in place of all that there are. These are let go: a watched
// task may still have the map in which it found its own.
func (w *ReplicaWatcher) replace(fresh *pysem.OrderedMap[string, *replicaMap]) {
	for _, old := range w.replicas.All {
		*old = replicaMap{names: old.names}
	}
	w.replicas = fresh
	w.layout++
	w.changes++
}

// pathMeta is a replica with its path.
type pathMeta struct {
	path string
	meta *datadef.ReplicaMeta
}

// missingFrom lists the replicas that the mirror has and fresh has not, in the order of
// Python's set (replica_manager.py:230). They are the mirror's own, to be changed in it.
func (w *ReplicaWatcher) missingFrom(fresh *pysem.OrderedMap[string, *replicaMap]) []pathMeta {
	if !w.misses(fresh) {
		return nil // as nearly always: fresh only has them in another order, or more
	}
	type place struct {
		replicas *replicaMap
		id       string
	}
	places := map[string]place{}
	var known []string
	for task, replicas := range w.replicas.All {
		for id := range replicas.all {
			path := pysem.JoinStrings(task, id)
			places[path] = place{replicas, id}
			known = append(known, path)
		}
	}
	h := pyset.HashingOf(w.e.Python)
	var list []pathMeta
	for _, path := range pyset.StringsOfDict(h, known).Minus(pyset.StringsOfDict(h, paths(fresh))).Keys() {
		at := places[path]
		meta, _ := at.replicas.get(at.id)
		own := *meta
		at.replicas.setOwn(at.id, &own)
		list = append(list, pathMeta{path, &own})
	}
	return list
}

// misses reports whether the mirror has a replica that fresh has not.
func (w *ReplicaWatcher) misses(fresh *pysem.OrderedMap[string, *replicaMap]) bool {
	for task, replicas := range w.replicas.All {
		other, ok := fresh.Get(task)
		if !ok && replicas.len() > 0 || ok && !other.hasAllOf(replicas) {
			return true
		}
	}
	return false
}

// paths are those of all replicas of a tree.
func paths(tree *pysem.OrderedMap[string, *replicaMap]) []string {
	var list []string
	for task, replicas := range tree.All {
		for id := range replicas.all {
			list = append(list, pysem.JoinStrings(task, id))
		}
	}
	return list
}

// ownAmong picks the replicas to register again (replica_manager.py:229-249).
// The test is by substring, so replica 1 also takes 12 (Q111), and the port is
// tfs_port_grpc, which ps and mixed deployments do not have (Q110).
func (w *ReplicaWatcher) ownAmong(missing []pathMeta) ([]pathMeta, error) {
	server, grpc, archon := "", pysem.OptInt{}, pysem.OptInt{}
	switch w.conf.DeployType {
	case agentconfig.DeployMixed, agentconfig.DeployPS:
		server, grpc, archon = agentconfig.ServerPS, w.conf.TFSPortGRPC, w.conf.TFSPSArchonPort
	case agentconfig.DeployDense:
		server, grpc, archon = agentconfig.ServerDense, w.conf.TFSDensePort, w.conf.TFSDenseArchonPort
	}
	if server == "" || len(missing) == 0 {
		return nil, nil
	}
	schedule, err := w.conf.ServerSchedule(server)
	if err != nil {
		return nil, err
	}
	var own []pathMeta
	for _, task := range schedule {
		part := "/" + server + ":" + task.String() + "/" + w.conf.ReplicaID.String()
		for _, m := range missing {
			if !strings.Contains(m.path, part) {
				continue
			}
			if err := movePorts(m.meta, grpc, archon); err != nil {
				return nil, err
			}
			own = append(own, m)
		}
	}
	return own, nil
}

// movePorts cuts each address at its first colon and gives it a port; an address
// of None is an AttributeError.
func movePorts(m *datadef.ReplicaMeta, grpc, archon pysem.OptInt) error {
	moves := []struct {
		addr *pysem.OptString
		port pysem.OptInt
	}{{&m.Address, grpc}, {&m.AddressIPv6, grpc}, {&m.ArchonAddress, archon}, {&m.ArchonAddressIPv6, archon}}
	for _, move := range moves {
		if !move.addr.Set {
			return pysem.AttributeError(nil, "split")
		}
		host, _, _ := strings.Cut(move.addr.V, ":")
		*move.addr = pysem.Some(host + ":" + move.port.String())
	}
	return nil
}
