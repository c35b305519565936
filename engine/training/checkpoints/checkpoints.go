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
	"errors"
	"fmt"
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

// Filename is the usual name of the checkpoint state file.
const Filename = "checkpoint"

// IndexSuffix is the name suffix of the file that lists a checkpoint's tensors.
const IndexSuffix = ".index"

// DataFile returns the file with the data of a shard of a checkpoint.
func DataFile(prefix string, shard, shards int) string {
	return fmt.Sprintf("%s.data-%05d-of-%05d", prefix, shard, shards)
}

// IsAbs reports whether a path is absolute. A path that begins with hdfs:/ counts as absolute
// (runner_utils.py:46, Q170).
func IsAbs(p string) bool { return strings.HasPrefix(p, "hdfs:/") || strings.HasPrefix(p, "/") }

// join joins a directory and a relative path as os.path.join does.
func join(dir, p string) string { return pysem.JoinStrings(dir, p) }

// State reads the state file name in a directory. It returns nil if the file is missing or cannot
// be parsed, which is logged if e has a log. A file without a current checkpoint raises a ValueError.
func State(e *env.Env, dir, name string) (*training.CheckpointState, error) {
	file := join(dir, name)
	if !env.Exists(e.Files, file) {
		return nil, nil
	}
	text, err := gfile.Read(e.Files, file)
	if session.IsOpError(err) {
		return nil, Ignored(e, file, err)
	}
	state := &training.CheckpointState{}
	content, err := pysem.DecodeUTF8(text)
	if err != nil {
		return nil, err
	}
	if err := textformat.Merge(content, state); err != nil {
		return nil, Ignored(e, file, err)
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

// Ignored logs why a state file could not be read (checkpoint_management.py:263), if e has a log. It returns nil
// for an error that TensorFlow catches, and err for others.
func Ignored(e *env.Env, file string, err error) error {
	var python *pysem.Error
	if !session.IsOpError(err) && pysem.TypeOf(err) != "ParseError" || !errors.As(err, &python) {
		return err
	}
	if log := e.Log; log != nil {
		log.Logf(env.Warning, "%s: %s", python.Type, python.Message)
		log.Logf(env.Warning, "%s: Checkpoint ignored", file)
	}
	return nil
}

// UpdateRelativeState does what UpdateState does, but first makes absolute paths relative to the
// directory (save_relative_paths). If the directory is itself relative, paths are made relative to
// it twice, as in TensorFlow.
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

// UpdateState writes the state file with the current checkpoint and the list of all kept ones. It
// appends the current one to the list unless it is already last.
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

// Write writes a state unchanged, in a single step.
func Write(f env.Files, dir, name string, state *training.CheckpointState) error {
	text, err := textpb.Marshal(state)
	if err != nil {
		return err
	}
	return gfile.WriteAtomic(f, join(dir, name), []byte(text))
}

// relative returns the path as the state file in a relative directory stores it.
func relative(dir, p string) string {
	if IsAbs(dir) || IsAbs(p) {
		return p
	}
	return relPath(dir, p)
}

// relPath returns os.path.relpath of two paths. Both must be absolute or both relative.
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

// parts splits a path into its names.
func parts(p string) []string {
	clean := path.Clean(p)
	if clean == "." {
		return nil
	}
	return strings.Split(clean, "/")
}

// Exists reports whether a checkpoint exists, that is, its index file or a file with exactly its
// name.
func Exists(f env.Files, prefix string) bool {
	return len(gfile.Glob(f, prefix+IndexSuffix)) > 0 || len(gfile.Glob(f, prefix)) > 0
}

// ModTime returns when a checkpoint was written, in seconds since the Unix epoch. ok is false if
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
// if there is none or if the checkpoint named in the state file does not exist.
func Latest(e *env.Env, dir, name string) (string, error) {
	state, err := State(e, dir, name)
	if err != nil || state == nil {
		return "", err
	}
	if Exists(e.Files, state.ModelCheckpointPath) {
		return state.ModelCheckpointPath, nil
	}
	e.Log.Logf(env.Error, "Couldn't match files for checkpoint %s", state.ModelCheckpointPath)
	return "", nil
}
