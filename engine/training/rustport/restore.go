package rustport

import (
	"path"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
)

// Role is the part of a process in a training: PS or worker.
type Role int

// The roles.
const (
	Worker Role = iota
	PS
)

// String returns the role's name, as in the ids of services.
func (r Role) String() string {
	if r == PS {
		return "ps"
	}
	return "worker"
}

// Variant chooses between what the rows of the requirements ask for and what the Rust port does at
// commit f415ff3.
type Variant int

// The variants.
const (
	// AsRows is the default: a PS is never chief, a worker that cannot register cleans up, and a
	// checkpoint that was just written is not pruned.
	AsRows Variant = iota
	// AsPort has the Rust port's faults.
	AsPort
)

// defaultCheckpoint is the current checkpoint of a state that cannot be read.
const defaultCheckpoint = "model.ckpt-0"

// CopyCheckpoint makes a model's directory begin with a checkpoint of another directory (TRN-4.4).
// A directory without a state is a MissingCheckpoint, and a checkpoint that it does not list a
// RestoreCkptNotFound. In Python both are warnings, and paths become absolute (TRN-5.6). Existing
// files checkpoint and marker in the model's directory stay. Its monolith_checkpoint also exempts
// the checkpoint from deletion.
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

// pick returns the listed checkpoint with a path or a last name, or the current one if none is
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

// exempt makes a checkpoint never be deleted. A state that cannot be read is replaced by a new one.
// A state without a kind of hash table gets the cuckoo map.
func exempt(e *env.Env, modelDir, checkpoint string) error {
	state := &nativetraining.MonolithCheckpointState{}
	file := path.Join(modelDir, saveutils.MonolithCkptStateFileName)
	if env.Exists(e.Files, file) {
		text, err := readText(e.Files, file)
		if err != nil {
			return err
		}
		if textpb.Unmarshal(text, state) != nil {
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

// Timing says how long a process waits for the chief, and how often it looks.
type Timing struct{ Timeout, Poll time.Duration }

// Timing returns the configuration's timing: at least a second, and a look every millisecond at
// most.
func (c RunnerConfig) Timing() Timing {
	return Timing{
		Timeout: time.Duration(max(1, c.RestoreSyncTimeoutSecs)) * time.Second,
		Poll:    time.Duration(max(1, c.RestoreSyncPollIntervalMs)) * time.Millisecond,
	}
}

// AwaitRestore waits until the chief is done: checkpoint and monolith_checkpoint exist, and the
// first can be read. It looks at least once. After the time limit it is a RestoreSyncTimeout.
// Python waits for ever, and only for one of the files (TRN-5.7).
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

// InitializeRestore does what a process does first. It exports its variables. If the configuration
// names a directory to restore, it sets up the model's directory as the chief, or waits for the
// chief. It returns nil if nothing is restored. The chief is a local process or worker 0; with
// AsPort also PS 0 (TRN-5.8).
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
