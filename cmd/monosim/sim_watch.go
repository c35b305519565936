package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/whatif/outlook"
)

// simWatch shows the progress and cost of `monosim sim`, and forecasts its memory. It ends a run
// that would not fit into memory.
type simWatch struct {
	outlook  *outlook.Outlook
	progress *command.Progress
	limit    int64 // memory limit to restore afterwards
	percent  int   // GOGC percentage to restore afterwards; -1 if the variable GOGC set it
	garbage  int   // present GOGC percentage
	size     outlook.Size
	file     string // of --cost
}

// newSimWatch starts watching a run. maxMemory is the value of --max-memory, "" for what the
// machine has. costFile names the file for the cost of the run, "" for none.
func newSimWatch(notes io.Writer, size outlook.Size, maxMemory, costFile string) (*simWatch, error) {
	max, err := command.MemoryFor(maxMemory)
	if err != nil {
		return nil, fmt.Errorf("--max-memory: %w", err)
	}
	if costFile != "" {
		runtime.GC() // collected first, so that the memory measured now is that of the program without the run
	}
	w := &simWatch{outlook: outlook.New(size, max), limit: -1, percent: -1, size: size, file: costFile}
	if os.Getenv("GOGC") == "" {
		w.percent, w.garbage = debug.SetGCPercent(mostGarbage), mostGarbage
	}
	if max > 0 {
		w.limit = debug.SetMemoryLimit(max) // the nearer the limit, the more often garbage is collected
	}
	if warning := w.outlook.Warning(); warning != "" {
		fmt.Fprintln(notes, "warning: "+warning)
	}
	w.progress = command.NewProgress(notes, int64(size.For/time.Second), "virtual seconds", func(int64) string { return w.outlook.Line() })
	w.progress.Beside = true
	return w, nil
}

// These constants bound how much garbage may lie uncollected: in bytes, and in percent of the live
// memory. They were measured with 1,000 agents. A bound of a fifth instead of a half took 1.2 times
// (version 1) and 1.4 times (version 3) as long, and saved an eighth of the memory. A small cluster
// may use four times its live memory, because that is still little. A change of the percentage by
// less than an eighth is not made.
const (
	garbageBytes                = 16 << 20
	leastGarbage, mostGarbage   = 30, 400
	noticeablyOtherGarbageParts = 8 // of the percentage
)

// gcPercent returns the GOGC percentage to use with the given number of live bytes.
func gcPercent(live int64) int {
	return int(min(max(garbageBytes*100/max(live, 1), leastGarbage), mostGarbage))
}

// paceCollector adapts the garbage collector's percentage to the live bytes. It does nothing if
// GOGC is set in the environment.
func (w *simWatch) paceCollector(live int64) {
	if w.percent < 0 {
		return
	}
	percent := gcPercent(live)
	if change := percent - w.garbage; max(change, -change)*noticeablyOtherGarbageParts > w.garbage {
		debug.SetGCPercent(percent)
		w.garbage = percent
	}
}

func (w *simWatch) at(far outlook.Far) error {
	w.paceCollector(far.Memory.Live)
	if !far.Counted {
		return nil
	}
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
	if w.percent >= 0 {
		debug.SetGCPercent(w.percent)
	}
	if w.limit >= 0 {
		debug.SetMemoryLimit(w.limit)
	}
}
