package saveutils

import (
	"fmt"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// Data writes the values of variables into the files of a checkpoint.
type Data interface {
	// Write writes the files that begin with prefix, one of which is prefix.index.
	Write(s session.Session, prefix string) error
	// WriteMetaGraph writes the graph into a file.
	WriteMetaGraph(path string) error
}

// SaverOptions are the settings of a saver (save_utils.py:588).
type SaverOptions struct {
	// MaxToKeep is how many checkpoints are kept beside those that are exempt; with 0 none is
	// deleted nor remembered.
	MaxToKeep int
	// KeepEvery has one checkpoint for each such time of training kept for good.
	KeepEvery time.Duration
	// ModelDir is where monolith_checkpoint lists what is exempt; it is read at each save.
	// Where it is empty, Exempt lists it.
	ModelDir string
	Exempt   []string
	// LatestFilename is the file with the state; empty means checkpoints.Filename.
	LatestFilename string
	// SkipSave has saves do nothing: of all the processes only one saves.
	SkipSave bool
	// PadStepNumber has steps written with eight digits at least.
	PadStepNumber bool
	// RelativePaths has the state name checkpoints by their place in its directory, so that the
	// directory can be moved.
	RelativePaths bool
	// Empty says that there are no variables: saves write the graph only, a restore does nothing.
	Empty bool
	// Monitor, when set, has a restore leave those PS alone that were not started since.
	Monitor *PSMonitor
	// ClearNN, when set, has the next restore give variables their first values instead.
	ClearNN *ClearNN
	// Exporting says that the process exports: it restores all, whatever ClearNN says.
	Exporting bool
	// Quirks are those that are kept.
	Quirks quirks.Set
}

// PartialRecoverySaver saves checkpoints and deletes old ones (save_utils.py:512). A save
// writes, in this order: the data, the file "checkpoint", then it deletes at most one
// checkpoint, and writes the graph.
type PartialRecoverySaver struct {
	e       *env.Env
	data    Data
	options SaverOptions
	exempt  map[string]bool // base names
	last    []saved
	doomed  []saved
	// nextKept is the time after which a checkpoint was saved that is kept for good.
	nextKept time.Time
}

// NewPartialRecoverySaver makes a saver that has saved nothing yet.
func NewPartialRecoverySaver(e *env.Env, data Data, options SaverOptions) *PartialRecoverySaver {
	if options.LatestFilename == "" {
		options.LatestFilename = checkpoints.Filename
	}
	s := &PartialRecoverySaver{e: e, data: data, options: options, exempt: setOf(options.Exempt)}
	s.nextKept = e.Clock.Now().Add(options.KeepEvery)
	return s
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// Save writes the checkpoint path-globalStep. A missing directory is a ValueError.
func (p *PartialRecoverySaver) Save(s session.Session, path string, globalStep int64, writeMetaGraph bool) error {
	_, err := p.SaveAs(s, path, pysem.Some(globalStep), writeMetaGraph)
	return err
}

// SaveAs returns Save that answers the checkpoint, None where none is written; without a step that is
// the path itself (save_utils.py:964).
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

// prefix returns the checkpoint of a path and a step.
func (p *PartialRecoverySaver) prefix(path string, globalStep pysem.Opt[int64]) (string, error) {
	latest := p.options.LatestFilename
	switch {
	case globalStep.Set && p.options.PadStepNumber:
		return fmt.Sprintf("%s-%08d", path, globalStep.V), nil
	case globalStep.Set:
		return SaveHelper{Basename: path}.CkptPrefix(globalStep.V), nil
	case pysem.Basename(path) == latest: // which a sharded saver lets pass, to fail at the state
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
	update := checkpoints.UpdateState
	if p.options.RelativePaths {
		update = checkpoints.UpdateRelativeState
	}
	if err := update(p.e.Files, dir, file, p.LastCheckpoints(), p.options.LatestFilename); err != nil {
		return err
	}
	return p.maybeDelete()
}

// withoutParent is the error of a save where the directory is the reason.
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

// record remembers a checkpoint, and dooms the oldest that is not exempt when there are too
// many (save_utils.py:831).
func (p *PartialRecoverySaver) record(file string) error {
	if p.options.MaxToKeep == 0 {
		return nil
	}
	for i := 0; i < len(p.last); i++ { // which passes over the one behind each that goes
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
		// The list is read anew for each: somebody may be editing it.
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

// maybeDelete deletes the first that is doomed, unless it is one that is kept for its hour
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

// ExemptCheckpointPaths returns the base names of those that are never deleted. A list that was
// emptied leaves what it was before (save_utils.py:907, Q247).
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
		if state != nil && !p.options.Quirks.Keeps(quirks.Q247) {
			p.exempt = map[string]bool{}
		}
		return p.exempt, nil
	}
	var names []string
	for _, path := range state.ExemptModelCheckpointPaths {
		names = append(names, pysem.Basename(path))
	}
	p.e.Log.Logf(env.Info, "New exempt checkpoint paths: %s", pysem.Repr(anyList(names)))
	p.exempt = setOf(names)
	return p.exempt, nil
}

func anyList(names []string) []any {
	list := []any{}
	for _, n := range names {
		list = append(list, n)
	}
	return list
}

// LastCheckpoints are those that are kept, oldest first.
func (p *PartialRecoverySaver) LastCheckpoints() []string {
	paths := []string{}
	for _, c := range p.last {
		paths = append(paths, c.path)
	}
	return paths
}

// SetLastCheckpoints sets them, as if all had been saved at one time.
func (p *PartialRecoverySaver) SetLastCheckpoints(paths []string, at time.Time) {
	p.last = nil
	for _, path := range paths {
		p.last = append(p.last, saved{path, at})
	}
}

// RecoverLastCheckpoints sets those of the paths that are there, each as saved when its
// index was written.
func (p *PartialRecoverySaver) RecoverLastCheckpoints(paths []string) {
	p.last = nil
	for _, path := range paths {
		if seconds, ok := checkpoints.ModTime(p.e.Files, path); ok {
			p.last = append(p.last, saved{path, time.UnixMilli(int64(seconds * 1000))})
		}
	}
	p.e.Log.Logf(env.Info, "Recover last checkpoints result: %s", pysem.Repr(anyList(p.LastCheckpoints())))
}

// saved is a checkpoint and when it was saved.
type saved struct {
	path string
	at   time.Time
}
