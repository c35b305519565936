package saveutils

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
)

// MonolithCkptStateFileName is the file that lists the checkpoints that are never deleted. It lies
// in the directory of the checkpoints (save_utils.py:52).
const MonolithCkptStateFileName = "monolith_checkpoint"

// StateReading holds the options of [MonolithCheckpointState].
type StateReading struct {
	// Filename is the file to read; empty means MonolithCkptStateFileName.
	Filename string
	// RemoveInvalidPath makes paths absolute and drops those that do not exist.
	RemoveInvalidPath bool
	// Quirks holds the faults of the reference that are kept.
	Quirks jobquirks.Set
}

// MonolithCheckpointState reads the state file of a directory. It returns nil when there is none or
// it cannot be parsed. Content that is not UTF-8 is a UnicodeDecodeError (save_utils.py:81, Q244).
func MonolithCheckpointState(e *env.Env, dir string, reading StateReading) (*nativetraining.MonolithCheckpointState, error) {
	reading.Filename = cmp.Or(reading.Filename, MonolithCkptStateFileName)
	file := pysem.JoinStrings(dir, reading.Filename)
	if !env.Exists(e.Files, file) {
		return nil, nil
	}
	data, err := gfile.Read(e.Files, file)
	if err != nil {
		return nil, checkpoints.Ignored(e, file, err)
	}
	content, err := pysem.DecodeUTF8(data)
	if err != nil && !reading.Quirks.Keeps(jobquirks.Q244) {
		return nil, checkpoints.Ignored(e, file, pysem.Raise("ParseError", "%v", err))
	}
	if err != nil {
		return nil, err
	}
	state := &nativetraining.MonolithCheckpointState{}
	if err := (textformat.Parser{Overwrite: true, Native: true}).Parse(content, state); err != nil {
		return nil, checkpoints.Ignored(e, file, err)
	}
	if reading.RemoveInvalidPath {
		removeInvalid(e, dir, state)
	}
	return state, nil
}

func removeInvalid(e *env.Env, dir string, state *nativetraining.MonolithCheckpointState) {
	kept := []string{}
	for _, p := range state.ExemptModelCheckpointPaths {
		if !checkpoints.IsAbs(p) {
			p = pysem.JoinStrings(dir, p)
		}
		if !checkpoints.Exists(e.Files, p) {
			e.Log.Logf(env.Warning, "%s not exists in file system, remove from monolith_checkpoint", p)
			continue
		}
		kept = append(kept, p)
	}
	state.ExemptModelCheckpointPaths = kept
}

// WriteMonolithCheckpointState replaces the state file of a directory.
func WriteMonolithCheckpointState(f env.Files, dir string, state *nativetraining.MonolithCheckpointState) error {
	text, err := textpb.Marshal(state)
	if err != nil {
		return err
	}
	return gfile.WriteAtomic(f, pysem.JoinStrings(dir, MonolithCkptStateFileName), []byte(text))
}

// StateCache keeps the state of each directory until somebody asks for it at a later global step
// (save_utils.py:66). It does not cache that a directory has no state.
type StateCache struct {
	kept map[string]cachedState
}

type cachedState struct {
	globalStep any
	state      *training.CheckpointState
}

// LatestCheckpointState returns the state of a directory, as read at this step or a later one. A step
// that is no number is a TypeError once there is another to compare it with.
func (c *StateCache) LatestCheckpointState(e *env.Env, dir string, globalStep any) (*training.CheckpointState, error) {
	if kept, ok := c.kept[dir]; ok {
		stale, err := pysem.Compare(kept.globalStep, "<", globalStep)
		if err != nil || !stale && kept.state != nil {
			return kept.state, err
		}
	}
	state, err := checkpoints.State(e, dir, checkpoints.Filename)
	if err != nil {
		return nil, err
	}
	if c.kept == nil {
		c.kept = map[string]cachedState{}
	}
	c.kept[dir] = cachedState{globalStep, state}
	return state, nil
}

// SaveHelper converts between steps and checkpoint names (save_utils.py:138).
type SaveHelper struct{ Basename string }

// CkptPrefix returns the name of the checkpoint of a step.
func (h SaveHelper) CkptPrefix(globalStep int64) string {
	return h.Basename + "-" + strconv.FormatInt(globalStep, 10)
}

// CkptAssetDir returns the directory of a checkpoint's assets.
func CkptAssetDir(prefix string) string { return prefix + ".assets/" }

// GlobalStepValue returns the number after the last "-" in a checkpoint's path, or 0 if there is no
// "-". If no number follows the "-", it is a ValueError. The number has any size, as in Python.
func (SaveHelper) GlobalStepValue(prefix string) (*big.Int, error) {
	i := strings.LastIndexByte(prefix, '-')
	if i < 0 {
		return new(big.Int), nil
	}
	return pysem.ParseInt(prefix[i+1:])
}

// GlobalStep returns the result of GlobalStepValue as an int64, the type of a global step. A number
// that does not fit is an OverflowError.
func (h SaveHelper) GlobalStep(prefix string) (int64, error) {
	n, err := h.GlobalStepValue(prefix)
	switch {
	case err != nil:
		return 0, err
	case !n.IsInt64():
		return 0, pysem.Raise("OverflowError", "Python int too large to convert to C long")
	}
	return n.Int64(), nil
}

// ExistingCheckpointSteps returns the sorted steps of the checkpoints that the file "checkpoint"
// lists. If the file is missing, it is an AttributeError (save_utils.py:161).
func (h SaveHelper) ExistingCheckpointSteps(e *env.Env) ([]*big.Int, error) {
	state, err := checkpoints.State(e, pysem.Dirname(h.Basename), checkpoints.Filename)
	if err != nil {
		return nil, err
	}
	if state == nil {
		return nil, pysem.AttributeError(nil, "all_model_checkpoint_paths")
	}
	var steps []*big.Int
	for _, p := range state.AllModelCheckpointPaths {
		step, err := h.GlobalStepValue(p)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	slices.SortFunc(steps, (*big.Int).Cmp)
	return slices.CompactFunc(steps, equalSteps), nil
}

func equalSteps(a, b *big.Int) bool { return a.Cmp(b) == 0 }
