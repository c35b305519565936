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

const checkpointFormat = "monolith_training::hooks::CheckpointHook"

// defaultMaxToKeep is the number of checkpoints that a hook keeps by default.
const defaultMaxToKeep = 5

// CheckpointHook saves a model at an interval of steps and at the end (TRN-4.6). It deletes its
// own older checkpoints.
type CheckpointHook struct {
	// MaxToKeep is the number of checkpoints to keep; 0 keeps all.
	MaxToKeep int
	// Save, when set, is called to write a checkpoint. Otherwise the hook writes it.
	Save func(file string, step uint64) error
	// Variant is rustport.AsPort to keep a fault of the Rust port. If the last step has just been
	// saved, its checkpoint is listed a second time at the end. Pruning may then delete its file.
	Variant rustport.Variant

	files env.Files
	dir   string
	every uint64
	saved []string
}

// NewCheckpointHook makes a hook that saves into a directory at each step that is a multiple of
// every. An interval of 0 counts as 1.
func NewCheckpointHook(f env.Files, dir string, every uint64) *CheckpointHook {
	return &CheckpointHook{MaxToKeep: defaultMaxToKeep, files: f, dir: dir, every: max(1, every)}
}

// BeforeStep does nothing.
func (h *CheckpointHook) BeforeStep(uint64) error { return nil }

// AfterStep saves a checkpoint if step is a multiple of the interval, except at step 0.
func (h *CheckpointHook) AfterStep(step uint64, _ Metrics) (Action, error) {
	if step == 0 || step%h.every != 0 {
		return Continue, nil
	}
	return Continue, h.checkpoint(step)
}

// End saves a checkpoint of the last step.
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

// prune removes the oldest checkpoints beyond MaxToKeep. A file that is already gone is no error.
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
