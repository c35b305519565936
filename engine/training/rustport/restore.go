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

// Role is what a process does in a training. It is a PS or a worker.
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

// Variant chooses between the behaviour that the requirements' rows ask for, and the behaviour of the
// Rust port at commit f415ff3.
type Variant int

// These are the variants of behaviour.
const (
	// AsRows is the default, and follows the requirements' rows. A PS is never chief. A worker that
	// cannot register cleans up. A checkpoint that was just written is not pruned.
	AsRows Variant = iota
	// AsPort keeps the faults of the Rust port.
	AsPort
)

// defaultCheckpoint is the current checkpoint of a state that cannot be read.
const defaultCheckpoint = "model.ckpt-0"

// CopyCheckpoint makes a model's directory start from a checkpoint in the directory named by from
// (TRN-4.4). If that directory has no state, the error is a MissingCheckpoint. An unlisted
// checkpoint is a RestoreCkptNotFound. Python only warns in both cases, and makes paths absolute
// (TRN-5.6). If the model's directory already has a file checkpoint or restore_ckpt, that file
// stays unchanged. The model's monolith_checkpoint protects the copied checkpoint from deletion.
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

// pick returns the listed checkpoint whose path or last name equals wanted. If wanted is None, it
// returns the current checkpoint.
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

// exempt protects a checkpoint from deletion by adding it to monolith_checkpoint. An unreadable
// file is replaced by a new one. A state without a hash table type gets the type cuckoo map.
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

// Timing returns the configured timeout and poll interval. The timeout is at least 1 s and the
// interval at least 1 ms.
func (c RunnerConfig) Timing() Timing {
	return Timing{
		Timeout: time.Duration(max(1, c.RestoreSyncTimeoutSecs)) * time.Second,
		Poll:    time.Duration(max(1, c.RestoreSyncPollIntervalMs)) * time.Millisecond,
	}
}

// AwaitRestore waits until the chief has set up the model's directory: the files checkpoint and
// monolith_checkpoint exist, and the first can be read. It checks at least once, and after the time
// limit returns a RestoreSyncTimeout. Python waits without limit, and only for one file (TRN-5.7).
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

// InitializeRestore does the first steps of a process. It exports the environment variables. If
// there is a directory to restore, the chief sets up the model's directory, and all other processes
// wait until this is done. With nothing to restore the state is nil. The chief is a local process
// or worker 0, and with AsPort also PS 0 (TRN-5.8).
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
