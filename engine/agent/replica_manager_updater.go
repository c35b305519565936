package agent

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The periods of the updater (replica_manager.py:591, :669, :661).
const (
	updatePeriod     = time.Second
	reregisterPeriod = 10 * time.Second
	metricsPeriod    = 60 * time.Second
)

// ReplicaUpdater registers the container's replicas and keeps their state up to
// date (replica_manager.py:393).
type ReplicaUpdater struct {
	e      *env.Env
	zk     env.ZooKeeper
	conf   *AgentConfig
	prefix string
	models *TFSMonitor
	status func(name string) ([]env.ModelVersionStatus, error)
	faked  bool                           // status is not that of models
	meta   *ordered[string, *ReplicaMeta] // by path
	// changes counts the changes of meta.
	changes int
	own     ownModels
	round   updateRound
	// versions is nil without metrics.
	versions *VersionMetrics

	stopping         bool
	shouldReregister bool
	shouldUpdate     bool
	threads          []env.Task
}

// NewReplicaUpdater makes an updater; dc_aware without a location is a TypeError
// (Q116).
func NewReplicaUpdater(e *env.Env, zk env.ZooKeeper, conf *AgentConfig) (*ReplicaUpdater, error) {
	prefix, err := conf.PathPrefix()
	if err != nil {
		return nil, err
	}
	u := &ReplicaUpdater{
		e: e, zk: zk, conf: conf, prefix: prefix,
		models:       NewTFSMonitor(e, conf),
		meta:         newOrdered[string, *ReplicaMeta](),
		shouldUpdate: true,
	}
	u.status = u.models.Status
	u.round.usual = u.unchanged
	if conf.UseMetrics {
		u.SendMetrics(NoMetrics{})
	}
	return u, nil
}

// SendMetrics sets where the metrics go; call it before Start. Clients that
// cannot be made leave the updater without metrics (replica_manager.py:407-415).
func (u *ReplicaUpdater) SendMetrics(metrics Metrics) {
	versions, err := NewVersionMetrics(u.e, u.conf, metrics, u.status)
	if err != nil {
		u.e.Log.Logf(env.Error, "init metrics error: %v", err)
		versions = nil
	}
	u.versions = versions
}

// ownTasks are the PS tasks of this container's shard.
func (u *ReplicaUpdater) ownTasks() ([]OptInt, error) { return u.conf.ServerSchedule(ServerPS) }

func (u *ReplicaUpdater) hasPS() bool {
	return u.conf.DeployType == DeployMixed || u.conf.DeployType == DeployPS
}

func (u *ReplicaUpdater) hasEntry() bool {
	return u.conf.DeployType == DeployMixed || u.conf.DeployType == DeployEntry
}

func (u *ReplicaUpdater) hasDense() bool {
	return u.conf.DenseAlone && (u.conf.DeployType == DeployMixed || u.conf.DeployType == DeployDense)
}

// ModelNames are the models whose state is reported (replica_manager.py:434).
func (u *ReplicaUpdater) ModelNames() ([]string, error) {
	var names []string
	if u.hasPS() {
		tasks, err := u.ownTasks()
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			names = append(names, ServerPS+"_"+task.String())
		}
	}
	if u.hasEntry() {
		names = append(names, ServerEntry)
	}
	if u.hasDense() {
		names = append(names, ServerDense+"_0")
	}
	return names, nil
}

func (u *ReplicaUpdater) psPath(task string) string {
	return pysem.JoinStrings(u.prefix, ServerPS+":"+task, u.conf.ReplicaID.String())
}

func (u *ReplicaUpdater) densePath() string {
	return pysem.JoinStrings(u.prefix, ServerDense+":0", u.conf.ReplicaID.String())
}

// paddedEntryPath is the entry's path with the 11 digits that a sequence znode
// "0%010d" has (replica_manager.py:513).
func (u *ReplicaUpdater) paddedEntryPath() string {
	return fmt.Sprintf("%s/%s:0/%011d", u.prefix, ServerEntry, u.conf.ReplicaID.V)
}

// Register writes all replicas of the container (replica_manager.py:508).
func (u *ReplicaUpdater) Register() error {
	if u.hasEntry() {
		path := u.paddedEntryPath()
		if u.conf.ReplicaID.V == -1 {
			path = u.prefix + "/" + ServerEntry + ":0/0"
		}
		if err := u.register(path, u.conf.TFSEntryPort, u.conf.TFSEntryArchonPort); err != nil {
			return err
		}
	}
	if u.hasPS() {
		tasks, err := u.ownTasks()
		if err != nil {
			return err
		}
		for _, task := range tasks {
			if err := u.register(u.psPath(task.String()), u.conf.TFSPSPort, u.conf.TFSPSArchonPort); err != nil {
				return err
			}
		}
	}
	if u.hasDense() {
		return u.register(u.densePath(), u.conf.TFSDensePort, u.conf.TFSDenseArchonPort)
	}
	return nil
}

// register writes one replica with state UNKNOWN (replica_manager.py:464).
func (u *ReplicaUpdater) register(path string, grpc, archon OptInt) error {
	meta := u.newMeta(grpc, archon)
	u.meta.set(path, meta)
	u.changes++
	data := meta.Serialize()
	stat, err := u.zk.Exists(path)
	if err != nil {
		return err
	}
	if stat != nil {
		old, _, err := u.zk.Get(path)
		if err != nil || bytes.Equal(old, data) {
			return err
		}
		return u.set(path, data)
	}
	// The test is by substring: a base_name with "entry" in it makes PS nodes
	// sequential too (Q117).
	sequence := strings.Contains(path, ServerEntry) && u.conf.ReplicaID.V == -1
	if !u.conf.Quirks.Keeps(Q117) {
		sequence = sequence && strings.HasPrefix(path, u.prefix+"/"+ServerEntry+":")
	}
	var real string
	err = u.zk.Retry(func() error {
		var err error
		real, err = u.zk.Create(path, data, env.CreateOptions{Ephemeral: true, Sequence: sequence, MakePath: true})
		return err
	})
	if errors.Is(err, env.ErrNodeExists) {
		return u.set(path, data) // Q120: the znode stays with its session
	}
	if err != nil || u.conf.ReplicaID.V != -1 {
		return err
	}
	return u.adoptReplicaID(path, real, meta)
}

// adoptReplicaID takes the replica id from the name of the created znode
// (replica_manager.py:496), whatever znode it was (Q118).
func (u *ReplicaUpdater) adoptReplicaID(path, real string, meta *ReplicaMeta) error {
	id, _, err := pysem.ParseSmallInt(pysem.Basename(real))
	if err != nil {
		return err
	}
	u.conf.ReplicaID = pysem.Some(id)
	u.meta.delete(path)
	u.meta.set(real, meta)
	u.changes++
	return nil
}

// newMeta describes a server of this host. A host name that does not resolve
// gives 0.0.0.0 even with MY_HOST_IP set, because the default is computed first
// (Q119).
func (u *ReplicaUpdater) newMeta(grpc, archon OptInt) *ReplicaMeta {
	host, err := u.e.Host.LookupIP()
	if err != nil {
		host = "0.0.0.0"
	} else {
		host = envOr(u.e.Host, "MY_HOST_IP", host)
	}
	v6, _ := u.e.Host.LookupEnv("MY_HOST_IPV6")
	if v6 == "" {
		if v6, err = u.e.Host.LookupIPv6(); err != nil {
			v6 = "::"
		}
	}
	v6 = "[" + v6 + "]"
	meta := DefaultReplicaMeta()
	meta.Address = pysem.Some(host + ":" + grpc.String())
	meta.AddressIPv6 = pysem.Some(v6 + ":" + grpc.String())
	meta.ArchonAddress = pysem.Some(host + ":" + archon.String())
	meta.ArchonAddressIPv6 = pysem.Some(v6 + ":" + archon.String())
	return &meta
}

func (u *ReplicaUpdater) set(path string, data []byte) error {
	return u.zk.Retry(func() error {
		_, err := u.zk.Set(path, data, -1)
		return err
	})
}

// pathOf is the path of a model's replica (replica_manager.py:531).
func (u *ReplicaUpdater) pathOf(name string) string {
	switch {
	case strings.HasPrefix(name, ServerEntry):
		return u.paddedEntryPath()
	case strings.HasPrefix(name, ServerPS):
		return u.psPath(strings.TrimPrefix(name, ServerPS+"_"))
	}
	return u.densePath()
}

// update reports the state of one model (replica_manager.py:530). A server that
// cannot be asked is UNKNOWN; an error inside the answer stops the round and
// leaves the last state (Q122). The state is changed in memory before ZooKeeper
// is told, so a failed write is not tried again (Q121).
func (u *ReplicaUpdater) update(name string) error {
	return u.updateModel(&ownModel{name: name, path: u.pathOf(name), changes: -1})
}

func (u *ReplicaUpdater) updateModel(m *ownModel) error {
	versions, err := u.status(m.name)
	return u.answered(m, versions, err)
}

// answered reports what a status query for a model has brought.
func (u *ReplicaUpdater) answered(m *ownModel, versions []env.ModelVersionStatus, err error) error {
	if err != nil {
		return u.report(m, env.StateUnknown)
	}
	if len(versions) == 0 {
		return nil
	}
	chosen := bestVersion(versions, false)
	if chosen.Status.Code != env.OK {
		return pysem.Raise("Exception", "%s", chosen.Status.Message)
	}
	return u.report(m, chosen.State)
}

// report writes a changed state; a znode that is gone is created again.
func (u *ReplicaUpdater) report(m *ownModel, state env.ModelState) error {
	if m.changes != u.changes {
		m.meta, _ = u.meta.get(m.path)
		m.changes = u.changes
	}
	if m.meta == nil {
		return pysem.Raise("KeyError", "%s", pysem.Repr(m.path))
	}
	if m.meta.Stat == state {
		return nil
	}
	m.meta.Stat = state
	path, data := m.path, m.meta.Serialize()
	err := u.set(path, data)
	if !errors.Is(err, env.ErrNoNode) {
		return err
	}
	return u.zk.Retry(func() error {
		_, err := u.zk.Create(path, data, env.CreateOptions{Ephemeral: true, MakePath: true})
		return err
	})
}

// updateLoop reports all models once a second; the first that fails ends the
// round (replica_manager.py:588).
//
// Speed: a status call for each model every second, one after another and without a
// deadline.
func (u *ReplicaUpdater) updateLoop() {
	for !u.stopping {
		u.e.Tasks.Sleep(updatePeriod)
		if !u.shouldUpdate {
			continue
		}
		if err := u.updateAll(); err != nil {
			u.e.Log.Logf(env.Error, "model update: %v", err)
		}
	}
}

// reregisterLoop registers anew every 10 s once a session was lost: the flag is
// never reset, so states flap for ever (Q109). An error ends the thread (Q124).
func (u *ReplicaUpdater) reregisterLoop() {
	for !u.stopping {
		u.e.Tasks.Sleep(reregisterPeriod)
		if !u.shouldReregister {
			continue
		}
		if err := u.Register(); err != nil {
			u.e.Log.Logf(env.Error, "re-register: %v", err)
			return
		}
		u.shouldUpdate = true
		if !u.conf.Quirks.Keeps(Q109) {
			u.shouldReregister = false
		}
	}
}

// metricsLoop stores the versions of all models once a minute
// (replica_manager.py:655); an error ends the round.
func (u *ReplicaUpdater) metricsLoop() {
	for !u.stopping {
		u.e.Tasks.Sleep(metricsPeriod)
		names, err := u.ModelNames()
		if err == nil {
			err = u.versions.Check(names)
		}
		if err != nil {
			u.e.Log.Logf(env.Warning, "metrics: %v", err)
		}
	}
}

func highestVersion(versions []env.ModelVersionStatus) env.ModelVersionStatus {
	return slices.MaxFunc(versions, func(a, b env.ModelVersionStatus) int {
		return int(min(max(a.Version-b.Version, -1), 1))
	})
}

// Start starts the threads (replica_manager.py:679).
func (u *ReplicaUpdater) Start() {
	u.models.Start()
	u.stopping = false
	if u.threads != nil {
		return
	}
	u.threads = append(u.threads,
		u.e.Tasks.Go("model update", u.updateLoop),
		u.e.Tasks.Go("re-register", u.reregisterLoop))
	if u.versions != nil {
		u.threads = append(u.threads, u.e.Tasks.Go("metrics", u.metricsLoop))
	}
}

// Stop ends the threads and forgets the replicas.
func (u *ReplicaUpdater) Stop() {
	u.stopping = true
	for _, t := range u.threads {
		t.Join()
	}
	u.threads = nil
	u.models.Stop()
	u.meta = newOrdered[string, *ReplicaMeta]()
	u.changes++
}
