package replicamanager

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/tfs"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// These are the intervals of the updater's tasks (replica_manager.py:591, :669, :661).
const (
	updatePeriod     = time.Second
	reregisterPeriod = 10 * time.Second
	metricsPeriod    = 60 * time.Second
)

// ReplicaUpdater registers the replicas that its container serves, and keeps their states in
// ZooKeeper up to date (replica_manager.py:393).
type ReplicaUpdater struct {
	e      *env.Env
	zk     env.ZooKeeper
	conf   *agentconfig.AgentConfig
	prefix string
	models *tfs.TFSMonitor
	status StatusFunc
	meta   *pysem.OrderedMap[string, *datadef.ReplicaMeta] // data of each registered replica, by path
	// versions reports metrics about versions. It is nil if the updater has no metrics.
	versions *VersionMetrics
	// metricsFailed limits how often failed rounds of metrics are logged (replica_manager.py:668).
	metricsFailed pylog.Seldom

	stopping bool
	session  *Session
	threads  []env.Task
	// overwritten says that the znode of an own replica may have other data than was written.
	overwritten bool
}

// NewReplicaUpdater makes an updater that asks the container's model servers for states. It does
// not register anything yet. A configuration that is dc_aware without a location is a TypeError
// (Q116).
func NewReplicaUpdater(e *env.Env, zk env.ZooKeeper, conf *agentconfig.AgentConfig) (*ReplicaUpdater, error) {
	prefix, err := conf.PathPrefix()
	if err != nil {
		return nil, err
	}
	u := &ReplicaUpdater{
		e: e, zk: zk, conf: conf, prefix: prefix,
		models:  tfs.NewTFSMonitor(e, conf),
		meta:    pysem.NewOrderedMap[string, *datadef.ReplicaMeta](),
		session: NewSession(),
	}
	u.status = u.models.Status
	if !conf.UseMetrics {
		e.Log.Logf(env.Info, "conf.use_metrics is false")
		return u, nil
	}
	if err := u.SendMetrics(noMetrics{}); err != nil {
		e.Log.Logf(env.Error, "init metrics error")
		u.logException(err)
	} else {
		e.Log.Logf(env.Info, "after init_metrics, prefix is %s", u.versions.prefix)
	}
	return u, nil
}

// StatusFunc asks a model server which versions of a model it has. If it returns no version, the
// replica's state stays as it was. An error means that the server cannot be asked.
type StatusFunc func(model string) ([]env.ModelVersionStatus, error)

// SetStatus makes the updater call status in place of the container's model servers, for example in
// a test without model servers. Call it before Start.
func (u *ReplicaUpdater) SetStatus(status StatusFunc) { u.status = status }

// SendMetrics sets the service to which metrics go; by default they are dropped. Call it before
// Start. If the metrics clients cannot be made, the updater has no metrics
// (replica_manager.py:407-415).
func (u *ReplicaUpdater) SendMetrics(metrics Metrics) (err error) {
	u.versions, err = NewVersionMetrics(u.e, u.conf, metrics, func(model string) ([]env.ModelVersionStatus, error) { return u.status(model) })
	return err
}

// HasMetrics reports whether the updater stores metrics.
func (u *ReplicaUpdater) HasMetrics() bool { return u.versions != nil }

func (u *ReplicaUpdater) logException(err error) {
	u.e.Log.Logf(env.Error, "exc_type: %s", pylog.Class(err))
	u.e.Log.Logf(env.Error, "exc_value: %s", pylog.Text(err))
}

// ownTasks returns the PS tasks that belong to this container's shard.
func (u *ReplicaUpdater) ownTasks() ([]pysem.OptInt, error) {
	return u.conf.ServerSchedule(agentconfig.ServerPS)
}

func (u *ReplicaUpdater) hasPS() bool {
	return u.conf.DeployType == agentconfig.DeployMixed || u.conf.DeployType == agentconfig.DeployPS
}

func (u *ReplicaUpdater) hasEntry() bool {
	return u.conf.DeployType == agentconfig.DeployMixed || u.conf.DeployType == agentconfig.DeployEntry
}

func (u *ReplicaUpdater) hasDense() bool {
	return u.conf.DenseAlone && (u.conf.DeployType == agentconfig.DeployMixed || u.conf.DeployType == agentconfig.DeployDense)
}

// ModelNames returns the models that the container serves and whose states it reports: ps_<task>,
// entry and dense_0 (replica_manager.py:434). A SHARD_ID that is not a number is a ValueError.
func (u *ReplicaUpdater) ModelNames() ([]string, error) {
	var names []string
	if u.hasPS() {
		tasks, err := u.ownTasks()
		if err != nil {
			return nil, err
		}
		for _, task := range tasks {
			names = append(names, agentconfig.ServerPS+"_"+task.String())
		}
	}
	if u.hasEntry() {
		names = append(names, agentconfig.ServerEntry)
	}
	if u.hasDense() {
		names = append(names, agentconfig.ServerDense+"_0")
	}
	return names, nil
}

// PathPrefix returns the znode below which the container's tasks are registered.
func (u *ReplicaUpdater) PathPrefix() string { return u.prefix }

// EntryPath returns the entry's znode with the replica id unpadded (replica_manager.py:447).
// Register writes another znode, whose id has 11 digits.
func (u *ReplicaUpdater) EntryPath() string {
	return u.prefix + "/" + agentconfig.ServerEntry + ":0/" + u.conf.ReplicaID.String()
}

// PSPath returns the znode of this container's replica of a PS task (replica_manager.py:454).
func (u *ReplicaUpdater) PSPath(task string) string {
	return pysem.JoinStrings(u.prefix, agentconfig.ServerPS+":"+task, u.conf.ReplicaID.String())
}

// DensePath returns the znode of this container's replica of dense (replica_manager.py:460).
func (u *ReplicaUpdater) DensePath() string {
	return pysem.JoinStrings(u.prefix, agentconfig.ServerDense+":0", u.conf.ReplicaID.String())
}

// paddedEntryPath returns the entry's znode with an id of 11 digits, as a sequential znode "0%010d"
// has (replica_manager.py:513, ZK-16.4).
func (u *ReplicaUpdater) paddedEntryPath() string {
	return u.prefix + "/" + agentconfig.ServerEntry + ":0/" + elevenDigits(u.conf.ReplicaID.V)
}

// elevenDigits formats n as %011d does.
func elevenDigits(n int) string {
	const zeros = "00000000000"
	text := strconv.Itoa(n)
	if n < 0 || len(text) > len(zeros) {
		return fmt.Sprintf("%011d", n)
	}
	return zeros[len(text):] + text
}

// Register writes all replicas of the container as ephemeral znodes in the state UNKNOWN
// (replica_manager.py:508). It stops at the first error. An updater without a replica id takes the
// id from the first znode that it creates (Q118).
func (u *ReplicaUpdater) Register() error {
	if u.hasEntry() {
		path := u.paddedEntryPath()
		if u.conf.ReplicaID.V == -1 {
			path = u.prefix + "/" + agentconfig.ServerEntry + ":0/0"
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
			if err := u.register(u.PSPath(task.String()), u.conf.TFSPSPort, u.conf.TFSPSArchonPort); err != nil {
				return err
			}
		}
	}
	if u.hasDense() {
		return u.register(u.DensePath(), u.conf.TFSDensePort, u.conf.TFSDenseArchonPort)
	}
	return nil
}

// register writes one replica with state UNKNOWN (replica_manager.py:464).
func (u *ReplicaUpdater) register(path string, grpc, archon pysem.OptInt) error {
	meta := u.newMeta(grpc, archon)
	u.meta.Set(path, meta)
	data := meta.Serialize()
	stat, err := u.zk.Exists(path)
	if err != nil {
		return err
	}
	if stat != nil && !u.conf.Quirks.Keeps(quirks.Q120) {
		// The existing znode belongs to another session and would be deleted with it.
		if err := u.zk.Delete(path, env.AnyVersion); err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
			return err
		}
	} else if stat != nil {
		old, _, err := u.zk.Get(path)
		if err != nil || bytes.Equal(old, data) {
			return err
		}
		return u.set(path, data)
	}
	// The reference looks for "entry" anywhere in the path. So with a base_name that contains
	// "entry", PS znodes become sequential too (Q117).
	sequence := strings.Contains(path, agentconfig.ServerEntry) && u.conf.ReplicaID.V == -1
	if !u.conf.Quirks.Keeps(quirks.Q117) {
		sequence = sequence && strings.HasPrefix(path, u.prefix+"/"+agentconfig.ServerEntry+":")
	}
	var real string
	err = u.zk.Retry(func() error {
		var err error
		real, err = u.zk.Create(path, data, env.CreateOptions{Ephemeral: true, Sequence: sequence, MakePath: true})
		return err
	})
	if errors.Is(err, zkerrors.ErrNodeExists) {
		u.e.Log.Logf(env.Info, "%s has already exists", path)
		return u.set(path, data) // the znode stays with the session that created it (Q120)
	}
	if err != nil || u.conf.ReplicaID.V != -1 {
		return err
	}
	return u.adoptReplicaID(path, real, meta)
}

// adoptReplicaID takes the replica id from the name of a created znode (replica_manager.py:496), no
// matter which replica the znode is for (Q118).
func (u *ReplicaUpdater) adoptReplicaID(path, real string, meta *datadef.ReplicaMeta) error {
	id, _, err := pysem.ParseSmallInt(pysem.Basename(real))
	if err != nil {
		return err
	}
	u.conf.ReplicaID = pysem.Some(id)
	u.meta.Delete(path)
	u.meta.Set(real, meta)
	return nil
}

// newMeta describes a model server on this host. If the host's name cannot be resolved, the address
// is 0.0.0.0 even if MY_HOST_IP is set, because Python computes the default first (Q119).
func (u *ReplicaUpdater) newMeta(grpc, archon pysem.OptInt) *datadef.ReplicaMeta {
	host, err := u.e.Host.LookupIP()
	if err != nil {
		host = "0.0.0.0"
	} else {
		host = agentconfig.EnvOr(u.e.Host, "MY_HOST_IP", host)
	}
	v6, _ := u.e.Host.LookupEnv("MY_HOST_IPV6")
	if v6 == "" {
		if v6, err = u.e.Host.LookupIPv6(); err != nil {
			v6 = "::"
		}
	}
	v6 = "[" + v6 + "]"
	meta := datadef.DefaultReplicaMeta()
	meta.Address = pysem.Some(host + ":" + grpc.String())
	meta.AddressIPv6 = pysem.Some(v6 + ":" + grpc.String())
	meta.ArchonAddress = pysem.Some(host + ":" + archon.String())
	meta.ArchonAddressIPv6 = pysem.Some(v6 + ":" + archon.String())
	return &meta
}

func (u *ReplicaUpdater) set(path string, data []byte) error {
	return u.zk.Retry(func() error {
		return u.zk.Set(path, data, -1)
	})
}

// pathOf returns the znode of a model's replica (replica_manager.py:529-534). A PS name without a
// number is an IndexError or a ValueError.
func (u *ReplicaUpdater) pathOf(name string) (string, error) {
	switch {
	case strings.HasPrefix(name, agentconfig.ServerEntry):
		return u.paddedEntryPath(), nil
	case strings.HasPrefix(name, agentconfig.ServerPS):
		parts := strings.Split(name, "_")
		if len(parts) < 2 {
			return "", pysem.Raise("IndexError", "list index out of range")
		}
		task, err := pysem.ParseInt(parts[1])
		if err != nil {
			return "", err
		}
		return u.PSPath(task.String()), nil
	}
	return u.DensePath(), nil
}

// Registration is a replica that an updater has registered: its znode's path and content.
type Registration struct {
	Path string
	Meta *datadef.ReplicaMeta
}

// Registrations lists the replicas that the updater keeps up to date, in the order of registration.
// They belong to the updater, and callers must not change them.
func (u *ReplicaUpdater) Registrations() []Registration {
	list := []Registration{}
	for path, meta := range u.meta.All {
		list = append(list, Registration{Path: path, Meta: meta})
	}
	return list
}

// Update asks for the state of one model, and writes it to the model's znode if it has changed
// (replica_manager.py:530). A server that cannot be asked counts as UNKNOWN. An error inside the
// answer is returned and leaves the state as it was (Q122). A model that was not registered is a
// KeyError. The state changes in memory before the write, so a failed write is not repeated (Q121).
func (u *ReplicaUpdater) Update(name string) error {
	path, err := u.pathOf(name)
	if err != nil {
		return err
	}
	versions, err := u.status(name)
	if err != nil {
		return u.report(path, env.StateUnknown)
	}
	if len(versions) == 0 {
		return nil
	}
	chosen := tfs.BestVersion(versions, false)
	if chosen.Status.Code != rpcerrors.OK && u.conf.Quirks.Keeps(quirks.Q122) {
		return pysem.Raise("Exception", "%s", chosen.Status.Message)
	}
	return u.report(path, chosen.State)
}

// report writes a changed state to a replica's znode. If the znode is gone, it creates it again.
func (u *ReplicaUpdater) report(path string, state env.ModelState) error {
	meta, ok := u.meta.Get(path)
	if !ok {
		return pysem.Raise("KeyError", "%s", pysem.Repr(path))
	}
	if meta.Stat == state {
		return nil
	}
	before := meta.Stat
	meta.Stat = state
	data := meta.Serialize()
	err := u.set(path, data)
	if errors.Is(err, zkerrors.ErrNoNode) {
		err = u.zk.Retry(func() error {
			_, err := u.zk.Create(path, data, env.CreateOptions{Ephemeral: true, MakePath: true})
			return err
		})
	}
	if err != nil && meta.Stat == state && !u.conf.Quirks.Keeps(quirks.Q121) {
		meta.Stat = before
	}
	return err
}

// updateLoop reports all models once a second; the first that fails ends the
// round (replica_manager.py:588).
//
// Cost: status calls grow with the models that the container serves, one each every
// second, one after another and without a deadline.
func (u *ReplicaUpdater) updateLoop() {
	loop := threading.NewLoop(u.e.Tasks, updatePeriod)
	u.goRound(loop, func() bool {
		if !u.session.Update {
			return true
		}
		if model, err := u.updateModels(); err != nil {
			u.logException(err)
			u.e.Log.Logf(env.Error, "%s, when model %s update", pylog.Text(err), model)
		}
		return true
	})
}

// updateModels updates the states of all models. It stops at the first error and returns that
// model's name with it, "None" if there is none yet.
func (u *ReplicaUpdater) updateModels() (model string, err error) {
	names, err := u.ModelNames()
	if err != nil {
		return "None", err
	}
	for _, name := range names {
		if err := u.Update(name); err != nil {
			return name, err
		}
	}
	return "", nil
}

// goRound runs the loop of a task. It calls turn after each interval, until the updater is stopped
// or turn returns false.
func (u *ReplicaUpdater) goRound(loop env.Loop, turn func() bool) {
	if !u.stopping {
		loop.Run(func() bool { return turn() && !u.stopping })
	}
}

// reregisterLoop registers all replicas again every 10 s, from the first lost session on. The
// reference never resets the session's Reregister, so states flap for ever (Q109). An error ends
// the thread (Q124).
func (u *ReplicaUpdater) reregisterLoop() {
	loop := threading.NewLoop(u.e.Tasks, reregisterPeriod)
	u.goRound(loop, func() bool {
		if u.overwritten {
			u.overwritten = u.writeAgain() != nil
		}
		if !u.session.Reregister {
			return true
		}
		if err := u.Register(); err != nil {
			u.e.Log.Logf(env.Error, pylog.Uncaught+"(_reregister): %v", err)
			return !u.conf.Quirks.Keeps(quirks.Q124)
		}
		u.session.Update = true
		if !u.conf.Quirks.Keeps(quirks.Q109) {
			u.session.Reregister = false
		}
		return true
	})
}

// seen records whether somebody else has written an own replica's znode, such as a former life of the
// agent by a write that has arrived late (Q334).
func (u *ReplicaUpdater) seen(path string, found datadef.ReplicaMeta) {
	if meta, ok := u.meta.Get(path); ok && *meta != found {
		u.overwritten = true
	}
}

// writeAgain writes the own replicas whose znodes have other data.
func (u *ReplicaUpdater) writeAgain() error {
	for path, meta := range u.meta.All {
		old, _, err := u.zk.Get(path)
		if data := meta.Serialize(); err == nil && !bytes.Equal(old, data) {
			err = u.set(path, data)
		}
		if err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
			return err
		}
	}
	return nil
}

// metricsLoop stores the metrics of all models once a minute (replica_manager.py:655). An error
// ends the round.
func (u *ReplicaUpdater) metricsLoop() {
	loop := threading.NewLoop(u.e.Tasks, metricsPeriod)
	u.goRound(loop, func() bool {
		if err := u.CheckVersions(); err != nil {
			u.e.Log.Logf(env.Error, "exc_type: %s", pylog.Class(err))
			if u.metricsFailed.Due(u.e.Clock, 10*time.Minute) {
				u.e.Log.Logf(env.Warning, "%v", pylog.Traceback(err))
			}
		}
		return true
	})
}

// CheckVersions stores the metrics of all models once (replica_manager.py:617). It does nothing if
// the updater has no metrics.
func (u *ReplicaUpdater) CheckVersions() error {
	if u.versions == nil {
		return nil
	}
	names, err := u.ModelNames()
	if err != nil {
		return err
	}
	return u.versions.Check(names)
}

func highestVersion(versions []env.ModelVersionStatus) env.ModelVersionStatus {
	return slices.MaxFunc(versions, func(a, b env.ModelVersionStatus) int {
		return int(min(max(a.Version-b.Version, -1), 1))
	})
}

// Start starts three tasks (replica_manager.py:679). They report states every second, register
// again every 10 s after a lost session, and store metrics every minute. Call it after Register.
func (u *ReplicaUpdater) Start() {
	u.models.Start()
	u.stopping = false
	if u.threads != nil {
		return
	}
	u.threads = append(u.threads,
		threading.Start(u.e.Tasks, "model update", u.updateLoop),
		threading.Start(u.e.Tasks, "re-register", u.reregisterLoop))
	if u.versions != nil {
		u.threads = append(u.threads, threading.Start(u.e.Tasks, "metrics", u.metricsLoop))
	}
}

// Stop ends the tasks, waits for them up to a minute, and forgets the replicas. The znodes stay
// until the session ends.
func (u *ReplicaUpdater) Stop() {
	u.stopping = true
	for _, t := range u.threads {
		t.Join()
	}
	u.threads = nil
	u.models.Stop()
	u.meta = pysem.NewOrderedMap[string, *datadef.ReplicaMeta]()
}
