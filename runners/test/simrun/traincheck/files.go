package traincheck

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	nativetraining "github.com/monosim/monosim/engine/proto/monolith/native_training"
	"github.com/monosim/monosim/engine/proto/tensorflow/python/training"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
)

// restorePoll is how often a process checks whether the chief has restored (TRN-2.13).
const restorePoll = 30 * time.Second

// stored holds what the checker saw when it last looked at the model's directory.
type stored struct {
	begun []string // processes that stopped waiting for a restore since the last look
	// exempt lists the checkpoints that existed at the previous look and were exempt from
	// deletion.
	exempt []string
	// checkpoint and state are the two files as they were last read.
	checkpoint, state reading
	// current is the checkpoint that is to be restored, as the first of the files says, "" for none.
	current string
}

// reading is a text proto file that lists paths, as it was last read.
type reading struct {
	known bool
	data  []byte
	paths []string
	torn  bool // whether the file cannot be parsed
}

// read reads the file. If the file has changed, it calls list with the new text. A file that cannot
// be parsed counts as empty. ok is false if the file is missing.
func (r *reading) read(files Files, name string, list func(text string) ([]string, error)) (paths []string, ok bool, err error) {
	data, ok, err := files.StoredFile(name)
	if err != nil || !ok {
		return nil, false, err
	}
	if !r.known || !bytes.Equal(r.data, data) {
		*r = reading{known: true, data: data}
		text, wrong := pysem.DecodeUTF8(data)
		if wrong == nil {
			r.paths, wrong = list(text)
		}
		r.torn = wrong != nil
	}
	return r.paths, true, nil
}

// begins records that a process has stopped waiting for the chief's restore.
func (s *stored) begins(name string) { s.begun = append(s.begun, name) }

func (s *stored) look(c *Checker, files Files) error {
	listed, hasList, err := s.list(c, files)
	if err != nil {
		return err
	}
	exempt, hasState, err := s.exempted(c, files)
	if err != nil {
		return err
	}
	if c.spec.RestoreDir != "" {
		// With Q251 repaired, processes wait for the second file only.
		s.restored(c, hasState && (hasList || !c.quirks.Keeps(jobquirks.Q251)))
	}
	for _, checkpoint := range listed {
		if ok, err := there(files, checkpoint); err != nil {
			return err
		} else if !ok {
			c.breaks("INV-4", "listed "+checkpoint, "", "%s is listed in %s, want a checkpoint that is there", checkpoint, path.Join(c.spec.ModelDir, checkpoints.Filename))
		}
	}
	var kept []string
	for _, checkpoint := range exempt {
		ok, err := there(files, checkpoint)
		if err != nil {
			return err
		}
		switch {
		case ok:
			kept = append(kept, checkpoint)
		case slices.Contains(s.exempt, checkpoint):
			c.breaks("INV-4", "exempt "+checkpoint, "", "%s is exempt and was deleted", checkpoint)
		}
	}
	s.exempt = kept
	if c.spec.RestoreDir == "" && hasList && !s.checkpoint.torn && s.current != "" {
		c.lookAtRestored(s.current)
	}
	c.restores.path = ""
	// Without a file that can be parsed, the chief goes by the list that it has read before.
	c.lookAtOldest(listed, exempt, hasState && !s.state.torn)
	return nil
}

func there(files Files, checkpoint string) (bool, error) {
	_, ok, err := files.StoredFile(checkpoint + checkpoints.IndexSuffix)
	return ok, err
}

// list reads the paths in the file "checkpoint". A partly written file has none.
func (s *stored) list(c *Checker, files Files) (paths []string, ok bool, err error) {
	return s.checkpoint.read(files, path.Join(c.spec.ModelDir, checkpoints.Filename), func(text string) ([]string, error) {
		state := &training.CheckpointState{}
		err := textformat.Merge(text, state)
		if s.current = ""; err == nil && state.GetModelCheckpointPath() != "" {
			s.current = c.absolute([]string{state.GetModelCheckpointPath()})[0]
		}
		return c.absolute(state.AllModelCheckpointPaths), err
	})
}

// exempted reads which checkpoints the file monolith_checkpoint exempts from deletion.
func (s *stored) exempted(c *Checker, files Files) (paths []string, ok bool, err error) {
	return s.state.read(files, path.Join(c.spec.ModelDir, saveutils.MonolithCkptStateFileName), func(text string) ([]string, error) {
		state := &nativetraining.MonolithCheckpointState{}
		err := textformat.Merge(text, state)
		return c.absolute(state.ExemptModelCheckpointPaths), err
	})
}

func (c *Checker) absolute(paths []string) []string {
	for i, p := range paths {
		if !checkpoints.IsAbs(p) {
			paths[i] = path.Join(c.spec.ModelDir, p)
		}
	}
	return paths
}

// restored checks that the other processes stop waiting for the chief's restore exactly when
// the chief has written both files (INV-3).
func (s *stored) restored(c *Checker, written bool) {
	for _, name := range s.begun {
		if name != "chief" && !written {
			c.breaks("INV-3", fmt.Sprintf("left %s %d", name, c.procs[name].life), "", "%s left the restore wait, want it to wait until the chief has written both files", name)
		}
	}
	s.begun = s.begun[:0]
	chief := c.procs["chief"]
	if chief.life == 0 || chief.running && !chief.serving {
		return
	}
	known := ""
	if !written {
		if !chief.serving {
			return // the chief has not reached its writes yet
		}
		known = c.knownBy(jobquirks.Q251)
	}
	for _, name := range c.names {
		p := c.procs[name]
		// FilesLate delays when other hosts see the chief's files: by lag after the chief wrote
		// them, or until the latest change of lag, whichever is later.
		seen := max(chief.served+c.lag, c.lagSince)
		if limit := max(seen, p.started) + restorePoll + slack; p.running && !p.serving && c.now > limit {
			c.breaks("INV-3", fmt.Sprintf("waits %s %d", name, p.life), known, "%s waits for the chief to restore, who was done at %v%s", name, chief.served,
				map[bool]string{false: " without its two files", true: ""}[written])
		}
	}
}

// node returns the path of the znode of a process.
func (c *Checker) node(name string) string {
	number := ""
	role := "worker"
	switch {
	case name == "chief":
		number = "0"
	case strings.HasPrefix(name, "ps"):
		role, number = "ps", name[len("ps"):]
	default:
		number = name[len("worker"):]
	}
	return "/monolith/" + c.spec.Job + "/" + role + "." + number
}
