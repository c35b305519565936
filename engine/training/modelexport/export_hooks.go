package modelexport

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	modelexport "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/pylog"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyset"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// stepOfCheckpoint matches the name of a checkpoint that ends in its step.
var stepOfCheckpoint = regexp.MustCompile(`^.*model.ckpt-(\p{Nd}+)$`)

// GlobalStepOf returns the step in the name of a checkpoint. For a name without a step it returns
// an AssertionError (export_hooks.py:32).
func GlobalStepOf(checkpoint string) (*big.Int, error) {
	found := stepOfCheckpoint.FindStringSubmatch(pysem.Strip(checkpoint))
	if found == nil {
		return nil, pysem.Raise("AssertionError", "")
	}
	n, err := pysem.ParseInt(found[1])
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Exporter exports a checkpoint as saved models and returns their directories.
type Exporter interface {
	ExportSavedModel(checkpoint string, globalStep int64) (dirs []string, err error)
}

// Metrics receives the measurements that exports emit, each with the name of the model.
type Metrics interface {
	EmitStore(name string, value *big.Int, modelName string)
}

// ListenerOptions configures a listener.
type ListenerOptions struct {
	// Exempt lists checkpoints whose exports are never deleted.
	Exempt []string
	// DenseOnly marks exports that hold only the dense part. Their whole model lies two directories
	// above, and an export is kept as long as the whole model still has its checkpoint.
	DenseOnly bool
	// Metrics may be nil.
	Metrics Metrics
}

// ExportSaverListener exports each saved checkpoint. Once a checkpoint is no longer listed, the
// next save deletes its exports (export_hooks.py:39).
//
// Cost: a save grows with the number of kept exports times the number of kept checkpoints, because
// each export is compared with the checkpoints.
type ExportSaverListener struct {
	session.NoListener
	e           *env.Env
	helper      saveutils.SaveHelper
	exporter    Exporter
	exemptSteps *pyset.Set[*big.Int]
	options     ListenerOptions
}

// NewExportSaverListener makes a listener for the checkpoints whose names begin with savePath. An
// exempt checkpoint without a step in its name is an AssertionError.
func NewExportSaverListener(e *env.Env, savePath string, exporter Exporter, o ListenerOptions) (*ExportSaverListener, error) {
	l := &ExportSaverListener{e: e, helper: saveutils.SaveHelper{Basename: savePath}, exporter: exporter, options: o}
	l.exemptSteps = pyset.New(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	for _, checkpoint := range o.Exempt {
		step, err := GlobalStepOf(checkpoint)
		if err != nil {
			return nil, err
		}
		l.exemptSteps.Add(step, pyset.HashInt(step))
	}
	e.Log.Logf(env.Info, "Exempt global steps=%v", pylog.Ints(l.exemptSteps.Keys()))
	return l, nil
}

// AfterSave exports the checkpoint of a step, deletes old exports, and writes the state file that
// lists the rest. A process that ends after the deletion and before the write leaves an entry
// without a directory. The next save warns of such an entry and drops it.
func (l *ExportSaverListener) AfterSave(_ session.Session, globalStep int64) (stop bool, err error) {
	dirs, err := l.exporter.ExportSavedModel(l.helper.CkptPrefix(globalStep), globalStep)
	if err != nil {
		return false, err
	}
	for _, dir := range dirs {
		if err := l.addEntry(dir, globalStep); err != nil {
			return false, err
		}
		if err := l.deleteOld(dir); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (l *ExportSaverListener) addEntry(dir string, globalStep int64) error {
	base := pysem.Dirname(dir)
	state, err := ExportSaverListenerState(l.e.Files, base)
	if err != nil {
		return err
	}
	state.Entries = append(state.Entries, &modelexport.ServingEntry{ExportDir: &dir, GlobalStep: &globalStep})
	if err := OverwriteExportSaverListenerState(l.e.Files, base, state); err != nil {
		return err
	}
	l.emitVersion(pysem.Basename(base), pysem.Basename(dir))
	return nil
}

// emitVersion emits the part of a version before its first dot as a metric. It emits nothing if
// that part is not a number.
func (l *ExportSaverListener) emitVersion(modelName, version string) {
	version, _, _ = strings.Cut(version, ".")
	if l.options.Metrics == nil || version == "" || strings.ContainsFunc(version, func(r rune) bool { _, digit := pysem.DigitValue(r); return !digit }) {
		return
	}
	if n, err := pysem.ParseInt(version); err == nil {
		l.options.Metrics.EmitStore("export_models.latest_version", n, modelName)
	}
}

func (l *ExportSaverListener) deleteOld(dir string) error {
	base := pysem.Dirname(dir)
	old, err := ExportSaverListenerState(l.e.Files, base)
	if err != nil {
		return err
	}
	steps, err := l.existingSteps(base)
	if err != nil {
		return err
	}
	kept := &modelexport.ServingModelState{}
	for _, entry := range old.Entries {
		step := big.NewInt(entry.GetGlobalStep())
		if slices.ContainsFunc(steps, func(existing *big.Int) bool { return existing.Cmp(step) == 0 }) {
			kept.Entries = append(kept.Entries, entry)
			continue
		}
		l.e.Log.Logf(env.Info, "Deleted export dir: %s.", entry.GetExportDir())
		switch err := gfile.RemoveTree(l.e.Files, entry.GetExportDir()); {
		case pysem.TypeOf(err) == "NotFoundError":
			l.e.Log.Logf(env.Warning, "Hit NotFoundError when deleting '%s', possibly because another process/thread is also deleting/moving the same file", entry.GetExportDir())
		case err != nil:
			return err
		}
	}
	return OverwriteExportSaverListenerState(l.e.Files, base, kept)
}

// existingSteps returns the steps whose exports are kept.
func (l *ExportSaverListener) existingSteps(base string) ([]*big.Int, error) {
	steps, err := l.helper.ExistingCheckpointSteps(l.e)
	if err != nil {
		return nil, err
	}
	for step := range l.exemptSteps.All {
		steps = append(steps, step)
	}
	if !l.options.DenseOnly {
		return steps, nil
	}
	full, err := checkpoints.State(l.e, parent(parent(base)), checkpoints.Filename)
	if err != nil || full == nil {
		return steps, err
	}
	for _, checkpoint := range full.AllModelCheckpointPaths {
		step, err := GlobalStepOf(checkpoint)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// parent returns the directory above a path as pathlib does: "." for "a".
func parent(path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	joined := strings.Join(parts[:max(0, len(parts)-1)], "/")
	switch {
	case strings.HasPrefix(path, "/"):
		return "/" + joined
	case joined == "":
		return "."
	}
	return joined
}
