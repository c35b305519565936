package runnerutils

import (
	"cmp"
	"slices"

	"github.com/monosim/monosim/engine/env"
	pb "github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/absl"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/session"
)

// maxRereads is how many times an unreadable state file is read again (runner_utils.py:65).
const maxRereads = 5

// restoreMarker is the file that records which checkpoint was restored by name.
const restoreMarker = "restore_ckpt"

// modeTrain is the value of the flag mode in a program that trains, as TensorFlow names it.
const modeTrain = "train"

// CheckpointStates reads the checkpoint states of directories as a training program sees them. The
// checkpoint that the flag restore_ckpt names counts as the current one (runner_utils.py:54).
type CheckpointStates struct {
	Env   *env.Env
	Flags *absl.Flags
	// Read, when set, replaces checkpoints.State.
	Read func(e *env.Env, dir, name string) (*pb.CheckpointState, error)
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set
}

// State returns the state of a directory; an empty name means checkpoints.Filename. A file that
// exists and cannot be read is read again without a pause. After six reads it is an Exception, even
// if the last one succeeded, unless Q201 is repaired. While training, the checkpoint in the flag
// becomes the current one of the file, once, even if it does not exist (Q202). In other modes only
// the returned state has it. Errors of that are logged.
func (s CheckpointStates) State(dir, name string) (*pb.CheckpointState, error) {
	name = cmp.Or(name, checkpoints.Filename)
	state, err := s.read(dir, name)
	if err != nil || state == nil || !s.Flags.Parsed() || name != checkpoints.Filename {
		return state, err
	}
	if wanted := s.Flags.Text(flagRestoreCkpt); wanted.Set {
		if err := s.override(dir, state, wanted.V); err != nil {
			s.tell(err)
		}
	}
	return state, nil
}

// Latest returns the current checkpoint of a directory. It returns "" if the directory names none,
// or if the named checkpoint does not exist.
func (s CheckpointStates) Latest(dir string) (string, error) {
	state, err := s.State(dir, "")
	if err != nil || state == nil || !checkpoints.Exists(s.Env.Files, state.ModelCheckpointPath) {
		return "", err
	}
	return state.ModelCheckpointPath, nil
}

func (s CheckpointStates) read(dir, name string) (*pb.CheckpointState, error) {
	read := s.Read
	if read == nil {
		read = checkpoints.State
	}
	state, err := read(s.Env, dir, name)
	again := 0
	for err == nil && state == nil && again < maxRereads && env.Exists(s.Env.Files, pysem.JoinStrings(dir, name)) {
		state, err = read(s.Env, dir, name)
		again++
	}
	if err == nil && again >= maxRereads && (state == nil || s.Quirks.Keeps(jobquirks.Q201)) {
		return nil, pysem.Raise("Exception", "read ckpt error!")
	}
	return state, err
}

// override makes the checkpoint named by wanted the current one in state. In training it also
// writes the change to the directory's files, and makes it only once.
func (s CheckpointStates) override(dir string, state *pb.CheckpointState, wanted string) error {
	log, mode := s.Env.Log, s.Flags.Text(flagMode).String()
	restore := pysem.JoinStrings(pysem.Dirname(state.ModelCheckpointPath), pysem.Basename(wanted))
	marker := pysem.JoinStrings(dir, restoreMarker)
	marked := env.Exists(s.Env.Files, marker)
	switch {
	case restore == state.ModelCheckpointPath:
		log.Logf(env.Warning, "model_checkpoint_path and %s are identity", wanted)
	case !slices.Contains(state.AllModelCheckpointPaths, restore):
		log.Logf(env.Warning, "checkpoint %s not exists in %s", wanted, dir)
		if !s.Quirks.Keeps(jobquirks.Q202) {
			return nil
		}
	case mode != modeTrain:
		log.Logf(env.Info, "mode is %s, ignore %s", mode, marker)
		state.ModelCheckpointPath = restore
	case marked:
		log.Logf(env.Info, "mode is %s and %s file exists, keep %s", mode, marker, state.ModelCheckpointPath)
	}
	if mode != modeTrain || marked {
		return nil
	}
	state.ModelCheckpointPath = restore
	if err := s.Env.Files.WriteFile(marker, []byte(restore)); err != nil {
		return session.FileError(marker, err)
	}
	if err := checkpoints.Write(s.Env.Files, dir, checkpoints.Filename, state); err != nil {
		return err
	}
	log.Logf(env.Info, "mode is %s and no %s file exists, apply %s", mode, marker, restore)
	return nil
}

func (s CheckpointStates) tell(err error) {
	text := pylog.Text(err)
	s.Env.Log.Logf(env.Info, "get_checkpoint_state: %s", text)
	s.Env.Log.Logf(env.Error, "exc_type: %s", pylog.Class(err))
	s.Env.Log.Logf(env.Error, "exc_value: %s", text)
}
