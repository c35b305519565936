package saveutils

import (
	"errors"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// clearNNFile is the file that says that variables were cleared once.
const clearNNFile = "clear_nn"

// Restorer is Data that reads the values of variables back.
type Restorer interface {
	Data
	// Devices are those that variables are on, in the order in which they are restored; none
	// where a saver does not tell them apart.
	Devices() []string
	// Restore reads the variables on the devices, and all of them for nil.
	Restore(s session.Session, prefix string, devices []string) error
	// GlobalStep is the step that a checkpoint has.
	GlobalStep(prefix string) (int64, error)
}

// ClearNN has a model begin anew when it would be restored for the first time
// (dense_reload_utils.py:233).
type ClearNN struct {
	// ModelDir is where the file is that notes it; empty means beside the checkpoint.
	ModelDir string
	// Init gives variables their first values.
	Init func(s session.Session) error
	// GlobalStep, when set, goes on from the checkpoint's.
	GlobalStep *session.Variable
}

// Restore restores a checkpoint: the variables of those PS that were started since the last
// session, where there is a monitor, else all (save_utils.py:1228, save_utils.py:1143). What is no
// checkpoint is a ValueError, None a TypeError. In a directory with a state that can be read ClearNN
// counts, once.
func (p *PartialRecoverySaver) Restore(s session.Session, path pysem.OptString) error {
	if p.options.Exporting || s == nil {
		return p.originRestore(s, path)
	}
	if !path.Set {
		return pysem.Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	clear := p.options.ClearNN
	if clear == nil {
		return p.originRestore(s, path)
	}
	state, err := checkpoints.State(p.e.Files, pysem.Dirname(path.V), checkpoints.Filename)
	if err != nil || state == nil {
		return p.originRestore(s, path)
	}
	if err := p.clearOrRestore(s, path, clear); err != nil {
		return err
	}
	p.options.ClearNN = nil
	return nil
}

// clearOrRestore does not miss a checkpoint that is not there when it clears, unless Q313 is
// repaired, and clears before it finds no directory for its mark, unless Q314 is: then it makes it.
func (p *PartialRecoverySaver) clearOrRestore(s session.Session, path pysem.OptString, clear *ClearNN) error {
	dir := clear.ModelDir
	if dir == "" {
		dir = pysem.Dirname(path.V)
	}
	flag := pysem.JoinStrings(dir, clearNNFile)
	if env.Exists(p.e.Files, flag) {
		p.e.Log.Logf(env.Info, "clear nn flag_file exists, restore from ckpt, do not clear nn")
		return p.originRestore(s, path)
	}
	kept := p.options.Quirks
	if !kept.Keeps(quirks.Q313) && !checkpoints.Exists(p.e.Files, path.V) {
		return noCheckpoint(path.V)
	}
	if !kept.Keeps(quirks.Q314) {
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
	}
	p.e.Log.Logf(env.Info, "clear nn by calling init_op other than restore ...")
	return session.FileError(flag, p.e.Files.WriteFile(flag, []byte("clean nn done!")))
}

// restorer returns the data as what can be read back; a saver without it has nothing to restore.
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

// explained is an error of a restore with what is the likely reason (save_utils.py:1200).
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

// freshDevices returns those whose variables are to be restored, nil for all where there are none.
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

// SetupPSInitializedState marks all PS where there is a monitor (save_utils.py:1307).
func (p *PartialRecoverySaver) SetupPSInitializedState(s session.Session) error {
	if p.options.Monitor == nil {
		return nil
	}
	return p.options.Monitor.SetupPSInitializedState(s)
}
