package tfserving

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// source polls the base paths and tells the manager what it should serve
// (upstream's FileSystemStoragePathSource).
//
// A poll repeats the last one's outcome unless its config or the storage
// changed, and the manager does nothing about a request that it already
// handled; such polls are left out, and with them what they would log again.
// Storage.Watch tells of changes; where it
// cannot, every poll runs.
type source struct {
	server    *Server
	models    []monitored // in the order of the config
	connected bool
	closed    bool

	grid  grid
	timer timer
	// watches cancel the watches by base path; blind says that some path cannot
	// be watched.
	watches map[string]func()
	blind   bool
}

// monitored is FileSystemStoragePathSourceConfig.ServableToMonitor. once is what
// latest_once chose at the first successful poll that found any version.
type monitored struct {
	name, basePath string
	policy         VersionPolicy
	once           []int64
}

func newSource(s *Server) *source {
	src := &source{server: s, watches: map[string]func(){}}
	src.grid.interval = time.Duration(s.options.FileSystemPollWaitSeconds) * time.Second
	src.timer = timer{rank: rankStorePoll, fn: src.run}
	return src
}

// connect starts the polling thread (TFS-3.1).
func (src *source) connect() {
	src.connected = true
	if src.server.options.FileSystemPollWaitSeconds >= 0 {
		src.server.agenda.set(&src.timer, src.server.agenda.now())
	}
}

// close ends polling. What was aspired stays aspired.
func (src *source) close() {
	src.closed = true
	src.server.agenda.unset(&src.timer)
	for _, path := range sortedKeys(src.watches) {
		src.watches[path]()
	}
	src.watches = nil
}

// updateConfig installs what to monitor and un-aspires at once what is gone, by
// name. It does not poll (TFS-3.1).
func (src *source) updateConfig(models []monitored) *env.RPCError {
	options := src.server.options
	if options.FailIfZeroVersions || options.ServableVersionsAlwaysPresent {
		if err := src.failIfZeroVersions(models); err != nil {
			return err
		}
	}
	var gone []string
	for _, old := range src.models {
		i := slices.IndexFunc(models, func(m monitored) bool { return m.name == old.name })
		if i < 0 {
			gone = append(gone, old.name)
		} else if models[i].basePath == old.basePath && models[i].policy.Kind == old.policy.Kind &&
			models[i].policy.NumVersions == old.policy.NumVersions {
			models[i].once = old.once
		}
	}
	slices.Sort(gone)
	src.models = models
	if src.connected {
		for _, name := range gone {
			src.server.manager.enqueue(name, nil)
		}
	}
	src.watch()
	src.changed()
	return nil
}

// newNames are the models of the config that the source does not monitor yet.
func (src *source) newNames(models []monitored) (names []string) {
	for _, m := range models {
		if !slices.ContainsFunc(src.models, func(old monitored) bool { return old.name == m.name }) {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

func (src *source) sortedNames() []string {
	names := make([]string, 0, len(src.models))
	for _, m := range src.models {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

// watch watches the base paths of the config and no others.
func (src *source) watch() {
	stale := src.watches
	src.watches, src.blind = make(map[string]func(), len(src.models)), false
	for _, m := range src.models {
		if cancel, ok := stale[m.basePath]; ok {
			src.watches[m.basePath] = cancel
			delete(stale, m.basePath)
		}
		if _, ok := src.watches[m.basePath]; ok {
			continue
		}
		cancel, ok := src.server.host.Storage().Watch(m.basePath, src.changed)
		if !ok {
			src.blind = true
			continue
		}
		src.watches[m.basePath] = cancel
	}
	for _, path := range sortedKeys(stale) {
		stale[path]()
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// changed has the next poll of the grid run, if there are any more.
func (src *source) changed() {
	if !src.connected || src.closed || src.grid.interval <= 0 || src.timer.queued {
		return
	}
	a := src.server.agenda
	a.set(&src.timer, src.grid.upcoming(a, rankStorePoll))
	if !a.running {
		a.arm()
	}
}

// run is one poll. It takes no time.
func (src *source) run() {
	src.grid.began(src.server.agenda.now())
	if err := src.poll(); err != nil {
		src.server.errorf("FileSystemStoragePathSource encountered a filesystem access error: %s", err.Message)
	}
	if src.blind || src.server.polls {
		src.changed()
	}
}

// poll looks at all models; one that fails stops everything (TFS-3.3).
func (src *source) poll() *env.RPCError {
	byName := make([][]aspired, len(src.models))
	order := make([]int, len(src.models))
	for i := range src.models {
		versions, err := src.pollOne(&src.models[i])
		if err != nil {
			return err
		}
		byName[i], order[i] = versions, i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(src.models[a].name, src.models[b].name) })
	for _, i := range order {
		src.models[i].settle(byName[i])
		if len(byName[i]) == 0 && src.server.options.ServableVersionsAlwaysPresent {
			src.server.errorf("Refusing to unload all versions for Servable: %s", src.models[i].name)
			continue
		}
		src.server.aspire(src.models[i].name, byName[i])
	}
	return nil
}

// settle makes the first versions of a latest_once policy its choice.
func (m *monitored) settle(versions []aspired) {
	if m.policy.Kind != LatestOnce || m.once != nil {
		return
	}
	for _, v := range versions {
		m.once = append(m.once, v.version)
	}
}

// pollOne is PollFileSystemForServable (TFS-3.2).
func (src *source) pollOne(m *monitored) ([]aspired, *env.RPCError) {
	storage := src.server.host.Storage()
	if !storage.Exists(m.basePath) {
		return nil, src.missingBasePath(m)
	}
	if src.server.profile == ProfileHead && m.policy.Kind == Specific {
		if versions, ok := src.specificFast(m); ok {
			return versions, nil
		}
	}
	names, err := storage.List(m.basePath)
	if err != nil {
		return nil, storageError(m.basePath, err)
	}
	numeric := src.server.profile.versionsOf(directChildren(names))
	chosen := m.policy.choose(numeric, m.once)
	src.warn(m, numeric, chosen)
	return aspire(m, chosen), nil
}

func aspire(m *monitored, chosen []found) []aspired {
	versions := make([]aspired, 0, len(chosen))
	for _, v := range chosen {
		versions = append(versions, aspired{version: v.version, path: joinPath(m.basePath, v.child)})
	}
	return versions
}

func (src *source) missingBasePath(m *monitored) *env.RPCError {
	text := fmt.Sprintf("Could not find base path %s for servable %s", m.basePath, m.name)
	if src.server.profile == ProfileHead {
		text += fmt.Sprintf(" with error NOT_FOUND: %s not found", m.basePath)
	}
	return &env.RPCError{Code: env.InvalidArgument, Message: text}
}

// specificFast aspires the requested versions without a listing if each has a
// directory of exactly its number (TFS-3.2 step 2).
func (src *source) specificFast(m *monitored) ([]aspired, bool) {
	if len(m.policy.Versions) == 0 {
		src.server.warnf("No specific versions requested for servable %s.", m.name)
		return nil, true
	}
	versions := make([]aspired, 0, len(m.policy.Versions))
	for _, version := range m.policy.Versions {
		dir := joinPath(m.basePath, strconv.FormatInt(version, 10))
		if !src.server.host.Storage().Exists(dir) {
			return nil, false
		}
		versions = append(versions, aspired{version: version, path: dir})
	}
	return versions, true
}

// warn logs what the policy could not honour. Upstream indexes the children
// whatever the policy, so that duplicates are warned of with all, too, though both
// are aspired there (file_system_storage_path_source.cc:283).
func (src *source) warn(m *monitored, numeric, chosen []found) {
	last := make(map[int64]string, len(numeric))
	for _, v := range numeric {
		if ignored, ok := last[v.version]; ok {
			src.server.warnf("Duplicate version directories detected. Version %d will be loaded from %s, %s will be ignored.",
				v.version, v.child, ignored)
		}
		last[v.version] = v.child
	}
	if m.policy.Kind == Specific {
		for _, version := range m.policy.Versions {
			if !slices.ContainsFunc(chosen, func(v found) bool { return v.version == version }) {
				src.server.warnf("Version %d of servable %s, which was requested to be served as a 'specific' version "+
					"in the servable's version policy, was not found in the file system", version, m.name)
			}
		}
	}
	if len(chosen) == 0 {
		src.server.warnf("No versions of servable %s found under base path %s. Did you forget to name your leaf directory "+
			"as a number (eg. '/1/')?", m.name, m.basePath)
	}
}

// failIfZeroVersions is FailIfZeroVersions (TFS-3.5).
func (src *source) failIfZeroVersions(models []monitored) *env.RPCError {
	var empty []monitored
	for _, m := range models {
		versions, err := src.pollOne(&m)
		if err != nil {
			return err
		}
		if len(versions) == 0 {
			empty = append(empty, m)
		}
	}
	if len(empty) == 0 {
		return nil
	}
	first := slices.MinFunc(empty, func(a, b monitored) int { return strings.Compare(a.name, b.name) })
	at := first.basePath
	if src.server.profile == Profile24 {
		at = "" // it prints the path of a deprecated field (2.4:file_system_storage_path_source.cc:303)
	}
	return statusf(env.NotFound, "Unable to find a numerical version path for servable %s at: %s", first.name, at)
}

// aspire hands a model's versions through its platform's adapter to the manager.
func (s *Server) aspire(model string, versions []aspired) {
	if platform, ok := s.platformOf(model); ok && platform.AdapterError != nil {
		for i := range versions {
			versions[i].err = platform.AdapterError
		}
	}
	s.manager.enqueue(model, versions)
}
