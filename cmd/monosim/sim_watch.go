package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// simWatch shows how far a run of `monosim sim` is, what it costs and what it will need,
// and ends one that does not fit into memory.
type simWatch struct {
	outlook  *outlook.Outlook
	progress *command.Progress
	limit    int64 // of memory before, to be put back
	size     outlook.Size
	file     string // of --cost
}

// newSimWatch begins. maxMemory is that of the flag, "" for what there is; costFile is
// where to write what the run has cost, "" for nowhere.
func newSimWatch(notes io.Writer, size outlook.Size, maxMemory, costFile string) (*simWatch, error) {
	max, err := memoryFor(maxMemory)
	if err != nil {
		return nil, fmt.Errorf("--max-memory: %w", err)
	}
	if costFile != "" {
		runtime.GC() // so that it is known what the program has without the run
	}
	w := &simWatch{outlook: outlook.New(size, max), limit: -1, size: size, file: costFile}
	if max > 0 {
		w.limit = debug.SetMemoryLimit(max) // collect more often near it
	}
	if warning := w.outlook.Warning(); warning != "" {
		fmt.Fprintln(notes, "warning: "+warning)
	}
	w.progress = command.NewProgress(notes, int64(size.For/time.Second), "virtual seconds", func(int64) string { return w.outlook.Line() })
	w.progress.Beside = true
	return w, nil
}

// memoryFor is the memory that a run may take, 0 where nobody knows.
func memoryFor(flag string) (int64, error) {
	if flag != "" {
		return outlook.ParseBytes(flag)
	}
	available, err := process.Available()
	if err != nil {
		return 0, nil // no Linux
	}
	return available, nil
}

func (w *simWatch) at(far outlook.Far) error {
	if err := w.outlook.At(far); err != nil {
		return err
	}
	w.progress.At(int64(far.Now / time.Second))
	if w.file != "" && far.Now >= w.size.For {
		return w.outlook.WriteCost(w.file, far)
	}
	return nil
}

func (w *simWatch) done() {
	w.progress.Done()
	if w.limit >= 0 {
		debug.SetMemoryLimit(w.limit)
	}
}
