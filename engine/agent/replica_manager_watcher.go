package agent

import (
	"errors"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/pysem"
)

// pollPeriod is how often the watcher compares itself with ZooKeeper
// (replica_manager.py:190).
const pollPeriod = 60 * time.Second

// ReplicaWatcher mirrors /<bzid>/service/<base_name> (replica_manager.py:42):
//
//	[<idc>:<cluster>/]<type>:<task>/<replica>    a ReplicaMeta each
type ReplicaWatcher struct {
	e         *env.Env
	zk        env.ZooKeeper
	conf      *AgentConfig
	useArchon bool
	family    string
	prefix    string
	// lock is not re-entrant (Q113).
	lock       *monitor.Lock
	replicas   *ordered[string, *replicaMap] // by task path
	stopping   bool
	shouldPoll bool
	poller     env.Task
	reader     *treeReader // nil while it reads, and at first
}

// NewReplicaWatcher makes a watcher; hosts without IPv4 look at IPv6 addresses
// (replica_manager.py:54).
func NewReplicaWatcher(e *env.Env, zk env.ZooKeeper, conf *AgentConfig, useArchon bool) *ReplicaWatcher {
	w := &ReplicaWatcher{
		e: e, zk: zk, conf: conf, useArchon: useArchon, family: FamilyIPv4,
		prefix:     pysem.JoinStrings("/", conf.Bzid.String(), "service", conf.BaseName.String()),
		lock:       monitor.NewLock(e.Tasks, "replica watcher"),
		replicas:   newOrdered[string, *replicaMap](),
		shouldPoll: true,
	}
	if IsIPv6Only(e) {
		w.family = FamilyIPv6
	}
	return w
}

// WatchData watches the whole tree and starts to poll (replica_manager.py:75).
func (w *ReplicaWatcher) WatchData() error {
	watch := w.watchTasks
	if w.conf.DCAware {
		watch = w.watchLocations
	}
	if err := watch(w.prefix); err != nil {
		return err
	}
	w.stopping = false
	w.poller = w.e.Tasks.Go("replica poll", w.poll)
	return nil
}

// Stop waits for the poll, up to 60 s (Q127), and forgets everything.
func (w *ReplicaWatcher) Stop() {
	w.stopping = true
	if w.poller != nil {
		w.poller.Join()
		w.poller = nil
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.replicas = newOrdered[string, *replicaMap]()
}

func (w *ReplicaWatcher) watchLocations(path string) error {
	return w.watchEach(path, w.watchTasks)
}

func (w *ReplicaWatcher) watchTasks(path string) error {
	return w.watchEach(path, w.watchReplicas)
}

func (w *ReplicaWatcher) watchReplicas(path string) error {
	return w.watchEach(path, w.watchReplica)
}

// watchEach calls watch for each child of path, once in the life of this watch
// (replica_manager.py:103-148): a child that goes and comes back is not watched
// anew.
func (w *ReplicaWatcher) watchEach(path string, watch func(string) error) error {
	known := map[string]bool{}
	_, err := w.zk.ChildrenWatch(path, func(children []string) error {
		for _, child := range children {
			if known[child] {
				continue
			}
			known[child] = true
			if err := watch(pysem.JoinStrings(path, child)); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

func (w *ReplicaWatcher) watchReplica(path string) error {
	_, err := w.zk.DataWatch(path, func(data []byte, _ *env.Stat, event *env.WatchEvent) error {
		return w.replicaChanged(path, data, event)
	})
	return err
}

// replicaChanged takes over one change (replica_manager.py:146-186). Data that is
// gone leaves the last known replica as UNKNOWN until its event says more.
func (w *ReplicaWatcher) replicaChanged(path string, data []byte, event *env.WatchEvent) error {
	task := pysem.Dirname(path)
	id, err := replicaKey(path)
	if err != nil {
		return err
	}
	meta, err := w.metaOf(task, id, data)
	if err != nil || meta == nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	replicas, known := w.replicas.get(task)
	switch {
	case event == nil || event.Type == env.EventCreated:
		if !known {
			replicas = &replicaMap{}
			w.replicas.set(task, replicas)
		}
		replicas.set(id, meta)
	case event.Type == env.EventDeleted:
		if known {
			replicas.delete(id)
			if replicas.len() == 0 {
				w.replicas.delete(task)
			}
		}
	case !known:
		return pysem.Raise("KeyError", "%s", pysem.Repr(task)) // Q114
	case event.Type == env.EventChanged:
		replicas.set(id, meta)
	case event.Type == env.EventNone:
		replicas.set(id, meta.unknown())
	}
	return nil
}

// metaOf parses the data; without data it is the known replica, now UNKNOWN, or
// nil.
func (w *ReplicaWatcher) metaOf(task, id string, data []byte) (*ReplicaMeta, error) {
	if len(data) > 0 {
		meta, err := ParseReplicaMeta(data)
		return &meta, err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	replicas, ok := w.replicas.get(task)
	if !ok {
		return nil, nil
	}
	meta, ok := replicas.get(id)
	if !ok {
		return nil, nil
	}
	meta = meta.unknown()
	replicas.set(id, meta)
	return meta, nil
}

// unknown is the replica with the state UNKNOWN, a copy.
func (m *ReplicaMeta) unknown() *ReplicaMeta {
	c := *m
	c.Stat = env.StateUnknown
	return &c
}

// replicaKey is str(int(name)): padding goes (Q115).
func replicaKey(path string) (string, error) {
	n, err := pysem.ParseInt(pysem.Basename(path))
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// poll compares with ZooKeeper once a minute; errors end the round only
// (replica_manager.py:188-274).
func (w *ReplicaWatcher) poll() {
	for !w.stopping {
		w.e.Tasks.Sleep(pollPeriod)
		if !w.shouldPoll {
			continue
		}
		if err := w.reconcile(); err != nil {
			w.e.Log.Logf(env.Error, "replica poll: %v", err)
		}
	}
}

// Speed: every 60 s each agent lists and reads all znodes below its prefix, though
// they are watched too: n agents cost n² reads a minute.
func (w *ReplicaWatcher) reconcile() error {
	reader := w.reader
	w.reader = nil // another round at the same time reads for itself
	if reader == nil {
		reader = newTreeReader(w.zk, w.prefix, w.conf.DCAware)
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
	w.replicas = fresh
	// popitem takes the last one first.
	for i := len(again) - 1; i >= 0; i-- {
		r := again[i]
		err := w.zk.Retry(func() error {
			_, err := w.zk.Create(r.path, r.meta.Serialize(), env.CreateOptions{Ephemeral: true, MakePath: true})
			return err
		})
		if err != nil && !errors.Is(err, env.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// pathMeta is a replica with its path.
type pathMeta struct {
	path string
	meta *ReplicaMeta
}

// missingFrom lists the replicas that the mirror has and fresh has not, sorted by
// path: the reference's set has no order. They are the mirror's own, to be
// changed in it.
func (w *ReplicaWatcher) missingFrom(fresh *ordered[string, *replicaMap]) []pathMeta {
	byPath := map[string]*ReplicaMeta{}
	var paths []string
	for task, replicas := range w.replicas.all {
		there, ok := fresh.get(task)
		for id, meta := range replicas.all {
			if ok {
				if _, found := there.get(id); found {
					continue
				}
			}
			own := *meta
			replicas.set(id, &own)
			path := pysem.JoinStrings(task, id)
			byPath[path] = &own
			paths = append(paths, path)
		}
	}
	list := make([]pathMeta, 0, len(paths))
	for _, path := range sortedStrings(paths) {
		list = append(list, pathMeta{path, byPath[path]})
	}
	return list
}

// ownAmong picks the replicas to register again (replica_manager.py:229-249).
// The test is by substring, so replica 1 also takes 12 (Q111), and the port is
// tfs_port_grpc, which ps and mixed deployments do not have (Q110).
func (w *ReplicaWatcher) ownAmong(missing []pathMeta) ([]pathMeta, error) {
	server, grpc, archon := "", OptInt{}, OptInt{}
	switch w.conf.DeployType {
	case DeployMixed, DeployPS:
		server, grpc, archon = ServerPS, w.conf.TFSPortGRPC, w.conf.TFSPSArchonPort
	case DeployDense:
		server, grpc, archon = ServerDense, w.conf.TFSDensePort, w.conf.TFSDenseArchonPort
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
			if err := m.meta.movePorts(grpc, archon); err != nil {
				return nil, err
			}
			own = append(own, m)
		}
	}
	return own, nil
}

// movePorts cuts each address at its first colon and gives it a port; an address
// of None is an AttributeError.
func (m *ReplicaMeta) movePorts(grpc, archon OptInt) error {
	moves := []struct {
		addr *OptString
		port OptInt
	}{{&m.Address, grpc}, {&m.AddressIPv6, grpc}, {&m.ArchonAddress, archon}, {&m.ArchonAddressIPv6, archon}}
	for _, move := range moves {
		if !move.addr.Set {
			return pysem.Raise("AttributeError", "'NoneType' object has no attribute 'split'")
		}
		host, _, _ := strings.Cut(move.addr.V, ":")
		*move.addr = pysem.Some(host + ":" + move.port.String())
	}
	return nil
}

// TaskAddrs are the addresses of one task.
type TaskAddrs struct {
	// Key is "<type>:<task>", after "<idc>:<cluster>/" when dc_aware.
	Key   string
	Addrs []OptString
}

// serverTypeName is ServerType.Name(t).lower(); an unknown number is a
// ValueError (Q37).
func serverTypeName(t agentservice.ServerType) (string, error) {
	name, ok := agentservice.ServerType_name[int32(t)]
	if !ok {
		return "", pysem.Raise("ValueError", "Enum ServerType has no name defined for value %d", int32(t))
	}
	return strings.ToLower(name), nil
}

// tasksOf calls yield for each task of a type, of one location when dc_aware.
func (w *ReplicaWatcher) tasksOf(t agentservice.ServerType, idc, cluster OptString, yield func(ZKPath, *replicaMap) error) error {
	name, err := serverTypeName(t)
	if err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	for path, replicas := range w.replicas.all {
		p := ParseZKPath(path)
		if p.ServerType.V != name || !p.ServerType.Set || w.conf.DCAware && !p.ShipIn(idc, cluster) {
			continue
		}
		if err := yield(p, replicas); err != nil {
			return err
		}
	}
	return nil
}

// available lists the addresses of the AVAILABLE replicas that keep accepts.
func (w *ReplicaWatcher) available(replicas *replicaMap, keep func(id string) (bool, error)) ([]OptString, error) {
	var addrs []OptString
	for id, meta := range replicas.all {
		ok, err := keep(id)
		if err != nil {
			return nil, err
		}
		if !ok || meta.Stat != env.StateAvailable {
			continue
		}
		addr, err := meta.GetAddress(w.useArchon, w.family)
		if err != nil {
			return nil, err
		}
		addrs = append(addrs, addr)
	}
	return addrs, nil
}

func anyReplica(string) (bool, error) { return true, nil }

// isNumber says whether text is the number n to Python's int().
func isNumber(text string, n int) (bool, error) {
	value, err := pysem.ParseInt(text)
	if err != nil {
		return false, err
	}
	return value.IsInt64() && value.Int64() == int64(n), nil
}

// GetAllReplicas lists the tasks of a type with their AVAILABLE addresses
// (replica_manager.py:276).
func (w *ReplicaWatcher) GetAllReplicas(t agentservice.ServerType, idc, cluster OptString) ([]TaskAddrs, error) {
	result := newOrdered[string, []OptString]()
	err := w.tasksOf(t, idc, cluster, func(p ZKPath, replicas *replicaMap) error {
		key := p.Task().String()
		if w.conf.DCAware {
			joined, err := pysem.Join(p.Location(), p.Task())
			if err != nil {
				return err
			}
			key = joined
		}
		more, err := w.available(replicas, anyReplica)
		if err != nil {
			return err
		}
		addrs, _ := result.get(key)
		result.set(key, append(addrs, more...))
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []TaskAddrs
	for key, addrs := range result.all {
		list = append(list, TaskAddrs{key, addrs})
	}
	return list, nil
}

// GetReplicas lists the AVAILABLE addresses of one task (replica_manager.py:309).
func (w *ReplicaWatcher) GetReplicas(t agentservice.ServerType, task int, idc, cluster OptString) ([]OptString, error) {
	return w.addressesOf(t, task, idc, cluster, anyReplica)
}

// GetReplica lists the addresses of one replica of a task when it is AVAILABLE;
// the reference returns a string, a list or None for one, several or no address
// (Q128).
func (w *ReplicaWatcher) GetReplica(t agentservice.ServerType, task, replica int, idc, cluster OptString) ([]OptString, error) {
	return w.addressesOf(t, task, idc, cluster, func(id string) (bool, error) { return isNumber(id, replica) })
}

func (w *ReplicaWatcher) addressesOf(t agentservice.ServerType, task int, idc, cluster OptString, keep func(string) (bool, error)) ([]OptString, error) {
	var addrs []OptString
	err := w.tasksOf(t, idc, cluster, func(p ZKPath, replicas *replicaMap) error {
		if ok, err := isNumber(p.Index.V, task); !ok || err != nil {
			return err
		}
		more, err := w.available(replicas, keep)
		addrs = append(addrs, more...)
		return err
	})
	return addrs, err
}
