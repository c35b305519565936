// Package modelmanager copies the versions of a rough sort model to where the model server reads
// them (model_manager.py). Another program receives the versions and marks each as complete. The
// manager copies the newest and removes old ones.
//
// Two things to use first:
//
//   - [NewModelManager] makes a manager from its [ModelManagerOptions].
//   - [ModelManager.Start] copies the newest version once and continues in the background.
//
// To change:
//
//   - when it copies: model_manager.go
//   - how it locks, copies and removes: files.go
//
// Unstable: any commit may change it.
package modelmanager

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/engine/quirks"
)

// ModelManager copies the newest version of a model. A transfer service writes versions to a source
// path, and the model server reads them from a receiving path. The source has
//
//	<name>@<version>/<name>/<sub_model>/<version>/...   the files
//	<name>@<version>.write.done                         exists once the files are complete
//	<name>@<version>.read.lock                          exists while this process reads them
//
// The receiving path gets <name>/<sub_model>/<version>/....
type ModelManager struct {
	e       *env.Env
	quirks  quirks.Set
	metrics func(Metric)

	modelName, sourcePath, receivePath pysem.OptString

	models  *pysem.OrderedMap[string, []CopiedVersion]
	latest  *pysem.OrderedMap[string, LatestVersion]
	locks   *pyset.Words[string] // paths of the lock files of this process
	waitMax int                  // seconds
	exit    bool
	thread  env.Task
}

// CopiedVersion is a copied version with the paths of its sub-models.
type CopiedVersion struct {
	Version string
	Paths   []string
}

// LatestVersion is the version of a model that was copied last, and the time of the copy in seconds
// since the Unix epoch.
type LatestVersion struct {
	Version   string
	TimeUnixS int64
}

// These file name endings make up the protocol with the transfer service.
const (
	WriteDone = ".write.done"
	ReadLock  = ".read.lock"
)

// These are the manager's intervals, and the longest wait in seconds (model_manager.py:36-39).
const (
	modelManagerPoll     = 10 * time.Second
	modelManagerInterval = 30 * time.Second
	modelManagerWaitMaxS = 1200
)

// remainVersions is how many versions of a model are kept (model_manager.py:40).
const remainVersions = 5

// ModelManagerOptions says which model to copy, from where and to where. A ModelName of None makes
// a manager that does nothing.
type ModelManagerOptions struct {
	ModelName   pysem.OptString
	SourcePath  pysem.OptString
	ReceivePath pysem.OptString
	Quirks      quirks.Set
	// Metrics, if set, is called after each round with the age of the served version. The
	// reference's open-source client drops this metric.
	Metrics func(Metric)
}

// MetricsPrefix is the prefix of the manager's metrics (model_manager.py:52).
const MetricsPrefix = "data.monolith_serving.online"

// Metric is one value for a metrics client. It is the gauge "version.delay" or "update.delay", in
// seconds, or the counter "loop_once_failed".
type Metric struct {
	// Counter is true for the counter and false for the gauges.
	Counter bool
	Name    string
	Value   int
	// Model is the model's name, a tag of the metric.
	Model string
}

// NewModelManager makes a manager without starting it.
func NewModelManager(e *env.Env, o ModelManagerOptions) *ModelManager {
	m := &ModelManager{
		e: e, quirks: o.Quirks, metrics: o.Metrics,
		modelName: o.ModelName, sourcePath: o.SourcePath, receivePath: o.ReceivePath,
		models:  pysem.NewOrderedMap[string, []CopiedVersion](),
		latest:  pysem.NewOrderedMap[string, LatestVersion](),
		waitMax: modelManagerWaitMaxS,
	}
	m.locks = m.noLocks()
	return m
}

// Start empties the receiving path, waits up to 20 minutes for a model and copies it. Then it
// continues in a task of its own. If it returns false, the agent kills itself (agent.py:65). It
// fails for a receiving path of None (Q101), but not for a ModelName of None.
func (m *ModelManager) Start() bool {
	ok, err := m.start()
	if err != nil {
		m.logf("model manager start failed: %s", pylog.Text(err))
		return false
	}
	return ok
}

func (m *ModelManager) start() (bool, error) {
	if !m.modelName.Set {
		m.e.Log.Logf(env.Info, "ModelManager is not needed")
		return true, nil
	}
	if !m.Delete(m.receivePath) {
		return false, nil
	}
	if ready, err := m.WaitForDownload(); !ready || err != nil {
		return false, err
	}
	for {
		done, err := m.LoopOnce()
		if err != nil {
			m.logf("model manager loop once failed: %s", pylog.Text(err))
		}
		if done && err == nil {
			break
		}
		m.e.Log.Logf(env.Info, "loop once failed, wait for ready model")
		m.e.Tasks.Sleep(modelManagerPoll)
	}
	// If a crashed process has left a lock file, this fails at every start (Q100).
	if err := m.RemoveReadLock(); err != nil {
		return false, err
	}
	m.thread = threading.Start(m.e.Tasks, "thread-model_manager", func() {
		if err := m.Run(); err != nil {
			m.logf(pylog.Uncaught+"thread-model_manager: %v", err)
		}
	})
	return true, nil
}

// Stop ends the manager's task and waits for it, up to a whole interval of 30 s (Q108).
func (m *ModelManager) Stop() {
	m.End()
	if m.thread != nil {
		m.thread.Join()
	}
}

// End makes Run return after its present pause. It does not wait for Run.
func (m *ModelManager) End() { m.exit = true }

// Run copies new versions every 30 s until [ModelManager.End] or Stop (model_manager.py:110). Start
// calls it in a task. It returns an error only for a version that is not a number, whose age cannot
// be reported.
func (m *ModelManager) Run() error {
	for !m.exit {
		ok, err := m.LoopOnce()
		if err == nil {
			err = m.RemoveReadLock()
		}
		if err != nil {
			m.logf("model manager loop once failed: %s", pylog.Text(err))
		} else if !ok {
			m.logf("model manager loop once failed")
		}
		if err := m.reportAge(); err != nil {
			return err
		}
		m.e.Tasks.Sleep(modelManagerInterval)
		m.RemoveOldFile()
	}
	return nil
}

// reportAge sends the age of the served version to the metrics (model_manager.py:126,
// check_model_update_time).
func (m *ModelManager) reportAge() error {
	if m.metrics == nil || m.modelName.Or("") == "" {
		return nil
	}
	latest, ok := m.latest.Get(m.modelName.V)
	if !ok {
		m.logf("model %s not in _latest_models: %v", m.modelName.V, pylog.Later(m.reprOfLatest))
		m.metrics(Metric{Counter: true, Name: "loop_once_failed", Value: 1, Model: m.modelName.V})
		return nil
	}
	version, _, err := pysem.ParseSmallInt(latest.Version)
	if err != nil {
		return err
	}
	now := m.e.Clock.Now().Unix()
	m.metrics(Metric{Name: "version.delay", Value: int(now) - version, Model: m.modelName.V})
	m.metrics(Metric{Name: "update.delay", Value: int(now - latest.TimeUnixS), Model: m.modelName.V})
	return nil
}

// reprOfLatest returns Python's repr of the dict of latest versions.
func (m *ModelManager) reprOfLatest() string {
	d := &pysem.Dict{}
	for name, latest := range m.latest.All {
		d.Set(name, pysem.Tuple{latest.Version, int(latest.TimeUnixS)})
	}
	return pysem.Repr(d)
}

// LoopOnce copies every model for which the source has a newer version (model_manager.py:195). It
// reports whether all copies succeeded. After an error the remaining models wait for the next
// round.
func (m *ModelManager) LoopOnce() (bool, error) {
	source, err := m.sourceData()
	if err != nil {
		m.logf("get download data failed: %s", pylog.Text(err))
		return false, nil
	}
	result := true
	for _, s := range source {
		copied, known := m.models.Get(s.model)
		if known && len(copied) > 0 && !m.newer(s.version, copied[len(copied)-1].Version) {
			continue
		}
		paths, ok, err := m.copyModel(s)
		if err != nil {
			return false, err
		}
		if !ok {
			m.logf("copy %s failed", s.model)
			result = false
			continue
		}
		m.models.Set(s.model, append(copied, CopiedVersion{Version: s.version, Paths: paths}))
		m.latest.Set(s.model, LatestVersion{Version: s.version, TimeUnixS: m.e.Clock.Now().Unix()})
		if m.e.Log.Enabled(env.Info) {
			m.e.Log.Logf(env.Info, "%s update to %s", s.model, s.version)
		}
	}
	return result, nil
}

// newer reports whether version is newer than the other. Versions are compared as strings, so 9 is
// newer than 10 (Q102).
func (m *ModelManager) newer(version, than string) bool {
	if !m.quirks.Keeps(quirks.Q102) {
		a, errA := pysem.ParseInt(version)
		b, errB := pysem.ParseInt(than)
		if errA == nil && errB == nil {
			return a.Cmp(b) > 0
		}
	}
	return version > than
}

// RemoveOldFile removes the oldest version of each model that has more than five versions
// (model_manager.py:144). The reference removes only one version of a model at each call, even if
// several are too many (Q106).
func (m *ModelManager) RemoveOldFile() {
	for _, name := range slices.Clone(m.models.KeyList()) {
		versions, _ := m.models.Get(name)
		for len(versions) > remainVersions {
			for _, path := range versions[0].Paths {
				m.Delete(pysem.Some(path))
			}
			versions = versions[1:]
			if m.quirks.Keeps(quirks.Q106) {
				break
			}
		}
		m.models.Set(name, versions)
	}
}

// WaitForDownload waits until the source path exists and has a complete model, for 20 minutes in
// total. It reports whether there is one (model_manager.py:263). A source path of None is a
// TypeError.
func (m *ModelManager) WaitForDownload() (bool, error) {
	if !m.sourcePath.Set {
		return false, statNone()
	}
	waited := 0
	pause := func() {
		m.e.Tasks.Sleep(modelManagerPoll)
		waited += int(modelManagerPoll / time.Second)
	}
	ready := env.Exists(m.e.Files, m.sourcePath.V)
	for !ready && waited < m.waitMax {
		m.e.Log.Logf(env.Info, "wait %s created", m.sourcePath.V)
		pause()
		ready = env.Exists(m.e.Files, m.sourcePath.V)
	}
	if !ready {
		m.logf("%s is not ready", m.sourcePath.V)
		return false, nil
	}
	for waited < m.waitMax {
		_, files, _ := pyos.WalkTop(m.e.Files, m.sourcePath.V)
		for _, file := range files {
			done, err := m.isDoneFile(file)
			if err != nil {
				return false, err
			}
			if done {
				m.e.Log.Logf(env.Info, "%s is ready", file)
				return true, nil
			}
		}
		m.e.Log.Logf(env.Info, "no ready model found")
		pause()
	}
	m.logf("no ready model found")
	return false, nil
}

// isDoneFile reports whether a file marks a complete version of this model. A name that only begins
// with the model's name also counts (Q103).
func (m *ModelManager) isDoneFile(file string) (bool, error) {
	directory, found := strings.CutSuffix(file, WriteDone)
	if !found {
		return false, nil
	}
	if !m.modelName.Set {
		return false, pysem.Raise("TypeError", "startswith first arg must be str or a tuple of str, not NoneType")
	}
	if !m.quirks.Keeps(quirks.Q103) {
		return strings.HasPrefix(directory, m.modelName.V+"@"), nil
	}
	return strings.HasPrefix(file, m.modelName.V), nil
}

// SetWaitTimeout sets the longest wait of WaitForDownload, in seconds, in place of 1200. Call it
// before Start.
func (m *ModelManager) SetWaitTimeout(seconds int) { m.waitMax = seconds }

// Models returns the copied versions that have not been removed, sorted by model.
func (m *ModelManager) Models() []ModelVersions {
	list := []ModelVersions{}
	for name, versions := range m.models.All {
		list = append(list, ModelVersions{Model: name, Versions: versions})
	}
	slices.SortFunc(list, func(a, b ModelVersions) int { return strings.Compare(a.Model, b.Model) })
	return list
}

// ModelVersions holds the copied versions of one model, oldest first.
type ModelVersions struct {
	Model    string
	Versions []CopiedVersion
}

// Latest returns the version of a model that was copied last. The second result is false if there
// is none.
func (m *ModelManager) Latest(model string) (LatestVersion, bool) { return m.latest.Get(model) }

// LockFiles returns the paths of this process's read lock files, sorted.
func (m *ModelManager) LockFiles() []string { return pysem.SortedStrings(m.locks.Keys()) }

// Thread returns the task that Start started, or nil.
func (m *ModelManager) Thread() env.Task { return m.thread }

func (m *ModelManager) logf(format string, args ...any) {
	if m.e.Log.Enabled(env.Error) {
		m.e.Log.Logf(env.Error, format, args...)
	}
}

// statNone returns the error that os.path.exists(None) raises.
func statNone() error {
	return pysem.Raise("TypeError", "stat: path should be string, bytes, os.PathLike or integer, not NoneType")
}

// unboundLocal returns Python's error for reading a local variable that was never assigned.
func unboundLocal(name string) error {
	return pysem.Raise("UnboundLocalError",
		"cannot access local variable '%s' where it is not associated with a value", name)
}
