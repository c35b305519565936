package saveutils

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// clearNNFile is the name of the file whose presence says that the variables were already reset.
const clearNNFile = "clear_nn"

// Restorer is a Data that can also read the values of variables back.
type Restorer interface {
	Data
	// Devices returns the devices of the variables, in the order in which they are restored. It is
	// empty if the data cannot be restored by device.
	Devices() []string
	// Restore reads the variables on the given devices; nil means all.
	Restore(s session.Session, prefix string, devices []string) error
	// GlobalStep returns the step stored in a checkpoint.
	GlobalStep(prefix string) (int64, error)
}

// ClearNN makes the first restore of a model set its variables to their first values instead
// (dense_reload_utils.py:233).
type ClearNN struct {
	// ModelDir is the directory of the file that records the reset. Empty means the directory of
	// the checkpoint.
	ModelDir string
	// Init gives variables their first values.
	Init func(s session.Session) error
	// GlobalStep, if not nil, is set to the checkpoint's step after a reset.
	GlobalStep *session.Variable
}

// Restore restores a checkpoint (save_utils.py:1228, save_utils.py:1143). With a monitor it
// restores only the PS that have started since the last session. A path without a checkpoint is a
// ValueError, and None a TypeError. ClearNN applies only once, and only in a directory with a
// readable state.
func (p *PartialRecoverySaver) Restore(s session.Session, path pysem.OptString) error {
	log := p.e.Log
	if p.options.Exporting || s == nil {
		log.Logf(env.Info, "is_exporting or sess is None, fall back to origin_restore")
		return p.originRestore(s, path)
	}
	log.Logf(env.Info, "save_path is %s", pysem.Str(path.Any()))
	if !path.Set {
		return pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	dir := pysem.Dirname(path.V)
	state, err := checkpoints.State(p.e, dir, checkpoints.Filename)
	if err != nil {
		log.Logf(env.Info, "no checkpoint file in %s, fall back to origin_restore", dir)
		return p.originRestore(s, path)
	}
	if state == nil {
		log.Logf(env.Info, "checkpoint_state is None, fall back to origin_restore")
		return p.originRestore(s, path)
	}
	clear := p.options.ClearNN
	if clear == nil {
		return p.originRestore(s, path)
	}
	if err := p.clearOrRestore(s, path, clear); err != nil {
		return err
	}
	p.options.ClearNN = nil
	return nil
}

// clearOrRestore resets the variables if clear applies, or else restores the checkpoint. A reset
// succeeds even if the checkpoint is missing, unless Q313 is repaired. If the directory of the mark
// is missing, writing the mark fails after the reset. With Q314 repaired the directory is made.
func (p *PartialRecoverySaver) clearOrRestore(s session.Session, path pysem.OptString, clear *ClearNN) error {
	dir := clear.ModelDir
	if dir == "" {
		dir = pysem.Dirname(path.V)
	}
	flag := pysem.JoinStrings(dir, clearNNFile)
	p.e.Log.Logf(env.Info, "the clear nn flag_file is %s", flag)
	if env.Exists(p.e.Files, flag) {
		p.e.Log.Logf(env.Info, "clear nn flag_file exists, restore from ckpt, do not clear nn")
		return p.originRestore(s, path)
	}
	kept := p.options.Quirks
	if !kept.Keeps(jobquirks.Q313) && !checkpoints.Exists(p.e.Files, path.V) {
		return noCheckpoint(path.V)
	}
	if !kept.Keeps(jobquirks.Q314) {
		if err := gfile.MakeDirs(p.e.Files, dir); err != nil {
			return err
		}
	}
	if err := clear.Init(s); err != nil {
		return err
	}
	if clear.GlobalStep != nil {
		step, err := p.restorer().GlobalStep(path.V)
		if err != nil {
			return err
		}
		if err := session.Do(s, session.Assign(clear.GlobalStep, step)); err != nil {
			return err
		}
		p.e.Log.Logf(env.Info, "update global_step to continue training, %d", step)
	}
	p.e.Log.Logf(env.Info, "clear nn by calling init_op other than restore ...")
	return session.FileError(flag, p.e.Files.WriteFile(flag, []byte("clean nn done!")))
}

// restorer returns the data as a Restorer, or nil if it cannot be read back.
func (p *PartialRecoverySaver) restorer() Restorer {
	r, _ := p.data.(Restorer)
	return r
}

func (p *PartialRecoverySaver) originRestore(s session.Session, path pysem.OptString) error {
	r := p.restorer()
	if r == nil || p.options.Empty {
		return nil
	}
	if !path.Set {
		return pysem.Raise("ValueError", "Can't load save_path when it is None.")
	}
	if !checkpoints.Exists(p.e.Files, path.V) {
		return noCheckpoint(path.V)
	}
	p.e.Log.Logf(env.Info, "Restoring parameters from %s", path.V)
	devices, err := p.freshDevices(s, r.Devices())
	if err == nil {
		err = r.Restore(s, path.V, devices)
	}
	return explained(err)
}

// explained adds the likely cause to an error of a restore, as the reference does
// (save_utils.py:1200).
func explained(err error) error {
	var python *pysem.Error
	if !errors.As(err, &python) {
		return err
	}
	reason, ok := map[string]string{
		"NotFoundError":        "a Variable name or other graph key that is missing",
		"InvalidArgumentError": "a mismatch between the current graph and the graph",
	}[python.Type]
	if !ok {
		return err
	}
	return session.Raise(python.Type, "Restoring from checkpoint failed. This is most likely due to %s from the checkpoint. Please ensure that you have not altered the graph expected based on the checkpoint. Original error:\n\n%s", reason, python.Message)
}

// freshDevices returns the devices whose variables have to be restored; nil means all.
func (p *PartialRecoverySaver) freshDevices(s session.Session, devices []string) ([]string, error) {
	if len(devices) == 0 {
		return nil, nil
	}
	fresh := []string{}
	for _, d := range devices {
		if p.options.Monitor != nil {
			uninitialized, err := p.options.Monitor.IsPSUninitialized(s, d)
			if err != nil {
				return nil, err
			}
			if !uninitialized {
				continue
			}
		}
		fresh = append(fresh, d)
	}
	return fresh, nil
}

func noCheckpoint(path string) error {
	return pysem.Raise("ValueError", "The passed save_path is not a valid checkpoint: %s", path)
}

// SetupPSInitializedState marks all PS if there is a monitor (save_utils.py:1307).
func (p *PartialRecoverySaver) SetupPSInitializedState(s session.Session) error {
	if p.options.Monitor == nil {
		return nil
	}
	return p.options.Monitor.SetupPSInitializedState(s)
}
