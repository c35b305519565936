package replicamanager

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	agentservice "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	parametersync "github.com/monosim/monosim/engine/proto/monolith/native_training/runtime/parameter_sync"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dict"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/recipes"
)

// pollPeriod is how often the watcher compares its mirror with ZooKeeper (replica_manager.py:190).
const pollPeriod = 60 * time.Second

// Replica is the content of a replica's znode. Equal contents share one handle.
type Replica = unique.Handle[datadef.ReplicaMeta]

// TaskReplicas maps ids to the replicas of one task. An id is the znode's name as a number, without
// leading zeros (Q115).
type TaskReplicas = dict.Dict[string, Replica]

// Replicas maps the path of each task of a model to the task's replicas.
type Replicas = pysem.OrderedMap[string, *TaskReplicas]

// ReplicaWatcher mirrors the replicas of a model, which are znodes below
// /<bzid>/service/<base_name> (replica_manager.py:42):
//
//	[<idc>:<cluster>/]<type>:<task>/<replica>    the content is a ReplicaMeta
type ReplicaWatcher struct {
	e         *env.Env
	zk        env.ZooKeeper
	conf      *agentconfig.AgentConfig
	useArchon bool
	family    string
	prefix    string
	// lock cannot be locked twice by the same thread (Q113).
	lock     *threading.Lock
	replicas *Replicas
	changes  uint64 // number of changes of replicas so far
	stopping bool
	session  *Session
	poller   env.Task
	// pollFailed limits how often failed rounds of the poll are logged (replica_manager.py:272).
	pollFailed pylog.Seldom
	// seen, if set, is called with what is read from a replica's znode.
	seen func(path string, meta datadef.ReplicaMeta)
}

// WatcherOptions choose which of a replica's addresses the watcher returns.
type WatcherOptions struct {
	// UseArchon returns archon addresses in place of gRPC addresses. Agents leave it off
	// (replica_manager.py:39).
	UseArchon bool
	// Family is datadef.FamilyIPv4 or FamilyIPv6; empty means FamilyIPv4. On a host without IPv4,
	// FamilyIPv6 is used instead of FamilyIPv4 (replica_manager.py:54).
	Family string
}

// NewReplicaWatcher makes a watcher that knows no replica yet.
func NewReplicaWatcher(e *env.Env, zk env.ZooKeeper, conf *agentconfig.AgentConfig, o WatcherOptions) *ReplicaWatcher {
	w := &ReplicaWatcher{
		e: e, zk: zk, conf: conf, useArchon: o.UseArchon, family: o.Family,
		prefix:   pysem.JoinStrings("/", conf.Bzid.String(), "service", conf.BaseName.String()),
		lock:     threading.NewLock(e.Tasks, "replica watcher"),
		session:  NewSession(),
		replicas: &Replicas{},
	}
	w.family = cmp.Or(w.family, datadef.FamilyIPv4)
	if w.family == datadef.FamilyIPv4 && agentconfig.IsIPv6Only(e) {
		e.Log.Logf(env.Warning, "zk_watch_address_family change to IPV6")
		w.family = datadef.FamilyIPv6
	}
	return w
}

// Conf returns the configuration of the agent that the watcher belongs to.
func (w *ReplicaWatcher) Conf() *agentconfig.AgentConfig { return w.conf }

// Env returns the agent's access to the world.
func (w *ReplicaWatcher) Env() *env.Env { return w.e }

// Session returns what the watcher may do in the present state of the ZooKeeper session.
func (w *ReplicaWatcher) Session() *Session { return w.session }

// Family returns the address family of the addresses that the watcher returns.
func (w *ReplicaWatcher) Family() string { return w.family }

// PathPrefix returns the path of the znode below which the watcher mirrors.
func (w *ReplicaWatcher) PathPrefix() string { return w.prefix }

// Replicas returns the mirror: tasks and replicas in the order in which they appeared, AVAILABLE or
// not. It belongs to the watcher, and callers must not change it.
func (w *ReplicaWatcher) Replicas() *Replicas { return w.replicas }

// WatchData starts to mirror the tree. It sets the watches, and starts a task that compares the
// mirror with ZooKeeper once a minute (replica_manager.py:75). If a watch cannot be set, it returns
// the error and does not start the task.
func (w *ReplicaWatcher) WatchData() error {
	if err := w.Watch(); err != nil {
		return err
	}
	w.stopping = false
	w.poller = threading.Start(w.e.Tasks, "replica poll", w.Poll)
	return nil
}

// Watch mirrors the tree by watches alone. If the watches miss a change, the mirror lacks it until
// [ReplicaWatcher.Reconcile].
func (w *ReplicaWatcher) Watch() error {
	if w.conf.DCAware {
		return w.watchLocations(w.prefix)
	}
	return w.watchTasks(w.prefix)
}

// Stop ends the polling task, waits for it up to 60 s (Q127), and forgets all replicas. Watches
// that were set stay active (Q114).
func (w *ReplicaWatcher) Stop() {
	w.stopping = true
	if w.poller != nil {
		w.poller.Join()
		w.poller = nil
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.replicas = &Replicas{}
	w.changes++
}

// watchLocations watches the tasks of each location (replica_manager.py:103).
func (w *ReplicaWatcher) watchLocations(prefix string) error {
	_, err := w.watchEach(prefix, func(path string) (env.Watch, error) { return w.watchEach(path, w.watchReplicas) })
	return err
}

// watchTasks watches the replicas of each task (replica_manager.py:118).
func (w *ReplicaWatcher) watchTasks(prefix string) error {
	_, err := w.watchEach(prefix, w.watchReplicas)
	return err
}

// watchEach calls watch once for each child of a path. A child that is deleted and created again is
// not watched again (Q210).
func (w *ReplicaWatcher) watchEach(prefix string, watch func(path string) (env.Watch, error)) (env.Watch, error) {
	known := map[string]env.Watch{}
	return w.zk.ChildrenWatch(prefix, func(children []string) error {
		for _, child := range children {
			old, begun := known[child]
			if begun && (old == nil || !old.Stopped() || w.conf.Quirks.Keeps(quirks.Q210)) {
				continue
			}
			known[child] = nil
			made, err := watch(dict.Text(pysem.JoinStrings(prefix, child)))
			if err != nil {
				return err
			}
			known[child] = made
		}
		return nil
	})
}

// watchReplicas watches each replica of a task (replica_manager.py:132). Like watchEach it watches
// each of them only once.
func (w *ReplicaWatcher) watchReplicas(taskPath string) (env.Watch, error) {
	usual := &recipes.Usual{Data: understood, Ready: func() bool {
		return !w.lock.Locked() && w.has(taskPath)
	}}
	replicas := recipes.NewDataWatches(w.zk, taskPath, func(path string, data []byte, _ *env.Stat, event *env.WatchEvent) error {
		return w.dataWatch(taskPath, pysem.Basename(path), data, event)
	}, usual)
	return w.zk.ChildrenWatch(taskPath, replicas.Watch)
}

// understood reports whether a znode's name and data can be parsed as a replica.
func understood(path string, data []byte) bool {
	if len(data) == 0 {
		return false
	}
	if _, err := replicaKey(pysem.Basename(path)); err != nil {
		return false
	}
	_, err := datadef.ReadReplicaMeta(data)
	return err == nil
}

// dataWatch applies an event of a replica's data watch to the mirror (replica_manager.py:146). If
// there is no data, the known replica becomes UNKNOWN before the event is applied.
func (w *ReplicaWatcher) dataWatch(taskPath, name string, data []byte, event *env.WatchEvent) error {
	rnode, err := replicaKey(name)
	if err != nil {
		return err
	}
	var meta Replica
	if len(data) == 0 {
		known, ok := w.forgetState(taskPath, rnode)
		if !ok {
			return nil
		}
		meta = known
	} else if meta, err = datadef.ReadReplicaMeta(data); err != nil {
		return err
	} else if w.seen != nil {
		w.seen(pysem.JoinStrings(taskPath, name), meta.Value())
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.changes++
	replicas, known := w.replicas.Get(taskPath)
	// A replica that is deleted and made again before it is read comes with the event of its deletion, and
	// one that is read after the session was lost with that of the loss.
	again := len(data) > 0 && event != nil && !w.conf.Quirks.Keeps(quirks.Q114)
	switch {
	case event == nil || event.Type == env.EventCreated || again: // in the first call event is nil
		if !known {
			replicas = &TaskReplicas{}
			w.replicas.Set(taskPath, replicas)
		}
		replicas.Set(rnode, meta)
	case event.Type == env.EventDeleted:
		if known {
			if replicas.Delete(rnode); replicas.Len() == 0 {
				w.replicas.Delete(taskPath)
			}
		}
	case event.Type == env.EventChildrenChanged:
	case !known:
		return pysem.Raise("KeyError", "%s", pysem.Repr(taskPath)) // Q114
	case event.Type == env.EventChanged:
		replicas.Set(rnode, meta)
	case event.Type == env.EventNone:
		replicas.Set(rnode, withStat(meta, env.StateUnknown))
	}
	return nil
}

func (w *ReplicaWatcher) has(taskPath string) bool {
	_, known := w.replicas.Get(taskPath)
	return known
}

// forgetState sets the state of a replica to UNKNOWN, if the mirror has it.
func (w *ReplicaWatcher) forgetState(taskPath, rnode string) (meta Replica, known bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	replicas, known := w.replicas.Get(taskPath)
	if !known {
		return meta, false
	}
	if meta, known = replicas.Get(rnode); known {
		meta = withStat(meta, env.StateUnknown)
		replicas.Set(rnode, meta)
		w.changes++
	}
	return meta, known
}

// withStat returns a copy of a replica with another state.
func withStat(replica Replica, state env.ModelState) Replica {
	meta := replica.Value()
	meta.Stat = state
	return unique.Make(meta)
}

// replicaKey returns Python's str(int(name)), which has no leading zeros (Q115).
func replicaKey(name string) (string, error) {
	if plainNumber(name) {
		return name, nil
	}
	n, err := pysem.ParseInt(name)
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// plainNumber reports whether text already equals str(int(text)) and has at most 18 digits.
func plainNumber(text string) bool {
	if text == "" || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// Poll compares the mirror with ZooKeeper once a minute, until Stop. An error only ends the round
// (replica_manager.py:188-274). It must be the last call of a task's function.
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
// the mirror stays as it was (Q211); with that repaired it is left out.
//
// What watches tell while it reads is overwritten by what it has read before (Q335). With that repaired it
// reads again, and leaves the round if watches tell of something during each of three readings.
//
// Cost: reads grow with the znodes below the prefix: every 60 s each agent lists and
// reads them all, though they are watched too, so that n agents cost n² reads a minute.
func (w *ReplicaWatcher) Reconcile() error {
	for range readings {
		before := w.changes
		replicas, err := w.readReplicas()
		if err != nil {
			return err
		}
		if done, err := w.replace(replicas, before); done || err != nil {
			return err
		}
	}
	return nil
}

// readings is how often a round of the poll reads the tree if watches tell of changes meanwhile.
const readings = 3

// replace makes the mirror equal to what was read when the mirror had seen before changes. It does nothing
// and returns false if the mirror has changed since, unless Q335 is kept.
func (w *ReplicaWatcher) replace(replicas *Replicas, before uint64) (done bool, err error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.changes != before && !w.conf.Quirks.Keeps(quirks.Q335) {
		return false, nil
	}
	return true, w.become(replicas)
}

// become makes the mirror equal to replicas, and registers those own replicas again that are gone. Its
// caller holds the lock.
func (w *ReplicaWatcher) become(replicas *Replicas) error {
	if same(replicas, w.replicas) {
		w.replicas = replicas // equal to what it replaces, but it shares memory with the latest read
		return nil            // nothing has disappeared, and the mirror is right
	}
	needRegister, err := w.needRegister(w.goneFrom(replicas))
	if err != nil {
		return err
	}
	w.replicas = replicas
	w.changes++
	// Python's popitem takes the last item first.
	for i := len(needRegister) - 1; i >= 0; i-- {
		r := needRegister[i]
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

// same reports whether two mirrors have the same tasks and replicas in the same order.
func same(a, b *Replicas) bool {
	if !slices.Equal(a.KeyList(), b.KeyList()) {
		return false
	}
	for taskPath, replicas := range a.All {
		if other, ok := b.Get(taskPath); !ok || !other.Equal(replicas) {
			return false
		}
	}
	return true
}

// readReplicas reads all replicas of the model from ZooKeeper.
func (w *ReplicaWatcher) readReplicas() (*Replicas, error) {
	tasks, err := w.readTasks()
	if err != nil {
		return nil, err
	}
	all := &Replicas{}
	for _, task := range tasks {
		taskPath := pysem.JoinStrings(w.prefix, task)
		names, err := w.zk.Children(taskPath)
		if errors.Is(err, zkerrors.ErrNoNode) && !w.conf.Quirks.Keeps(quirks.Q211) {
			continue
		}
		if err != nil {
			return nil, err
		}
		replicas, err := w.readTask(taskPath, names)
		if err != nil {
			return nil, err
		}
		all.Set(taskPath, replicas)
	}
	return all, nil
}

// readTasks lists the tasks of the model. If dc_aware is set, it lists those of each location.
func (w *ReplicaWatcher) readTasks() ([]string, error) {
	names, err := w.zk.Children(w.prefix)
	if err != nil || !w.conf.DCAware {
		return names, err
	}
	var tasks []string
	for _, location := range names {
		list, err := w.zk.Children(pysem.JoinStrings(w.prefix, location))
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, lists.Map(list, func(task string) string { return location + "/" + task })...)
	}
	return tasks, nil
}

// readTask reads the replicas of a task. If two names mean the same id, the later name counts.
func (w *ReplicaWatcher) readTask(taskPath string, names []string) (*TaskReplicas, error) {
	read := readReplica
	if !w.conf.Quirks.Keeps(quirks.Q211) {
		read = readPresent
	}
	metas, err := recipes.GetEach(w.zk, taskPath, names, read)
	if err != nil {
		return nil, err
	}
	return dict.Of(func(yield func(string, Replica) bool) {
		for i, meta := range metas {
			if rnode, _ := replicaKey(names[i]); meta != (Replica{}) && !yield(rnode, meta) {
				return
			}
		}
	}), nil
}

// readReplica parses the result of reading a replica's znode. It returns the zero value for a znode
// without data.
func readReplica(name string, data []byte, err error) (meta Replica, _ error) {
	if err != nil || data == nil {
		return meta, err
	}
	if meta, err = datadef.ReadReplicaMeta(data); err == nil {
		_, err = replicaKey(name)
	}
	return meta, err
}

// readPresent works as readReplica, but treats a missing znode as a znode without data.
func readPresent(name string, data []byte, err error) (Replica, error) {
	if errors.Is(err, zkerrors.ErrNoNode) {
		return Replica{}, nil
	}
	return readReplica(name, data, err)
}

// goneFrom lists the paths of the replicas that are in the mirror but not in others. The order is
// that of Python's set (replica_manager.py:230).
func (w *ReplicaWatcher) goneFrom(others *Replicas) []string {
	gone := false
	for taskPath, replicas := range w.replicas.All {
		now, ok := others.Get(taskPath)
		if ok && now.Equal(replicas) {
			continue
		}
		for rnode := range replicas.Keys() {
			gone = gone || !ok || !now.Has(rnode)
		}
	}
	if !gone {
		return nil // the usual case: others has the same replicas in another order, or more of them
	}
	h := pyset.HashingOf(w.e.Python)
	return pyset.StringsOfDict(h, pathsOf(w.replicas)).Minus(pyset.StringsOfDict(h, pathsOf(others))).Keys()
}

// pathsOf lists the paths of replicas.
func pathsOf(all *Replicas) (paths []string) {
	for taskPath, replicas := range all.All {
		for rnode := range replicas.Keys() {
			paths = append(paths, pysem.JoinStrings(taskPath, rnode))
		}
	}
	return paths
}

// registration is a replica to be registered again, with its path.
type registration struct {
	path string
	meta datadef.ReplicaMeta
}

// needRegister picks the container's own replicas from gone, to be registered again
// (replica_manager.py:231-252). It sets their ports, in the mirror too. It compares paths by
// substring, so for replica 1 it also picks replica 12 (Q111); with that repaired, it compares their
// ends. The port is tfs_port_grpc, which ps and mixed deployments do not have (Q110).
func (w *ReplicaWatcher) needRegister(gone []string) (list []registration, err error) {
	server, grpc, archon := "", pysem.OptInt{}, pysem.OptInt{}
	switch w.conf.DeployType {
	case agentconfig.DeployMixed, agentconfig.DeployPS:
		server, grpc, archon = agentconfig.ServerPS, w.conf.TFSPortGRPC, w.conf.TFSPSArchonPort
		if !w.conf.Quirks.Keeps(quirks.Q110) {
			grpc = w.conf.TFSPSPort
		}
	case agentconfig.DeployDense:
		server, grpc, archon = agentconfig.ServerDense, w.conf.TFSDensePort, w.conf.TFSDenseArchonPort
	}
	if server == "" || len(gone) == 0 {
		return nil, nil
	}
	schedule, err := w.conf.ServerSchedule(server)
	if err != nil {
		return nil, err
	}
	isOwn := strings.Contains
	if !w.conf.Quirks.Keeps(quirks.Q111) {
		isOwn = strings.HasSuffix
	}
	for _, task := range schedule {
		part := "/" + server + ":" + task.String() + "/" + w.conf.ReplicaID.String()
		for _, path := range gone {
			if !isOwn(path, part) {
				continue
			}
			taskPath, rnode := pysem.Dirname(path), pysem.Basename(path)
			replicas, _ := w.replicas.Get(taskPath)
			known, _ := replicas.Get(rnode)
			meta := known.Value()
			err := movePorts(&meta, grpc, archon, w.conf.Quirks)
			replicas.Set(rnode, unique.Make(meta))
			w.changes++
			if err != nil {
				return nil, err
			}
			list = append(list, registration{path, meta})
		}
	}
	return list, nil
}

// movePorts replaces the port in each address. It cuts an address at its first colon, or with Q110
// repaired at its last. An address of None is an AttributeError.
func movePorts(m *datadef.ReplicaMeta, grpc, archon pysem.OptInt, keep quirks.Set) error {
	moves := []struct {
		addr *pysem.OptString
		port pysem.OptInt
	}{{&m.Address, grpc}, {&m.AddressIPv6, grpc}, {&m.ArchonAddress, archon}, {&m.ArchonAddressIPv6, archon}}
	for _, move := range moves {
		if !move.addr.Set {
			return pysem.AttributeError(nil, "split")
		}
		host, _, _ := strings.Cut(move.addr.V, ":")
		if last := strings.LastIndexByte(move.addr.V, ':'); last >= 0 && !keep.Keeps(quirks.Q110) {
			host = move.addr.V[:last]
		}
		*move.addr = pysem.Some(host + ":" + move.port.String())
	}
	return nil
}

// TaskAddrs holds the addresses of one task's replicas.
type TaskAddrs struct {
	// Key is "<type>:<task>". If dc_aware is set, "<idc>:<cluster>/" comes before it.
	Key   string
	Addrs []pysem.OptString
}

// ServerTypeName returns the name of a server type in lower case, as in paths. An unknown number is
// a ValueError (Q37).
func ServerTypeName(t agentservice.ServerType) (string, error) {
	name, ok := agentservice.ServerType_name[int32(t)]
	if !ok {
		return "", pysem.Raise("ValueError", "Enum ServerType has no name defined for value %d", int32(t))
	}
	return strings.ToLower(name), nil
}

// Changes returns a counter of possible changes of the mirror. As long as the counter stays the
// same, so do the answers of the queries. Like the queries, Changes waits while another task holds
// the mirror's lock.
func (w *ReplicaWatcher) Changes() uint64 {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.changes
}

// tasksOf calls yield for each task of a server type. If dc_aware is set, it takes only the tasks
// of the given location.
func (w *ReplicaWatcher) tasksOf(t agentservice.ServerType, idc, cluster pysem.OptString, yield func(agentconfig.ZKPath, *TaskReplicas) error) error {
	name, err := ServerTypeName(t)
	if err != nil {
		return err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	for path, replicas := range w.replicas.All {
		p := agentconfig.ParseZKPath(w.e, path)
		if p.ServerType.V != name || !p.ServerType.Set || w.conf.DCAware && !p.ShipIn(idc, cluster) {
			continue
		}
		if err := yield(p, replicas); err != nil {
			return err
		}
	}
	return nil
}

// address returns the address at which a replica can be called. ok is false if the replica is not
// AVAILABLE.
func (w *ReplicaWatcher) address(replica Replica) (addr pysem.OptString, ok bool, err error) {
	meta := replica.Value()
	if meta.Stat != env.StateAvailable {
		return addr, false, nil
	}
	addr, err = meta.GetAddress(w.useArchon, w.family)
	return addr, err == nil, err
}

// addresses lists the addresses of a task's AVAILABLE replicas.
func (w *ReplicaWatcher) addresses(replicas *TaskReplicas) (addrs []pysem.OptString, err error) {
	for _, replica := range replicas.All {
		addr, ok, err := w.address(replica)
		if err != nil {
			return nil, err
		}
		if ok {
			addrs = append(addrs, addr)
		}
	}
	return addrs, nil
}

// GetAllReplicas lists the tasks of a server type with the addresses of their AVAILABLE replicas.
// If dc_aware is set, it takes only the given location (replica_manager.py:276). A task without an
// AVAILABLE replica is listed too. An unknown type is a ValueError (Q37).
func (w *ReplicaWatcher) GetAllReplicas(t agentservice.ServerType, idc, cluster pysem.OptString) ([]TaskAddrs, error) {
	result := pysem.NewOrderedMap[string, []pysem.OptString]()
	err := w.tasksOf(t, idc, cluster, func(p agentconfig.ZKPath, replicas *TaskReplicas) error {
		key := p.Task().String()
		if w.conf.DCAware {
			joined, err := pysem.Join(p.Location(), p.Task())
			if err != nil {
				return err
			}
			key = joined
		}
		addrs, _ := result.Get(key)
		more, err := w.addresses(replicas)
		result.Set(key, append(addrs, more...))
		return err
	})
	if err != nil {
		return nil, err
	}
	var list []TaskAddrs
	for key, addrs := range result.All {
		list = append(list, TaskAddrs{key, addrs})
	}
	if t == agentservice.ServerType_PS && len(list) == 0 || t == agentservice.ServerType_DENSE && w.conf.DenseAlone && len(list) == 0 {
		name, _ := ServerTypeName(t)
		w.e.Log.Logf(env.Error, "empty replicas %s-%s", w.prefix, name)
		w.e.Log.Logf(env.Info, "all replicas is %v", pylog.Later(w.reprOfReplicas))
	}
	return list, nil
}

// reprOfReplicas returns Python's repr of the mirror.
func (w *ReplicaWatcher) reprOfReplicas() string {
	var tasks []string
	for path, replicas := range w.replicas.All {
		var list []string
		for id, replica := range replicas.All {
			meta := replica.Value()
			list = append(list, pysem.Repr(id)+": "+datadef.ReplicaMetaClass.Repr(&meta))
		}
		tasks = append(tasks, pysem.Repr(path)+": {"+strings.Join(list, ", ")+"}")
	}
	return "{" + strings.Join(tasks, ", ") + "}"
}

// GetReplicas lists the addresses of the AVAILABLE replicas of one task
// (replica_manager.py:309). Location and errors are as for GetAllReplicas.
func (w *ReplicaWatcher) GetReplicas(t agentservice.ServerType, task int, idc, cluster pysem.OptString) (addrs []pysem.OptString, err error) {
	err = w.taskOf(t, task, idc, cluster, func(_ agentconfig.ZKPath, replicas *TaskReplicas) error {
		more, err := w.addresses(replicas)
		addrs = append(addrs, more...)
		return err
	})
	return addrs, err
}

// GetReplica returns the address of one replica of a task, if it is AVAILABLE. There are several
// addresses if several locations have a replica with that number. The reference returns a string, a
// list or None (Q128).
func (w *ReplicaWatcher) GetReplica(t agentservice.ServerType, task, replica int, idc, cluster pysem.OptString) (addrs []pysem.OptString, err error) {
	err = w.taskOf(t, task, idc, cluster, func(_ agentconfig.ZKPath, replicas *TaskReplicas) error {
		meta, ok := replicas.Get(strconv.Itoa(replica))
		if !ok {
			return nil
		}
		addr, ok, err := w.address(meta)
		if ok {
			addrs = append(addrs, addr)
		}
		return err
	})
	return addrs, err
}

// taskOf calls yield for the tasks of a server type that have the given number. If dc_aware is set,
// it takes only those of the given location.
func (w *ReplicaWatcher) taskOf(t agentservice.ServerType, task int, idc, cluster pysem.OptString, yield func(agentconfig.ZKPath, *TaskReplicas) error) error {
	return w.tasksOf(t, idc, cluster, func(p agentconfig.ZKPath, replicas *TaskReplicas) error {
		if ok, err := isNumber(p.Index.V, task); !ok || err != nil {
			return err
		}
		return yield(p, replicas)
	})
}

// isNumber reports whether Python's int(text) is n. A text that is not a number is a ValueError.
func isNumber(text string, n int) (bool, error) {
	value, err := pysem.ParseInt(text)
	if err != nil {
		return false, err
	}
	return value.IsInt64() && value.Int64() == int64(n), nil
}

// TargetExtraInfo tells the location and the replica of a target of parameter synchronization.
type TargetExtraInfo = parametersync.ClientConfig_TargetExtraInfo

// SyncTarget is an address to which parameters are synchronized.
type SyncTarget struct {
	Addr pysem.OptString
	Info *TargetExtraInfo
}

// GetReplicasWithExtraInfo lists the addresses of one task's AVAILABLE replicas with their
// locations (replica_manager.py:356). If several replicas have the same address, it is listed once,
// at the place of the first with the information of the last. Location and errors are as for
// GetAllReplicas.
func (w *ReplicaWatcher) GetReplicasWithExtraInfo(t agentservice.ServerType, task int, idc, cluster pysem.OptString) ([]SyncTarget, error) {
	targets := pysem.NewOrderedMap[pysem.OptString, *TargetExtraInfo]()
	err := w.taskOf(t, task, idc, cluster, func(p agentconfig.ZKPath, replicas *TaskReplicas) error {
		for id, replica := range replicas.All {
			addr, ok, err := w.address(replica)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			info, err := extraInfo(p, id)
			if err != nil {
				return err
			}
			targets.Set(addr, info)
		}
		return nil
	})
	list := make([]SyncTarget, 0, targets.Len())
	for addr, info := range targets.All {
		list = append(list, SyncTarget{addr, info})
	}
	return list, err
}

func extraInfo(p agentconfig.ZKPath, replica string) (*TargetExtraInfo, error) {
	id, err := pysem.ParseInt(replica)
	if err != nil {
		return nil, err
	}
	if !id.IsInt64() {
		return nil, pysem.Raise("ValueError", "Value out of range: %s", id)
	}
	info := &TargetExtraInfo{ReplicaId: proto.Int64(id.Int64())}
	if p.IDC.Set {
		info.Idc = proto.String(p.IDC.V)
	}
	if p.Cluster.Set {
		info.Cluster = proto.String(p.Cluster.V)
	}
	return info, nil
}

// ToSyncWrapper makes a wrapper that answers from this watcher.
func (w *ReplicaWatcher) ToSyncWrapper() *SyncBackendWrapper { return &SyncBackendWrapper{watcher: w} }
