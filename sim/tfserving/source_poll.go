package tfserving

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// polled is the result of a poll: the versions of each model in the order of the config, or an
// error. skipped says which models the poll skipped; nil if none.
type polled struct {
	versions [][]aspired
	skipped  []bool
	err      *env.RPCError
	model    string // model is the model that err is about
}

// poll reads the versions of all models except the skipped ones. An error for one model ends the
// poll (TFS-3.3). The caller holds the source's lock, so that the models do not change.
func (src *source) poll(disk Storage, skipped []bool) (found polled) {
	found.versions, found.skipped = make([][]aspired, len(src.models)), skipped
	for i := range src.models {
		if skipped != nil && skipped[i] {
			continue
		}
		if found.versions[i], found.err = src.pollOne(disk, &src.models[i]); found.err != nil {
			found.model = src.models[i].name
			return found
		}
	}
	return found
}

// take sends the versions found by a poll to the manager, in order of model name.
func (src *source) take(found polled) {
	if found.err != nil {
		src.server.errorf("FileSystemStoragePathSource encountered a filesystem access error: %s", found.err.Message)
		src.server.reasonf(servable{model: found.model}, "waits, and looks at no other model: %s", found.err.Message)
		return
	}
	order := make([]int, len(src.models))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(src.models[a].name, src.models[b].name) })
	for _, i := range order {
		if found.skipped != nil && found.skipped[i] {
			continue
		}
		versions := found.versions[i]
		if len(versions) == 0 && src.server.options.ServableVersionsAlwaysPresent {
			src.server.errorf("Refusing to unload all versions for Servable: %s", src.models[i].name)
			continue
		}
		src.server.aspire(src.models[i].name, versions)
	}
}

// pollOne reads the versions of one model, as upstream's PollFileSystemForServable does (TFS-3.2).
func (src *source) pollOne(disk Storage, m *monitored) ([]aspired, *env.RPCError) {
	if !disk.Exists(m.basePath) {
		return nil, src.missingBasePath(m)
	}
	if src.server.profile == ProfileHead && m.policy.Kind == modelconfig.Specific {
		if versions, ok := src.specificFast(disk, m); ok {
			return versions, nil
		}
	}
	names, err := disk.List(m.basePath)
	if err != nil {
		return nil, storageError(m.basePath, err)
	}
	numeric := src.server.profile.versionsOf(directChildren(names))
	chosen := choose(m.policy, numeric)
	src.warn(m, numeric, chosen)
	return aspire(m, chosen), nil
}

// prefixed adds StoragePathPrefix to a path, as upstream's PrefixStoragePathSourceAdapter does.
func (o *Options) prefixed(path string) string {
	if o.StoragePathPrefix == "" {
		return path
	}
	return joinPath(o.StoragePathPrefix, strings.TrimPrefix(path, "/"))
}

func aspire(m *monitored, chosen []found) []aspired {
	versions := lists.Map(chosen, func(v found) aspired { return aspired{version: v.version, path: joinPath(m.basePath, v.child)} })
	return versions
}

func (src *source) missingBasePath(m *monitored) *env.RPCError {
	text := fmt.Sprintf("Could not find base path %s for servable %s", m.basePath, m.name)
	if src.server.profile == ProfileHead {
		text += fmt.Sprintf(" with error NOT_FOUND: %s not found", m.basePath)
	}
	return &env.RPCError{Code: rpcerrors.InvalidArgument, Message: text}
}

// specificFast returns the requested versions without listing the directory. It returns false
// unless each version has a directory whose name is exactly its number (TFS-3.2 step 2).
func (src *source) specificFast(disk Storage, m *monitored) ([]aspired, bool) {
	if len(m.policy.Versions) == 0 {
		src.server.warnf("No specific versions requested for servable %s.", m.name)
		return nil, true
	}
	versions := make([]aspired, 0, len(m.policy.Versions))
	for _, version := range m.policy.Versions {
		dir := joinPath(m.basePath, strconv.FormatInt(version, 10))
		if !disk.Exists(dir) {
			return nil, false
		}
		versions = append(versions, aspired{version: version, path: dir})
	}
	return versions, true
}

// warn logs warnings about versions that are missing or duplicate. Upstream checks for duplicates
// under every policy. So it warns even for the policy all, which aspires both duplicates
// (file_system_storage_path_source.cc:283).
func (src *source) warn(m *monitored, numeric, chosen []found) {
	last := make(map[int64]string, len(numeric))
	for _, v := range numeric {
		if ignored, ok := last[v.version]; ok {
			src.server.warnf("Duplicate version directories detected. Version %d will be loaded from %s, %s will be ignored.",
				v.version, v.child, ignored)
		}
		last[v.version] = v.child
	}
	if m.policy.Kind == modelconfig.Specific {
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

// failIfZeroVersions returns an error if a model that is not skipped has no version, as upstream's
// FailIfZeroVersions does (TFS-3.5).
func (src *source) failIfZeroVersions(disk Storage, models []monitored, skipped []bool) *env.RPCError {
	var empty []monitored
	for i, m := range models {
		if skipped != nil && skipped[i] {
			continue
		}
		versions, err := src.pollOne(disk, &m)
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
		at = "" // upstream prints the path of a deprecated field, which is empty (2.4:file_system_storage_path_source.cc:303)
	}
	return statusf(rpcerrors.NotFound, "Unable to find a numerical version path for servable %s at: %s", first.name, at)
}

// aspire sends a model's versions to the manager. They pass through the source adapter of the
// model's platform, which may fail.
func (s *Server) aspire(model string, versions []aspired) {
	if s.onAspire != nil {
		s.onAspire(model, versions)
	}
	for i := range versions {
		versions[i].path = s.options.prefixed(versions[i].path)
	}
	if platform, ok := s.platformOf(model); ok && platform.AdapterError != nil {
		for i := range versions {
			versions[i].err = platform.AdapterError
		}
	}
	s.manager.enqueue(model, versions)
}
