package estimator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/rustport"
)

// checkpointFormat is what a checkpoint's file says that it is.
const checkpointFormat = "monolith_training::hooks::CheckpointHook"

// defaultMaxToKeep is how many checkpoints a hook keeps.
const defaultMaxToKeep = 5

// CheckpointHook saves a model every so many steps and at the end (TRN-4.6). It keeps the last
// few of those that it saved itself.
type CheckpointHook struct {
	// MaxToKeep is how many are kept, 0 for all.
	MaxToKeep int
	// Save, when set, writes a checkpoint in place of the hook.
	Save func(file string, step uint64) error
	// Variant is rustport.AsPort for the port's fault: a step that was just saved counts twice
	// at the end, and the second pruning may remove its file.
	Variant rustport.Variant

	files env.Files
	dir   string
	every uint64
	saved []string
}

// NewCheckpointHook saves into a directory every so many steps, at least every step.
func NewCheckpointHook(f env.Files, dir string, every uint64) *CheckpointHook {
	return &CheckpointHook{MaxToKeep: defaultMaxToKeep, files: f, dir: dir, every: max(1, every)}
}

// BeforeStep does nothing.
func (h *CheckpointHook) BeforeStep(uint64) error { return nil }

// AfterStep saves when it is time to; never at step 0.
func (h *CheckpointHook) AfterStep(step uint64, _ Metrics) (Action, error) {
	if step == 0 || step%h.every != 0 {
		return Continue, nil
	}
	return Continue, h.checkpoint(step)
}

// End saves always.
func (h *CheckpointHook) End(step uint64, _ *Metrics) error { return h.checkpoint(step) }

func (h *CheckpointHook) checkpoint(step uint64) error {
	file := path.Join(h.dir, fmt.Sprintf("checkpoint-%d.json", step))
	if err := h.write(file, step); err != nil {
		return err
	}
	if h.Variant == rustport.AsRows {
		h.saved = slices.DeleteFunc(h.saved, func(old string) bool { return old == file })
	}
	h.saved = append(h.saved, file)
	return h.prune()
}

func (h *CheckpointHook) write(file string, step uint64) error {
	if h.Save != nil {
		return h.Save(file, step)
	}
	if err := h.files.MkdirAll(h.dir); err != nil {
		return wrap(HookIO, err)
	}
	data, err := json.Marshal(struct {
		Format string `json:"format"`
		Step   uint64 `json:"step"`
	}{checkpointFormat, step})
	if err != nil {
		return wrap(HookIO, err)
	}
	return wrap(HookIO, h.files.WriteFile(file, data))
}

// prune removes the oldest beyond those that are kept; one that is gone already is well.
func (h *CheckpointHook) prune() error {
	for h.MaxToKeep > 0 && len(h.saved) > h.MaxToKeep {
		oldest := h.saved[0]
		h.saved = h.saved[1:]
		if err := h.files.Remove(oldest); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wrap(HookIO, err)
		}
	}
	return nil
}
