package rustport

import (
	"path"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
)

// Role is the part of a process in a training: PS or worker.
type Role int

// These are the roles of processes.
const (
	Worker Role = iota
	PS
)

// String returns the role's name as service ids contain it.
func (r Role) String() string {
	if r == PS {
		return "ps"
	}
	return "worker"
}

// Variant chooses between what the rows of the requirements ask for and what the Rust port does at
// commit f415ff3.
type Variant int

// These are the variants of behaviour.
const (
	// AsRows is the default: a PS is never chief, a worker that cannot register cleans up, and a
	// checkpoint that was just written is not pruned.
	AsRows Variant = iota
	// AsPort has the Rust port's faults.
	AsPort
)

// defaultCheckpoint is the current checkpoint of a state that cannot be read.
const defaultCheckpoint = "model.ckpt-0"

// CopyCheckpoint makes a model's directory start from a checkpoint of another directory (TRN-4.4).
// A directory without a state is a MissingCheckpoint, and a checkpoint that it does not list a
// RestoreCkptNotFound. In Python both are warnings, and paths become absolute (TRN-5.6). Existing
// files checkpoint and restore_ckpt in the model's directory are kept. Its monolith_checkpoint
// also exempts the checkpoint from deletion.
func CopyCheckpoint(e *env.Env, from, modelDir string, wanted pysem.OptString) (*CheckpointState, error) {
	file := path.Join(from, checkpoints.Filename)
	if !env.Exists(e.Files, file) {
		return nil, &Error{Kind: MissingCheckpoint, About: file}
	}
	if err := e.Files.MkdirAll(modelDir); err != nil {
		return nil, wrap(IO, err)
	}
	text, err := readText(e.Files, file)
	if err != nil {
		return nil, err
	}
	picked, err := pick(ParseCheckpointState(text), wanted)
	if err != nil {
		return nil, err
	}
	state := &CheckpointState{ModelCheckpointPath: picked, AllModelCheckpointPaths: []string{picked}}
	for name, text := range map[string]string{checkpoints.Filename: state.String(), restoreMarker: picked} { //lint:ordered each is a file of its own
		if env.Exists(e.Files, path.Join(modelDir, name)) {
			continue
		}
		if err := writeText(e.Files, path.Join(modelDir, name), text); err != nil {
			return nil, err
		}
	}
	return state, exempt(e, modelDir, picked)
}

// pick returns the listed checkpoint with the wanted path or last name; the current one if none is
// wanted.
func pick(state *CheckpointState, wanted pysem.OptString) (string, error) {
	if state == nil {
		state = &CheckpointState{ModelCheckpointPath: defaultCheckpoint}
	}
	if !wanted.Set {
		return state.ModelCheckpointPath, nil
	}
	all := state.AllModelCheckpointPaths
	i := slices.Index(all, wanted.V)
	if i < 0 {
		i = slices.IndexFunc(all, func(p string) bool { return lastName(p) == wanted.V })
	}
	if i < 0 {
		return "", &Error{Kind: RestoreCkptNotFound, About: wanted.V}
	}
	return all[i], nil
}

// exempt exempts a checkpoint from deletion. It replaces a state that cannot be read by a new one.
// A state without a hash table type gets the cuckoo map.
func exempt(e *env.Env, modelDir, checkpoint string) error {
	state := &nativetraining.MonolithCheckpointState{}
	file := path.Join(modelDir, saveutils.MonolithCkptStateFileName)
	if env.Exists(e.Files, file) {
		text, err := readText(e.Files, file)
		if err != nil {
			return err
		}
		if textformat.Parse(text, state) != nil {
			state = &nativetraining.MonolithCheckpointState{}
		}
	}
	if !slices.Contains(state.ExemptModelCheckpointPaths, checkpoint) {
		state.ExemptModelCheckpointPaths = append(state.ExemptModelCheckpointPaths, checkpoint)
	}
	if state.BuiltinHashTableType == nil {
		state.BuiltinHashTableType = nativetraining.MonolithCheckpointState_CUCKOO_HASH_MAP.Enum()
	}
	return wrap(IO, saveutils.WriteMonolithCheckpointState(e.Files, modelDir, state))
}

// Timing is how long a process waits for the chief, and the interval between its checks.
type Timing struct{ Timeout, Poll time.Duration }

// Timing returns the configuration's times, at least a second and a millisecond.
func (c RunnerConfig) Timing() Timing {
	return Timing{
		Timeout: time.Duration(max(1, c.RestoreSyncTimeoutSecs)) * time.Second,
		Poll:    time.Duration(max(1, c.RestoreSyncPollIntervalMs)) * time.Millisecond,
	}
}

// AwaitRestore waits until the chief is done: checkpoint and monolith_checkpoint exist, and the
// first can be read. It checks at least once. After the time limit it returns a
// RestoreSyncTimeout. Python waits for ever, and only for one of the files (TRN-5.7).
func AwaitRestore(e *env.Env, modelDir string, t Timing) (*CheckpointState, error) {
	file := path.Join(modelDir, saveutils.MonolithCkptStateFileName)
	deadline := e.Clock.Elapsed() + t.Timeout
	for {
		if current := path.Join(modelDir, checkpoints.Filename); env.Exists(e.Files, current) && env.Exists(e.Files, file) {
			text, err := readText(e.Files, current)
			if err != nil {
				return nil, err
			}
			if state := ParseCheckpointState(text); state != nil {
				return state, nil
			}
		}
		if e.Clock.Elapsed() >= deadline {
			return nil, &Error{Kind: RestoreSyncTimeout, About: file}
		}
		e.Tasks.Sleep(t.Poll)
	}
}

// InitializeRestore executes the first steps of a process. It exports the environment variables.
// If the configuration names a directory to restore, the chief sets up the model's directory, and
// the others wait for the chief. The state is nil if nothing is restored. The chief is a local
// process or worker 0; with AsPort also PS 0 (TRN-5.8).
func InitializeRestore(e *env.Env, c RunnerConfig, role Role, variant Variant, t Timing) (*CheckpointState, error) {
	c.ExportEnv(e.Host)
	if !c.RestoreDir.Set {
		return nil, nil
	}
	if c.IsLocal || c.Index == 0 && (role == Worker || variant == AsPort) {
		return CopyCheckpoint(e, c.RestoreDir.V, c.ModelDir, c.RestoreCkpt)
	}
	return AwaitRestore(e, c.ModelDir, t)
}
