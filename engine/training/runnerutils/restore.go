package runnerutils

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	pb "github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// restorePoll is the pause between two checks for the chief's files (runner_utils.py:277).
const restorePoll = 30 * time.Second

// restoreLimit is how long a process waits for the chief's files if Q200 is repaired.
const restoreLimit = time.Hour

// restore sets up the model's directory if the process is the chief. Any other process waits until
// the chief has done so: without limit, or for at most an hour if Q200 is repaired.
func (p Process) restore(c *RunnerConfig) error {
	if c.IsChief() {
		return p.copyCkptFile(c)
	}
	file := pysem.JoinStrings(c.ModelDir, saveutils.MonolithCkptStateFileName)
	for waited := time.Duration(0); !env.Exists(p.Env.Files, file); waited += restorePoll {
		if waited >= restoreLimit && !p.Quirks.Keeps(jobquirks.Q200) {
			return pysem.Raise("TimeoutError", "%s: not there after %.0f s", file, restoreLimit.Seconds())
		}
		p.Env.Log.Logf(env.Info, "Waiting for chief setting up restore_dir...")
		p.Env.Tasks.Sleep(restorePoll)
	}
	return nil
}

// copyCkptFile makes the model's directory begin with a checkpoint of restore_dir, unless it has
// checkpoints of its own (runner_utils.py:279). It writes the files checkpoint and
// monolith_checkpoint. With nothing to restore it writes neither, and the other processes wait for
// ever (Q251). With Q251 repaired it writes a missing monolith_checkpoint.
func (p Process) copyCkptFile(c *RunnerConfig) error {
	e, from := p.Env, c.RestoreDir.V
	e.Log.Logf(env.Info, "restore_dir is %s", from)
	if !env.Exists(e.Files, pysem.JoinStrings(from, checkpoints.Filename)) {
		e.Log.Logf(env.Warning, "no checkpoint in %s", from)
		return p.letOthersBegin(c.ModelDir, from, "")
	}
	if !env.Exists(e.Files, c.ModelDir) {
		if c.ModelDir == "" {
			return session.Raise("NotFoundError", "; No such file or directory")
		}
		if err := gfile.MakeDirs(e.Files, c.ModelDir); err != nil {
			return err
		}
		e.Log.Logf(env.Info, "makedirs %s done!", c.ModelDir)
	}
	chosen, err := p.chosen(from, c.RestoreCkpt)
	if err != nil {
		e.Log.Logf(env.Warning, "%s", pylog.Text(err))
		return p.letOthersBegin(c.ModelDir, from, "")
	}
	if env.Exists(e.Files, pysem.JoinStrings(c.ModelDir, checkpoints.Filename)) {
		return p.letOthersBegin(c.ModelDir, from, chosen)
	}
	if err := p.begin(c.ModelDir, from, chosen); err != nil {
		e.Log.Logf(env.Warning, "%s", pylog.Text(err))
		e.Log.Logf(env.Warning, "checkpoint exist in %s", c.ModelDir)
	}
	return nil
}

// letOthersBegin writes the file monolith_checkpoint, for which the other processes wait. It does
// so only if the file is missing and Q251 is repaired. If the model began with a checkpoint of
// restore_dir, the file lists that checkpoint as exempt from deletion.
func (p Process) letOthersBegin(dir, from, chosen string) error {
	if p.Quirks.Keeps(jobquirks.Q251) || env.Exists(p.Env.Files, pysem.JoinStrings(dir, saveutils.MonolithCkptStateFileName)) {
		return nil
	}
	state, err := checkpoints.State(p.Env, dir, checkpoints.Filename)
	if err == nil && state != nil && state.ModelCheckpointPath == chosen {
		return p.exempt(dir, from, chosen)
	}
	if err := gfile.MakeDirs(p.Env.Files, dir); err != nil {
		return err
	}
	return saveutils.WriteMonolithCheckpointState(p.Env.Files, dir, &nativetraining.MonolithCheckpointState{})
}

// chosen returns the path of the checkpoint with this name in a directory. Without a name it
// returns the current checkpoint.
func (p Process) chosen(dir string, name pysem.OptString) (string, error) {
	state, err := checkpoints.State(p.Env, dir, checkpoints.Filename)
	if err != nil {
		return "", err
	}
	if state == nil {
		return "", pysem.AttributeError(nil, "model_checkpoint_path")
	}
	if !name.Set {
		return state.ModelCheckpointPath, nil
	}
	path := pysem.JoinStrings(pysem.Dirname(state.ModelCheckpointPath), pysem.Basename(name.V))
	if !slices.Contains(state.AllModelCheckpointPaths, path) {
		p.Env.Log.Logf(env.Warning, "%s is not in restore all_model_checkpoint_paths", path)
		return state.ModelCheckpointPath, nil
	}
	return path, nil
}

// begin makes checkpoint the current checkpoint of the directory dir. It writes the two state
// files, which also exempt the checkpoint from deletion.
func (p Process) begin(dir, from, checkpoint string) error {
	f := p.Env.Files
	state := &pb.CheckpointState{ModelCheckpointPath: checkpoint, AllModelCheckpointPaths: []string{checkpoint}}
	if err := checkpoints.Write(f, dir, checkpoints.Filename, state); err != nil {
		return err
	}
	p.Env.Log.Logf(env.Info, "write checkpoint file done!")
	return p.exempt(dir, from, checkpoint)
}

// exempt writes the file monolith_checkpoint in dir. It copies the state of the directory named by
// from, and adds checkpoint to the checkpoints that are never deleted.
func (p Process) exempt(dir, from, checkpoint string) error {
	f := p.Env.Files
	monolith, err := saveutils.MonolithCheckpointState(p.Env, from, saveutils.StateReading{RemoveInvalidPath: true, Quirks: p.Quirks})
	if err != nil {
		return err
	}
	if monolith == nil {
		monolith = &nativetraining.MonolithCheckpointState{}
	}
	monolith.ExemptModelCheckpointPaths = nil
	if err := mergeState(f, pysem.JoinStrings(dir, saveutils.MonolithCkptStateFileName), monolith); err != nil {
		return err
	}
	if !slices.Contains(monolith.ExemptModelCheckpointPaths, checkpoint) {
		monolith.ExemptModelCheckpointPaths = append(monolith.ExemptModelCheckpointPaths, checkpoint)
	}
	if err := saveutils.WriteMonolithCheckpointState(f, dir, monolith); err != nil {
		return err
	}
	p.Env.Log.Logf(env.Info, "write monolith checkpoint file done!")
	return nil
}

// mergeState merges the state in a file into state. A missing file changes nothing.
func mergeState(f env.Files, file string, state *nativetraining.MonolithCheckpointState) error {
	if !env.Exists(f, file) {
		return nil
	}
	data, err := gfile.Read(f, file)
	if err != nil {
		return err
	}
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return err
	}
	found := &nativetraining.MonolithCheckpointState{}
	if err := textformat.Merge(text, found); err != nil {
		return err
	}
	proto.Merge(state, found)
	return nil
}
