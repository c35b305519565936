// Package checkpoints reads and writes the file "checkpoint" beside the checkpoints of a model, as
// TensorFlow does (checkpoint_management.py of TensorFlow 2.4).
//
// Two things to use first:
//
//   - [State] reads the file and makes its paths absolute.
//   - [UpdateState] writes it in one step; in a relative directory its paths become relative.
//
// A checkpoint is a prefix of file names, such as "m/model.ckpt-5". It exists when the file with
// ".index" appended does. To change which paths are absolute: [IsAbs].
//
// Unstable: any commit may change it.
package checkpoints

import (
	"path"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// Filename is the file's usual name.
const Filename = "checkpoint"

// IndexSuffix ends the name of the file that lists the tensors in a checkpoint.
const IndexSuffix = ".index"

// IsAbs reports whether a path is absolute. Paths that begin with hdfs:/ are (runner_utils.py:46,
// Q170).
func IsAbs(p string) bool { return strings.HasPrefix(p, "hdfs:/") || strings.HasPrefix(p, "/") }

// join returns os.path.join of a directory and a relative path.
func join(dir, p string) string { return pysem.JoinStrings(dir, p) }

// State reads the file name in a directory. It returns nil if the file is missing or cannot be
// parsed. A file without a current checkpoint is a ValueError.
func State(f env.Files, dir, name string) (*training.CheckpointState, error) {
	file := join(dir, name)
	if !env.Exists(f, file) {
		return nil, nil
	}
	text, err := gfile.Read(f, file)
	if session.IsOpError(err) {
		return nil, nil
	}
	state := &training.CheckpointState{}
	content, err := pysem.DecodeUTF8(text)
	if err != nil {
		return nil, err
	}
	if textformat.Merge(content, state) != nil {
		return nil, nil
	}
	if state.ModelCheckpointPath == "" {
		return nil, pysem.Raise("ValueError", "Invalid checkpoint state loaded from %s", dir)
	}
	if !IsAbs(state.ModelCheckpointPath) {
		state.ModelCheckpointPath = join(dir, state.ModelCheckpointPath)
	}
	for i, p := range state.AllModelCheckpointPaths {
		if !IsAbs(p) {
			state.AllModelCheckpointPaths[i] = join(dir, p)
		}
	}
	return state, nil
}

// UpdateRelativeState does what UpdateState does, and makes absolute paths relative to the
// directory (save_relative_paths). If the directory is relative, paths become relative to it twice,
// as in TensorFlow.
func UpdateRelativeState(f env.Files, dir, current string, all []string, name string) error {
	from := dir
	if !IsAbs(dir) {
		from = join(f.Getwd(), dir)
	}
	seen := func(p string) string {
		if IsAbs(p) {
			return relPath(from, p)
		}
		return p
	}
	return UpdateState(f, dir, seen(current), lists.MapOrNil(all, seen), name)
}

// UpdateState writes the file: the current checkpoint, and the list of all that are kept. The
// current one is appended to the list unless it is its last.
func UpdateState(f env.Files, dir, current string, all []string, name string) error {
	if len(all) == 0 || all[len(all)-1] != current {
		all = append(all, current)
	}
	state := &training.CheckpointState{ModelCheckpointPath: relative(dir, current)}
	for _, p := range all {
		state.AllModelCheckpointPaths = append(state.AllModelCheckpointPaths, relative(dir, p))
	}
	if join(dir, name) == state.ModelCheckpointPath {
		return pysem.Raise("RuntimeError", "Save path '%s' conflicts with path used for checkpoint state.  Please use a different save path.", current)
	}
	return Write(f, dir, name, state)
}

// Write writes a state unchanged, in one step.
func Write(f env.Files, dir, name string, state *training.CheckpointState) error {
	text, err := textpb.Marshal(state)
	if err != nil {
		return err
	}
	return gfile.WriteAtomic(f, join(dir, name), []byte(text))
}

// relative returns a path as the file of a relative directory stores it.
func relative(dir, p string) string {
	if IsAbs(dir) || IsAbs(p) {
		return p
	}
	return relPath(dir, p)
}

// relPath returns os.path.relpath of two paths that are both absolute or both relative.
func relPath(dir, p string) string {
	up, from, to := []string{}, parts(dir), parts(p)
	for len(from) > 0 && len(to) > 0 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	for range from {
		up = append(up, "..")
	}
	if rel := path.Join(append(up, to...)...); rel != "" {
		return rel
	}
	return "."
}

// parts returns the names on a path.
func parts(p string) []string {
	clean := path.Clean(p)
	if clean == "." {
		return nil
	}
	return strings.Split(clean, "/")
}

// Exists reports whether a checkpoint exists: its index file, or a file with just its name.
func Exists(f env.Files, prefix string) bool {
	return len(gfile.Glob(f, prefix+IndexSuffix)) > 0 || len(gfile.Glob(f, prefix)) > 0
}

// ModTime returns when a checkpoint was written, in seconds since the Unix epoch. ok is false when
// it does not exist.
func ModTime(f env.Files, prefix string) (seconds float64, ok bool) {
	for _, pattern := range []string{prefix + IndexSuffix, prefix} {
		found := gfile.Glob(f, pattern)
		if len(found) == 0 {
			continue
		}
		info, err := f.Stat(found[0])
		return float64(info.ModTimeUnixMs) / 1000, err == nil
	}
	return 0, false
}

// Latest returns the current checkpoint of a directory (tf.train.latest_checkpoint). It returns ""
// when there is none, or when the one that the file names does not exist.
func Latest(e *env.Env, dir, name string) (string, error) {
	state, err := State(e.Files, dir, name)
	if err != nil || state == nil {
		return "", err
	}
	if Exists(e.Files, state.ModelCheckpointPath) {
		return state.ModelCheckpointPath, nil
	}
	e.Log.Logf(env.Error, "Couldn't match files for checkpoint %s", state.ModelCheckpointPath)
	return "", nil
}
