package replicamanager

import (
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/pylog"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkbulk"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// pollPeriod is how often the watcher compares itself with ZooKeeper
// (replica_manager.py:190).
const pollPeriod = 60 * time.Second

// ReplicaWatcher mirrors the replicas of a model, below /<bzid>/service/<base_name>
// (replica_manager.py:42):
//
//	[<idc>:<cluster>/]<type>:<task>/<replica>    a ReplicaMeta each
type ReplicaWatcher struct {
	e         *env.Env
	zk        env.ZooKeeper
	conf      *agentconfig.AgentConfig
	useArchon bool
	family    string
	prefix    string
	// lock is not re-entrant (Q113).
	lock     *threading.Lock
	replicas *pysem.OrderedMap[string, *replicaMap] // by task path
	// layout counts changes of which tasks replicas has, and of the maps that they have.
	layout   uint64
	changes  uint64 // of replicas so far
	stopping bool
	session  *Session
	poller   env.Task
	reader   *treeReader // nil while it reads, and at first
	// pollFailed is told of rounds that failed (replica_manager.py:272).
	pollFailed pylog.Seldom
}

// WatcherOptions say which of its addresses a replica is answered with.
type WatcherOptions struct {
	// UseArchon answers archon addresses instead of those for gRPC; agents leave it off
	// (replica_manager.py:39).
	UseArchon bool
	// Family is datadef.FamilyIPv4 or FamilyIPv6; empty means FamilyIPv4. Hosts without
	// IPv4 take FamilyIPv6 in its place (replica_manager.py:54).
	Family string
}

// NewReplicaWatcher makes a watcher that knows no replica yet.
func NewReplicaWatcher(e *env.Env, zk env.ZooKeeper, conf *agentconfig.AgentConfig, o WatcherOptions) *ReplicaWatcher {
	w := &ReplicaWatcher{
		e: e, zk: zk, conf: conf, useArchon: o.UseArchon, family: o.Family,
		prefix:   pysem.JoinStrings("/", conf.Bzid.String(), "service", conf.BaseName.String()),
		lock:     threading.NewLock(e.Tasks, "replica watcher"),
		replicas: pysem.NewOrderedMap[string, *replicaMap](),
		session:  NewSession(),
	}
	if w.family == "" {
		w.family = datadef.FamilyIPv4
	}
	if w.family == datadef.FamilyIPv4 && agentconfig.IsIPv6Only(e) {
		e.Log.Logf(env.Warning, "zk_watch_address_family change to IPV6")
		w.family = datadef.FamilyIPv6
	}
	return w
}

// Conf is the configuration of the watching agent.
func (w *ReplicaWatcher) Conf() *agentconfig.AgentConfig { return w.conf }

// Env is what the watching agent may touch of the world.
func (w *ReplicaWatcher) Env() *env.Env { return w.e }

// Session says what the state of the ZooKeeper session lets the watcher do.
func (w *ReplicaWatcher) Session() *Session { return w.session }

// Family is the family of the addresses that the watcher answers.
func (w *ReplicaWatcher) Family() string { return w.family }

// PathPrefix is the root of the watched tree.
func (w *ReplicaWatcher) PathPrefix() string { return w.prefix }

// WatchData mirrors the tree from now on: it sets the watches and starts the task that
// compares the mirror with ZooKeeper once a minute (replica_manager.py:75). The error
// is that of a watch that could not be set; the task does not run then.
func (w *ReplicaWatcher) WatchData() error {
	if err := w.Watch(); err != nil {
		return err
	}
	w.stopping = false
	w.poller = threading.Start(w.e.Tasks, "replica poll", w.Poll)
	return nil
}

// Watch mirrors the tree by watches alone. What they miss stays missed until a
// [ReplicaWatcher.Reconcile].
func (w *ReplicaWatcher) Watch() error {
	if w.conf.DCAware {
		return w.watchLocations(w.prefix)
	}
	return w.watchTasks(w.prefix)
}

// Stop ends the polling task, for which it waits up to 60 s (Q127), and forgets all
// replicas. Watches that are set stay set (Q114).
func (w *ReplicaWatcher) Stop() {
	w.stopping = true
	if w.poller != nil {
		w.poller.Join()
		w.poller = nil
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.replace(pysem.NewOrderedMap[string, *replicaMap]())
}

func (w *ReplicaWatcher) watchLocations(path string) error {
	return w.watchEach(path, w.watchTasks)
}

func (w *ReplicaWatcher) watchTasks(path string) error {
	return w.watchEach(path, w.watchReplicas)
}

// watchReplicas watches each replica of a task, once in the life of the watch of its
// names (replica_manager.py:103-148): one that goes and comes back is not watched anew.
func (w *ReplicaWatcher) watchReplicas(path string) error {
	task := &watchedTask{path: oneText(w.e.Shared, pysem.Dirname(pysem.JoinStrings(path, "0")))} // as of its replicas' paths
	replicas := zkbulk.NewDataWatches(w.zk, path, func(path string, data []byte, stat *env.Stat, event *env.WatchEvent) error {
		return w.replicaChanged(task, path, data, event)
	}, w.usual(task))
	_, err := w.zk.ChildrenWatch(path, replicas.Watch)
	return err
}

// usual is when replicaChanged only notes a replica: what is read can be understood, nobody
// holds the mirror, and that has the task.
func (w *ReplicaWatcher) usual(task *watchedTask) *zkbulk.Usual {
	return &zkbulk.Usual{
		Kind: "ReplicaMeta",
		Data: func(path string, data []byte) bool { return understood(w.e.Shared, path, data) },
		Ready: func() bool {
			if w.lock.Locked() {
				return false
			}
			_, known := w.replicasOf(task)
			return known
		},
	}
}

// watchedTask is a task whose replicas are watched, with its replicas as they were found
// last.
type watchedTask struct {
	path     string
	replicas *replicaMap // nil for none
	layout   uint64      // of the watcher when they were found
}

// replicasOf are the replicas of a task, false for none.
func (w *ReplicaWatcher) replicasOf(task *watchedTask) (replicas *replicaMap, ok bool) {
	if task.replicas == nil || task.layout != w.layout {
		task.replicas, _ = w.replicas.Get(task.path)
		task.layout = w.layout
	}
	return task.replicas, task.replicas != nil
}

// watchEach calls watch for each child of path, once in the life of this watch, as
// watchReplicas does.
func (w *ReplicaWatcher) watchEach(path string, watch func(string) error) error {
	known := map[string]bool{}
	_, err := w.zk.ChildrenWatch(path, func(children []string) error {
		for _, child := range children {
			if known[child] {
				continue
			}
			known[child] = true
			if err := watch(oneText(w.e.Shared, pysem.JoinStrings(path, child))); err != nil {
				return err
			}
		}
		return nil
	})
	return err
}

// replicaChanged takes over one change (replica_manager.py:146-186). Data that is
// gone leaves the last known replica as UNKNOWN until its event says more.
func (w *ReplicaWatcher) replicaChanged(task *watchedTask, path string, data []byte, event *env.WatchEvent) error {
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
	w.changes++
	replicas, known := w.replicasOf(task)
	switch {
	case event == nil || event.Type == env.EventCreated:
		if !known {
			replicas = newReplicaMap(w.e.Shared, task.path)
			w.replicas.Set(task.path, replicas)
			w.layout++
		}
		replicas.set(id, meta)
	case event.Type == env.EventDeleted:
		if known {
			replicas.delete(id)
			if replicas.len() == 0 {
				w.replicas.Delete(task.path)
				w.layout++
			}
		}
	case !known:
		return pysem.Raise("KeyError", "%s", pysem.Repr(task.path)) // Q114
	case event.Type == env.EventChanged:
		replicas.set(id, meta)
	case event.Type == env.EventNone:
		replicas.set(id, unknown(meta))
	}
	return nil
}

// metaOf parses the data; without data it is the known replica, now UNKNOWN, or
// nil.
func (w *ReplicaWatcher) metaOf(task *watchedTask, id string, data []byte) (*datadef.ReplicaMeta, error) {
	if len(data) > 0 {
		return datadef.SharedReplicaMeta(w.e.Shared, data)
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	replicas, ok := w.replicasOf(task)
	if !ok {
		return nil, nil
	}
	meta, ok := replicas.get(id)
	if !ok {
		return nil, nil
	}
	meta = unknown(meta)
	replicas.set(id, meta)
	w.changes++
	return meta, nil
}

// unknown is a copy of a replica, in the state UNKNOWN.
func unknown(meta *datadef.ReplicaMeta) *datadef.ReplicaMeta {
	c := *meta
	c.Stat = env.StateUnknown
	return &c
}

// replicaKey is str(int(name)): padding goes (Q115).
func replicaKey(path string) (string, error) {
	if name := pysem.Basename(path); plainNumber(name) {
		return name, nil
	}
	n, err := pysem.ParseInt(pysem.Basename(path))
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// plainNumber reports whether a text is a number as str(int(text)) writes it, of 18 digits
// at most.
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
