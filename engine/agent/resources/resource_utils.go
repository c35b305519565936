// Package resources measures models and containers (resource_utils.py): the sizes of exported
// sub-models, memory, processors and load.
//
// Two things to use first:
//
//   - [CalModelInfo] lists the sub-models of an export with their sizes.
//   - [AvailableMemory] is what agents report of their host; [Cgroup] measures the container.
//
// To change:
//
//   - how exports are measured: resource_utils.go
//   - what is read from /proc and /sys: probes.go
//
// Unstable: any commit may change it.
package resources

import (
	"errors"
	"io/fs"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	modelexport "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/pysem/pyre"
)

// SubModelInfo is the size of one exported sub-model, and the path of its version.
type SubModelInfo struct {
	Name string
	// SizeBytes is the size of the version's files. For a PS it includes its part of the
	// checkpoint's assets.
	SizeBytes   int64
	VersionPath string
}

// CalModelInfo measures the sub-models of an export, in the order of their names
// (resource_utils.py:77, called cal_model_info_v2 there). Without a version it measures the one
// exported from the checkpoint, else the newest that all sub-models have. Without a checkpoint it
// takes the one named by the file "checkpoint" beside the export. A missing export is an Exception.
// A checkpoint together with an export that does not record its steps is an AssertionError (Q131).
//
// Cost: a call grows with the files of a version, whose sizes it adds up anew.
func CalModelInfo(e *env.Env, exportedModels string, ckpt, version pysem.OptString) ([]SubModelInfo, error) {
	c := modelInfo{files: e.Files, ckpt: ckpt}
	return c.measure(absolutePath(e.Files, exportedModels), version)
}

// FileExists reports whether there is a file or directory with that name (resource_utils.py:51).
func FileExists(e *env.Env, name string) bool { return env.Exists(e.Files, name) }

// absolutePath removes trailing slashes and makes a path absolute. A path on HDFS counts as
// absolute already (utils.py:61).
func absolutePath(files env.Files, name string) string {
	trimmed := strings.TrimRight(name, "/")
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "hdfs:/") {
		return trimmed
	}
	return path.Clean(pysem.JoinStrings(files.Getwd(), trimmed))
}

// modelInfo is one measurement.
type modelInfo struct {
	files env.Files
	ckpt  pysem.OptString
	dir   string
	names []string
}

func (c *modelInfo) measure(dir string, version pysem.OptString) ([]SubModelInfo, error) {
	c.dir = dir
	if !env.Exists(c.files, dir) {
		return nil, pysem.Raise("Exception", "%s is not exists ", dir)
	}
	names, err := pyos.ListDir(c.files, dir)
	if err != nil {
		return nil, err
	}
	c.names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") })
	step, err := c.globalStep()
	if err != nil {
		return nil, err
	}
	var number *big.Int
	if version.Set {
		number, err = pysem.ParseInt(version.V)
	} else {
		number, err = c.findVersion(step)
	}
	if err != nil {
		return nil, err
	}
	infos := make([]SubModelInfo, len(c.names))
	for i, name := range c.names {
		infos[i] = SubModelInfo{Name: name, VersionPath: pysem.JoinStrings(dir, name, number.String())}
		if !env.Exists(c.files, infos[i].VersionPath) {
			return nil, &pysem.Error{Type: "AssertionError"}
		}
		if infos[i].SizeBytes, err = treeSize(c.files, infos[i].VersionPath); err != nil {
			return nil, err
		}
	}
	return infos, c.addAssets(infos)
}

// globalStep returns the number at the end of the checkpoint's name, or -1 if there is no
// checkpoint.
func (c *modelInfo) globalStep() (*big.Int, error) {
	if !c.ckpt.Set {
		checkpoint, err := latestCheckpoint(c.files, pysem.Dirname(c.dir))
		if err != nil || !checkpoint.Set {
			return big.NewInt(-1), err
		}
		c.ckpt = checkpoint
	}
	return pysem.ParseInt(c.ckpt.V[strings.LastIndexByte(c.ckpt.V, '-')+1:])
}

// findVersion returns the version that was exported at the given step, or else the newest version
// that every sub-model has. Version 0 counts as none (resource_utils.py:137).
func (c *modelInfo) findVersion(step *big.Int) (*big.Int, error) {
	var found *big.Int
	var common []*big.Int
	for i, name := range c.names {
		versions, exported, err := c.versions(pysem.JoinStrings(c.dir, name), step)
		if err != nil {
			return nil, err
		}
		switch {
		case exported == nil:
		case found == nil:
			found = exported
		case found.Cmp(exported) != 0:
			return nil, &pysem.Error{Type: "AssertionError"}
		}
		if i == 0 {
			common = versions
			continue
		}
		common = slices.DeleteFunc(common, func(v *big.Int) bool { return !containsInt(versions, v) })
	}
	if len(common) == 0 {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	if found != nil && found.Sign() != 0 {
		return found, nil
	}
	return slices.MaxFunc(common, (*big.Int).Cmp), nil
}

func containsInt(list []*big.Int, n *big.Int) bool {
	return slices.ContainsFunc(list, func(v *big.Int) bool { return v.Cmp(n) == 0 })
}

// versions lists the versions of one sub-model. If a step is given, it lists the versions exported
// up to that step, and exported is the last of them. Otherwise it lists the version directories.
func (c *modelInfo) versions(dir string, step *big.Int) (versions []*big.Int, exported *big.Int, err error) {
	state, err := exportState(c.files, dir)
	if err != nil {
		return nil, nil, err
	}
	if step.Sign() >= 0 {
		for _, entry := range state.GetEntries() {
			version, err := pysem.ParseInt(pysem.Basename(entry.GetExportDir()))
			if err != nil {
				return nil, nil, err
			}
			versions = append(versions, version)
			if step.IsInt64() && step.Int64() == entry.GetGlobalStep() {
				return versions, version, nil
			}
		}
		return versions, nil, nil
	}
	names, err := pyos.ListDir(c.files, dir)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if !pysem.IsNumeric(name) {
			continue
		}
		version, err := pysem.ParseInt(name)
		if err != nil {
			return nil, nil, err
		}
		versions = append(versions, version)
	}
	return versions, nil, nil
}

// assetFile matches the file name of a PS's part of the assets (resource_utils.py:33).
var assetFile = mustPattern(`^.+_(?P<ps>\d+)-\d+-of-\d+$`)

func mustPattern(pattern string) *pyre.Pattern {
	p, err := pyre.Compile(pattern)
	if err != nil {
		panic(err)
	}
	return p
}

// addAssets adds the size of each file in <ckpt>.assets to its PS. A file of a PS that was not
// exported is a KeyError (Q132).
func (c *modelInfo) addAssets(infos []SubModelInfo) error {
	dir := pysem.JoinStrings(pysem.Dirname(c.dir), c.ckpt.String()+".assets")
	if !env.Exists(c.files, dir) {
		return nil
	}
	names, err := pyos.ListDir(c.files, dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		m, err := assetFile.Match(name)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		info, err := c.files.Stat(pysem.JoinStrings(dir, name))
		if err != nil {
			return pyos.Error(err, pysem.JoinStrings(dir, name))
		}
		key := "ps_" + m.Groups[0].Text
		i := slices.IndexFunc(infos, func(m SubModelInfo) bool { return m.Name == key })
		if i < 0 {
			return pysem.Raise("KeyError", "%s", pysem.Repr(key))
		}
		infos[i].SizeBytes += info.SizeBytes
	}
	return nil
}

// treeSize sums the sizes of all files below a directory, in bytes.
func treeSize(files env.Files, dir string) (int64, error) {
	dirs, others, _ := pyos.WalkTop(files, dir)
	total := int64(0)
	for _, name := range others {
		info, err := files.Stat(pysem.JoinStrings(dir, name))
		if err != nil {
			return 0, pyos.Error(err, pysem.JoinStrings(dir, name))
		}
		total += info.SizeBytes
	}
	for _, name := range dirs {
		size, err := treeSize(files, pysem.JoinStrings(dir, name))
		if err != nil {
			return 0, err
		}
		total += size
	}
	return total, nil
}

// latestCheckpoint returns the name of the checkpoint that the file "checkpoint" in dir names,
// without its directory. It is None if that file is missing or cannot be parsed
// (tf.train.get_checkpoint_state).
func latestCheckpoint(files env.Files, dir string) (pysem.OptString, error) {
	name := pysem.JoinStrings(dir, "checkpoint")
	if !env.Exists(files, name) {
		return pysem.OptString{}, nil
	}
	var state training.CheckpointState
	if err := pyos.ReadTextProto(files, name, &state); err != nil {
		if pysem.TypeOf(err) == "ParseError" {
			return pysem.OptString{}, nil
		}
		return pysem.OptString{}, err
	}
	if state.GetModelCheckpointPath() == "" {
		return pysem.OptString{}, pysem.Raise("ValueError", "Invalid checkpoint state loaded from %s", dir)
	}
	return pysem.Some(pysem.Basename(state.GetModelCheckpointPath())), nil
}

// exportState reads which versions of a sub-model the trainer has recorded as exported
// (export_state_utils.py:23). Without a record it returns an empty state.
func exportState(files env.Files, dir string) (*modelexport.ServingModelState, error) {
	state := &modelexport.ServingModelState{}
	name := pysem.JoinStrings(dir, "ExportSaverListenerState")
	if _, err := files.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	return state, pyos.ReadTextProto(files, name, state)
}
