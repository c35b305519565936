package saveutils

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// Data writes the values of variables into the files of a checkpoint.
type Data interface {
	// Write writes the files that begin with prefix, prefix.index among them.
	Write(s session.Session, prefix string) error
	// WriteMetaGraph writes the graph into a file.
	WriteMetaGraph(path string) error
}

// SaverOptions are the settings of a saver (save_utils.py:588).
type SaverOptions struct {
	// MaxToKeep is how many checkpoints are kept in addition to the exempt ones. With 0 all are
	// kept, and the saver has no list of them.
	MaxToKeep int
	// KeepEvery is a length of training time. In each period of this length, one checkpoint is kept
	// for good.
	KeepEvery time.Duration
	// ModelDir is the directory of the file monolith_checkpoint, which lists the exempt checkpoints
	// and is read at each save. If ModelDir is empty, Exempt lists them.
	ModelDir string
	Exempt   []string
	// LatestFilename is the name of the state file; empty means checkpoints.Filename.
	LatestFilename string
	// SkipSave makes Save do nothing. It is set in all processes of a job but the one that saves.
	SkipSave bool
	// PadStepNumber pads the step in file names to eight digits.
	PadStepNumber bool
	// RelativePaths stores checkpoint paths relative to the state file, so that the
	// directory can be moved.
	RelativePaths bool
	// Empty means that the graph has no variables. A save then writes only the graph, and a restore
	// does nothing.
	Empty bool
	// Monitor, if not nil, limits a restore to the PS that have started since the last restore.
	Monitor *PSMonitor
	// ClearNN, if not nil, makes the next restore reset the variables to their first values.
	ClearNN *ClearNN
	// Exporting means that the process exports. It then restores all variables and ignores ClearNN.
	Exporting bool
	// Quirks holds the faults of the reference that are kept.
	Quirks jobquirks.Set
}

// PartialRecoverySaver saves checkpoints and deletes old ones (save_utils.py:512). A save writes
// the data and then the file "checkpoint", deletes at most one checkpoint, and writes the graph.
type PartialRecoverySaver struct {
	e       *env.Env
	data    Data
	options SaverOptions
	exempt  map[string]bool // base names
	last    []saved
	doomed  []saved
	// nextKept is when the current period of KeepEvery ends. The first checkpoint that was saved
	// after this time is kept for good.
	nextKept time.Time
}

// Check returns the ValueError that TensorFlow raises when it makes a saver whose MaxToKeep does
// not fit into an int32.
func (o SaverOptions) Check() error {
	if int(int32(o.MaxToKeep)) != o.MaxToKeep {
		return pysem.Raise("ValueError", "Value out of range: %d", o.MaxToKeep)
	}
	return nil
}

// NewPartialRecoverySaver makes a saver that has saved nothing yet.
func NewPartialRecoverySaver(e *env.Env, data Data, options SaverOptions) *PartialRecoverySaver {
	options.LatestFilename = cmp.Or(options.LatestFilename, checkpoints.Filename)
	s := &PartialRecoverySaver{e: e, data: data, options: options, exempt: setOf(options.Exempt)}
	s.nextKept = e.Clock.Now().Add(options.KeepEvery)
	return s
}

func setOf(names []string) map[string]bool {
	return lists.ToMap(names, func(n string) (string, bool) { return n, true })
}

// Save writes the checkpoint path-globalStep. A missing directory is a ValueError.
func (p *PartialRecoverySaver) Save(s session.Session, path string, globalStep int64, writeMetaGraph bool) error {
	_, err := p.SaveAs(s, path, pysem.Some(globalStep), writeMetaGraph)
	return err
}

// SaveAs saves like Save and returns the path of the checkpoint, None if nothing was written. If
// globalStep is None, the checkpoint's path is path itself (save_utils.py:964).
func (p *PartialRecoverySaver) SaveAs(s session.Session, path string, globalStep pysem.Opt[int64], writeMetaGraph bool) (pysem.OptString, error) {
	if p.options.SkipSave {
		return pysem.OptString{}, nil
	}
	file, err := p.prefix(path, globalStep)
	if err != nil {
		return pysem.OptString{}, err
	}
	if !p.options.Empty {
		if err := p.write(s, pysem.Dirname(path), file); err != nil {
			return pysem.OptString{}, p.withoutParent(path, err)
		}
	}
	if writeMetaGraph {
		if err := p.data.WriteMetaGraph(file + ".meta"); err != nil {
			return pysem.OptString{}, err
		}
	}
	return pysem.OptString{V: file, Set: !p.options.Empty}, nil
}

// prefix returns the path of the checkpoint of a step, such as path-7.
func (p *PartialRecoverySaver) prefix(path string, globalStep pysem.Opt[int64]) (string, error) {
	latest := p.options.LatestFilename
	switch {
	case globalStep.Set && p.options.PadStepNumber:
		return fmt.Sprintf("%s-%08d", path, globalStep.V), nil
	case globalStep.Set:
		return SaveHelper{Basename: path}.CkptPrefix(globalStep.V), nil
	// this name is refused here; a sharded saver would accept it and fail later, at the state file
	case pysem.Basename(path) == latest:
		return "", pysem.Raise("ValueError", "'latest_filename' collides with 'save_path': '%s' and '%s'", latest, path)
	}
	return path, nil
}

func (p *PartialRecoverySaver) write(s session.Session, dir, file string) error {
	if err := p.data.Write(s, file); err != nil {
		return err
	}
	if err := p.record(file); err != nil {
		return err
	}
	update, shown, last := checkpoints.UpdateState, file, p.LastCheckpoints()
	if p.options.RelativePaths {
		update, shown = checkpoints.UpdateRelativeState, pysem.Basename(file)
	}
	if len(last) == 0 || last[len(last)-1] != file { // TensorFlow's checkpoint_management.py:101
		p.e.Log.Logf(env.Info, "%s is not in all_model_checkpoint_paths. Manually adding it.", shown)
	}
	if err := update(p.e.Files, dir, file, last, p.options.LatestFilename); err != nil {
		return err
	}
	return p.maybeDelete()
}

// withoutParent returns err as the ValueError that the reference raises if the directory of a save
// is missing. Other errors stay as they are.
func (p *PartialRecoverySaver) withoutParent(path string, err error) error {
	switch pysem.TypeOf(err) {
	case "NotFoundError", "FailedPreconditionError":
	default:
		return err
	}
	if info, missing := p.e.Files.Stat(pysem.Dirname(path)); missing == nil && info.Dir {
		return err
	}
	return pysem.Raise("ValueError", "Parent directory of %s doesn't exist, can't save.", path)
}

// ExportMetaGraph writes the graph.
func (p *PartialRecoverySaver) ExportMetaGraph(path string) error { return p.data.WriteMetaGraph(path) }

// record adds a checkpoint to the list. If the list is too long, it marks the oldest non-exempt
// checkpoint for deletion (save_utils.py:831).
func (p *PartialRecoverySaver) record(file string) error {
	if p.options.MaxToKeep == 0 {
		return nil
	}
	for i := 0; i < len(p.last); i++ { // a removal makes the loop skip the next element, as in the reference
		if c := p.last[i]; c.path == file {
			first := slices.IndexFunc(p.last, func(other saved) bool { return other.path == c.path && other.at.Equal(c.at) })
			p.last = slices.Delete(p.last, first, first+1)
		}
	}
	p.last = append(p.last, saved{file, p.e.Clock.Now()})
	exempt, err := p.ExemptCheckpointPaths()
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, c := range p.last {
		if name := pysem.Basename(c.path); exempt[name] {
			names[name] = true
		}
	}
	if len(p.last)-len(names) <= p.options.MaxToKeep {
		return nil
	}
	for i, c := range p.last {
		// The list of exempt checkpoints is read again each time, because somebody may be editing
		// it.
		if exempt, err = p.ExemptCheckpointPaths(); err != nil {
			return err
		}
		if !exempt[pysem.Basename(c.path)] {
			p.doomed = append(p.doomed, c)
			p.last = slices.Delete(p.last, i, i+1)
			return nil
		}
	}
	return nil
}

// maybeDelete deletes the first checkpoint marked for deletion, unless KeepEvery keeps it
// (save_utils.py:862).
func (p *PartialRecoverySaver) maybeDelete() error {
	if len(p.doomed) == 0 {
		return nil
	}
	c := p.doomed[0]
	p.doomed = p.doomed[1:]
	if c.at.After(p.nextKept) {
		p.nextKept = p.nextKept.Add(p.options.KeepEvery)
		return nil
	}
	p.e.Log.Logf(env.Info, "Deleted checkpoint: %s.", c.path)
	for _, name := range gfile.Glob(p.e.Files, c.path+".*") {
		err := gfile.RemoveTree(p.e.Files, name)
		if pysem.TypeOf(err) == "NotFoundError" {
			p.e.Log.Logf(env.Warning, "Hit NotFoundError when deleting '%s', possibly because another process/thread is also deleting/moving the same file", name)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ExemptCheckpointPaths returns the base names of the checkpoints that are never deleted. If the
// list in the file becomes empty, the previous list stays in force (save_utils.py:907, Q247).
func (p *PartialRecoverySaver) ExemptCheckpointPaths() (map[string]bool, error) {
	if p.options.ModelDir == "" {
		return p.exempt, nil
	}
	state, err := MonolithCheckpointState(p.e, p.options.ModelDir, StateReading{RemoveInvalidPath: true, Quirks: p.options.Quirks})
	if err != nil {
		return nil, err
	}
	if len(state.GetExemptModelCheckpointPaths()) == 0 {
		p.e.Log.Logf(env.Info, "Get exempt checkpoint paths null")
		if state != nil && !p.options.Quirks.Keeps(jobquirks.Q247) {
			p.exempt = map[string]bool{}
		}
		return p.exempt, nil
	}
	names := lists.MapOrNil(state.ExemptModelCheckpointPaths, pysem.Basename)
	p.e.Log.Logf(env.Info, "New exempt checkpoint paths: %s", pysem.Repr(anyList(names)))
	p.exempt = setOf(names)
	return p.exempt, nil
}

func anyList(names []string) []any {
	return lists.Map(names, func(n string) any { return n })
}

// LastCheckpoints returns the paths of the checkpoints that are kept, oldest first.
func (p *PartialRecoverySaver) LastCheckpoints() []string {
	return lists.Map(p.last, func(c saved) string { return c.path })
}

// SetLastCheckpoints replaces the list of kept checkpoints. All count as saved at the time at.
func (p *PartialRecoverySaver) SetLastCheckpoints(paths []string, at time.Time) {
	p.last = lists.MapOrNil(paths, func(path string) saved { return saved{path, at} })
}

// RecoverLastCheckpoints replaces the list of kept checkpoints by those of the paths that exist.
// Each counts as saved at the time when its index file was written.
func (p *PartialRecoverySaver) RecoverLastCheckpoints(paths []string) {
	p.last = nil
	for _, path := range paths {
		if seconds, ok := checkpoints.ModTime(p.e.Files, path); ok {
			p.last = append(p.last, saved{path, time.UnixMilli(int64(seconds * 1000))})
		}
	}
	p.e.Log.Logf(env.Info, "Recover last checkpoints result: %s", pysem.Repr(anyList(p.LastCheckpoints())))
}

// saved is a checkpoint's path and the time of its save.
type saved struct {
	path string
	at   time.Time
}
