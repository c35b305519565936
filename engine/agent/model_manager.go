package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// ModelManager copies the newest version of a model from the place where a
// transfer service puts it to the place where the model server looks for it
// (model_manager.py). The source has
//
//	<name>@<version>/<name>/<sub_model>/<version>/...   the files
//	<name>@<version>.write.done                         once they are complete
//	<name>@<version>.read.lock                          while this process reads
//
// and the receiving path gets <name>/<sub_model>/<version>/....
type ModelManager struct {
	e       *env.Env
	quirks  Quirks
	metrics func(name string, value int)

	modelName, sourcePath, receivePath OptString

	models  *ordered[string, []CopiedVersion]
	latest  *ordered[string, LatestVersion]
	locks   []string // the lock files that this process left, sorted
	waitMax int      // seconds
	exit    bool
	thread  env.Task
}

// CopiedVersion is a version that was copied, and where its sub-models are.
type CopiedVersion struct {
	Version string
	Paths   []string
}

// LatestVersion is the newest version that was copied and when, in seconds since
// the Unix epoch.
type LatestVersion struct {
	Version   string
	TimeUnixS int64
}

// The file name endings of the protocol with the transfer service.
const (
	writeDone = ".write.done"
	readLock  = ".read.lock"
)

// The times of the manager (model_manager.py:36-39).
const (
	modelManagerPoll     = 10 * time.Second
	modelManagerInterval = 30 * time.Second
	modelManagerWaitMaxS = 1200
)

// remainVersions is how many versions of a model are kept (model_manager.py:40).
const remainVersions = 5

// ModelManagerOptions say what to copy. A name that is None makes a manager that
// has nothing to do.
type ModelManagerOptions struct {
	ModelName   OptString
	SourcePath  OptString
	ReceivePath OptString
	Quirks      Quirks
	// Metrics, when set, is told after each round how old the served version is:
	// "version.delay" and "update.delay" in seconds, or "loop_once_failed". The
	// open-source client of the reference drops them.
	Metrics func(name string, value int)
}

// NewModelManager makes a manager that is not started.
func NewModelManager(e *env.Env, o ModelManagerOptions) *ModelManager {
	return &ModelManager{
		e: e, quirks: o.Quirks, metrics: o.Metrics,
		modelName: o.ModelName, sourcePath: o.SourcePath, receivePath: o.ReceivePath,
		models:  newOrdered[string, []CopiedVersion](),
		latest:  newOrdered[string, LatestVersion](),
		waitMax: modelManagerWaitMaxS,
	}
}

// Start wipes the receiving path, waits for a model, copies it and goes on in a
// task of its own. It reports false when it failed; the agent then kills itself
// (agent.py:65). A receiving path that is None fails too (Q101).
func (m *ModelManager) Start() bool {
	ok, err := m.start()
	if err != nil {
		m.logf("model manager start failed: %v", err)
		return false
	}
	return ok
}

func (m *ModelManager) start() (bool, error) {
	if !m.modelName.Set {
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
			m.logf("model manager loop once failed: %v", err)
		}
		if done && err == nil {
			break
		}
		m.e.Tasks.Sleep(modelManagerPoll)
	}
	// A lock that a crashed process left fails here, at every start (Q100).
	if err := m.RemoveReadLock(); err != nil {
		return false, err
	}
	m.thread = m.e.Tasks.Go("thread-model_manager", func() {
		if err := m.Run(); err != nil {
			m.logf("model manager thread ended: %v", err)
		}
	})
	return true, nil
}

// Stop ends the task of the manager and waits for it, up to a whole pause (Q108).
func (m *ModelManager) Stop() {
	m.End()
	if m.thread != nil {
		m.thread.Join()
	}
}

// End makes Run return after its present pause.
func (m *ModelManager) End() { m.exit = true }

// Run copies new versions every 30 s until [ModelManager.End] or Stop
// (model_manager.py:110). Only reporting metrics of a version that is no number
// ends it otherwise.
func (m *ModelManager) Run() error {
	for !m.exit {
		ok, err := m.LoopOnce()
		if err == nil {
			err = m.RemoveReadLock()
		}
		if err != nil || !ok {
			m.logf("model manager loop once failed: %v", err)
		}
		if err := m.reportAge(); err != nil {
			return err
		}
		m.e.Tasks.Sleep(modelManagerInterval)
		m.RemoveOldFile()
	}
	return nil
}

// reportAge is check_model_update_time (model_manager.py:126).
func (m *ModelManager) reportAge() error {
	if m.metrics == nil || m.modelName.Or("") == "" {
		return nil
	}
	latest, ok := m.latest.get(m.modelName.V)
	if !ok {
		m.logf("model %s not in _latest_models", m.modelName.V)
		m.metrics("loop_once_failed", 1)
		return nil
	}
	version, _, err := pysem.ParseSmallInt(latest.Version)
	if err != nil {
		return err
	}
	now := m.e.Clock.Now().Unix()
	m.metrics("version.delay", int(now)-version)
	m.metrics("update.delay", int(now-latest.TimeUnixS))
	return nil
}

// LoopOnce copies every model of the source that has a newer version
// (model_manager.py:195). It reports false when a copy failed; an error leaves
// the models after it for the next round.
func (m *ModelManager) LoopOnce() (bool, error) {
	source, err := m.sourceData()
	if err != nil {
		m.logf("get download data failed: %v", err)
		return false, nil
	}
	result := true
	for _, s := range source {
		copied, known := m.models.get(s.model)
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
		m.models.set(s.model, append(copied, CopiedVersion{Version: s.version, Paths: paths}))
		m.latest.set(s.model, LatestVersion{Version: s.version, TimeUnixS: m.e.Clock.Now().Unix()})
		if m.e.Log.Enabled(env.Info) {
			m.e.Log.Logf(env.Info, "%s update to %s", s.model, s.version)
		}
	}
	return result, nil
}

// newer compares versions as strings: 9 is newer than 10 (Q102).
func (m *ModelManager) newer(version, than string) bool {
	if !m.quirks.Keeps(Q102) {
		a, errA := pysem.ParseInt(version)
		b, errB := pysem.ParseInt(than)
		if errA == nil && errB == nil {
			return a.Cmp(b) > 0
		}
	}
	return version > than
}

// RemoveOldFile drops one version of each model that has more than five
// (model_manager.py:144), whatever their number (Q106).
func (m *ModelManager) RemoveOldFile() {
	for _, name := range slices.Clone(m.models.keys) {
		versions, _ := m.models.get(name)
		for len(versions) > remainVersions {
			for _, path := range versions[0].Paths {
				m.Delete(pysem.Some(path))
			}
			versions = versions[1:]
			if m.quirks.Keeps(Q106) {
				break
			}
		}
		m.models.set(name, versions)
	}
}

// WaitForDownload waits up to 20 minutes for the source path and a complete model
// in it (model_manager.py:263); the time for both is counted together.
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
		pause()
		ready = env.Exists(m.e.Files, m.sourcePath.V)
	}
	if !ready {
		m.logf("%s is not ready", m.sourcePath.V)
		return false, nil
	}
	for waited < m.waitMax {
		_, files, _ := walkTop(m.e.Files, m.sourcePath.V)
		for _, file := range files {
			done, err := m.isDoneFile(file)
			if done || err != nil {
				return done, err
			}
		}
		pause()
	}
	m.logf("no ready model found")
	return false, nil
}

// isDoneFile says whether the file marks a complete version. Every name that
// begins as the model's does is taken for that model's (Q103).
func (m *ModelManager) isDoneFile(file string) (bool, error) {
	directory, found := strings.CutSuffix(file, writeDone)
	if !found {
		return false, nil
	}
	if !m.modelName.Set {
		return false, pysem.Raise("TypeError", "startswith first arg must be str or a tuple of str, not NoneType")
	}
	if !m.quirks.Keeps(Q103) {
		return strings.HasPrefix(directory, m.modelName.V+"@"), nil
	}
	return strings.HasPrefix(file, m.modelName.V), nil
}

// SetWaitTimeout sets how long WaitForDownload waits at most.
func (m *ModelManager) SetWaitTimeout(seconds int) { m.waitMax = seconds }

// Models are the versions that are kept, sorted by model.
func (m *ModelManager) Models() []ModelVersions {
	list := []ModelVersions{}
	for name, versions := range m.models.all {
		list = append(list, ModelVersions{Model: name, Versions: versions})
	}
	slices.SortFunc(list, func(a, b ModelVersions) int { return strings.Compare(a.Model, b.Model) })
	return list
}

// ModelVersions are the versions of one model, oldest first.
type ModelVersions struct {
	Model    string
	Versions []CopiedVersion
}

// Latest is the newest version of a model.
func (m *ModelManager) Latest(model string) (LatestVersion, bool) { return m.latest.get(model) }

// LockFiles are the read locks that this process holds, sorted.
func (m *ModelManager) LockFiles() []string { return slices.Clone(m.locks) }

// Thread is the task that Start made, or nil.
func (m *ModelManager) Thread() env.Task { return m.thread }

func (m *ModelManager) logf(format string, args ...any) {
	if m.e.Log.Enabled(env.Error) {
		m.e.Log.Logf(env.Error, format, args...)
	}
}

// statNone is what os.path.exists(None) raises.
func statNone() error {
	return pysem.Raise("TypeError", "stat: path should be string, bytes, os.PathLike or integer, not NoneType")
}

// unboundLocal is what a local that was never assigned raises.
func unboundLocal(name string) error {
	return pysem.Raise("UnboundLocalError",
		"cannot access local variable '%s' where it is not associated with a value", name)
}
