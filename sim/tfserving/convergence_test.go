package tfserving

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// This file says in which state a server must be once faults have stopped and the disk is sane. The
// exceptions are all upstream's own:
//
//   - The process has ended, or was started without a poll or with a single one (TFS-3.1).
//   - A version that failed stays at its END until it is un-aspired and aspired again (TFS-5.4), and
//     keeps the last old version serving (TFS-4.4).
//   - A request for versions, one of which is managed but un-aspired, stays queued until that version
//     is gone (TFS-4.2). If it is the last one that serves, and all aspired versions have failed, that
//     is for ever. This happens after a rollback from a version that failed.
//   - Models of a first config that failed stay aspired without a source (TFS-8.9).
//   - With ReloadServablesWithError versions are tried again and again, so that a bad one may be in any
//     state.
//   - With ServableVersionsAlwaysPresent versions are kept when none is left (TFS-3.5).
//
// In three cases a reload may then wait for ever. A model that is new to it has been serving what
// it should, or has failed to, since before the reload (TFS-8.8, TFS-8.9). Or the model has no
// version (TFS-8.7). Or its request stays queued.

// healLines returns the commands that end all held requests and all disk faults.
func healLines() (lines []string) {
	for _, hold := range randomHolds {
		lines = append(lines, "release "+hold)
	}
	for _, root := range []string{"/m/", "/n/"} {
		for _, model := range randomModels {
			lines = append(lines, "heal "+root+model, "heal "+root+model+"/2")
		}
	}
	return lines
}

// missingLines returns commands that create the missing base paths of all configured models. The
// list is empty if no path is missing.
func missingLines(s *Server) (lines []string) {
	paths := map[string]bool{}
	for _, m := range s.core.config.Models {
		paths[m.BasePath] = true
	}
	for _, source := range []*source{s.core.source, s.core.connecting} {
		if source != nil {
			for _, m := range source.models {
				paths[m.basePath] = true
			}
		}
	}
	for _, path := range sortedKeys(paths) {
		if strings.HasPrefix(path, "/") && !s.host.(*testHost).disk.Exists(path) {
			lines = append(lines, "dir "+path)
		}
	}
	return lines
}

// converged checks the server's state after the disk was without faults for a long time.
func (w *watcher) converged() {
	s := w.server
	if s.dead || s.options.FileSystemPollWaitSeconds <= 0 || s.core.source == nil && s.core.connecting == nil {
		return
	}
	source := s.core.source
	if source == nil {
		source = s.core.connecting
	}
	monitored := map[string]bool{}
	for _, m := range source.models {
		monitored[m.name] = true
		w.convergedModel(m)
	}
	first := s.options.InitialConfig
	if first != nil && first.Kind == modelconfig.EmptyConfig {
		return // TFS-8.9
	}
	for _, model := range randomModels {
		if !monitored[model] && len(w.serves(model)) > 0 {
			w.breaks("%s serves %v, but no config has the model", model, w.serves(model))
		}
	}
	w.configFollowsFile()
	w.reloadsReturn(source)
}

// convergedModel checks that every version chosen by the policy is available or has failed. No
// other version may serve, except one that the server preserves until a chosen version is
// available.
func (w *watcher) convergedModel(m monitored) {
	e := w.server.manager.named(m.name)
	want := w.wanted(m)
	if w.server.options.ServableVersionsAlwaysPresent && len(want) == 0 || w.queuedForEver(e) {
		return
	}
	serving, failed := 0, 0
	for _, version := range want {
		id := servable{m.name, version}
		switch k := w.known[id]; {
		case k.State == env.StateAvailable:
			serving++
		case k.State == env.StateEnd && k.Err != nil || w.server.options.ReloadServablesWithError:
			failed++
		default:
			w.breaks("%s is %s, want AVAILABLE or an error: the policy chooses %v", id, k.State, want)
		}
	}
	old := slices.DeleteFunc(w.serves(m.name), func(version int64) bool { return slices.Contains(want, version) })
	keeps := w.server.options.Transition == AvailabilityPreserving && serving == 0 && failed > 0
	if len(old) > 1 || len(old) == 1 && !keeps {
		w.breaks("%s still serves %v, want %v, of which %d do", m.name, old, want, serving)
	}
}

// serves returns the available versions of a model.
func (w *watcher) serves(model string) (versions []int64) {
	for _, k := range w.versions(model) {
		if k.State == env.StateAvailable {
			versions = append(versions, k.Version)
		}
	}
	return versions
}

// queuedForEver reports whether the model's queued request (TFS-4.2) can never be executed, because
// nothing will trigger it.
func (w *watcher) queuedForEver(e *managed) bool {
	if e == nil || !e.waiting || w.server.options.Transition != AvailabilityPreserving {
		return false
	}
	old, serving, next := census(e)
	return len(old) == 1 && slices.Contains(w.asked[e.name], old[0].id.version) && serving == 0 && next == nil
}

// wanted returns the versions on disk that the model's policy chooses (TFS-3.2, TFS-21.1).
func (w *watcher) wanted(m monitored) []int64 {
	var numbers []int64
	names, _ := w.server.host.(*testHost).disk.List(m.basePath)
	for _, name := range names {
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	numbers = distinct(numbers)
	chosen := func(list []int64) []int64 {
		return slices.DeleteFunc(numbers, func(n int64) bool { return !slices.Contains(list, n) })
	}
	switch m.policy.Kind {
	case modelconfig.All:
		return numbers
	case modelconfig.Specific:
		return chosen(m.policy.Versions)
	case modelconfig.LatestOnce:
		if serving := w.serves(m.name); len(serving) > 0 {
			return serving // polls of the file system skip the model
		}
	}
	return numbers[max(len(numbers)-int(max(m.policy.NumVersions, 1)), 0):]
}

// configFollowsFile checks that in the end the stored config equals the config file (TFS-10). It
// skips a file that the checks refuse, and a server in which a reload waits forever.
func (w *watcher) configFollowsFile() {
	s := w.server
	if s.options.ModelConfigFilePollWaitSeconds == 0 || s.core.lock.Held || !s.Serving() {
		return
	}
	file := s.readConfigFile(s.host.(*testHost).disk)
	config := file.config
	if file.err != nil || config.Kind != modelconfig.ModelList || s.core.validate(config) != nil {
		return
	}
	if got, want := fmt.Sprintf("%+v", s.core.config), fmt.Sprintf("%+v", config); got != want {
		w.breaks("stored config: got %s, want what the file has: %s", got, want)
	}
}

// reloadsReturn checks that each reload which still waits has a valid reason for that.
func (w *watcher) reloadsReturn(source *source) {
	c := &w.server.core
	if len(w.reloads.pending) > 0 && c.waiting == nil {
		w.breaks("reloads %v have no answer, but nothing is waited for", w.reloads.pending)
	}
	if c.waiting == nil || c.source == nil {
		return
	}
	for _, name := range c.waiting.models {
		if _, _, _, settled := c.waiting.states(c).settled(name); settled {
			continue
		}
		i := slices.IndexFunc(source.models, func(m monitored) bool { return m.name == name })
		if i < 0 {
			w.breaks("a reload waits for %s, which its config does not have", name)
			continue
		}
		wanted := w.wanted(source.models[i])
		before := w.settled(name) || w.server.options.ReloadServablesWithError && len(w.versions(name)) > 0
		if len(wanted) > 0 && !before && !w.queuedForEver(w.server.manager.named(name)) {
			w.breaks("a reload waits for %s, which should have served %v", name, wanted)
		}
	}
}
