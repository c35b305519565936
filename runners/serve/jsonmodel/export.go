package jsonmodel

import (
	"context"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/training/rustport/jsonexport"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// ExportOptions selects the checkpoint to export and the form of the export.
type ExportOptions = jsonexport.Options

// Format is the form of an export.
type Format = jsonexport.Format

// Exported reports what an export wrote.
type Exported = jsonexport.Report

// Defaults returns the options of an export that is called without flags.
func Defaults() ExportOptions { return jsonexport.Defaults() }

// Formats lists the names of all formats, including those that Export refuses.
func Formats() (names []string) {
	return lists.MapOrNil(jsonexport.Formats(), func(f jsonexport.Format) string { return string(f) })
}

// Export exports a checkpoint on the disk. Relative paths start at the program's working directory.
// It calls warn with each warning. Errors have the Rust port's text, on one line.
func Export(ctx context.Context, o ExportOptions, warn func(string)) (done *Exported, err error) {
	w := walltime.New(walltime.Config{})
	defer w.Close()
	p := w.NewProcess("host", "export")
	p.Go("MainThread", func() {
		var m *machine.Machine
		if m, err = machine.New(p, machine.Options{}); err == nil {
			done, err = jsonexport.Export(m.Files(), p.Now(), o, warn)
		}
	})
	if failed := w.Wait(ctx); failed != nil {
		return nil, failed
	}
	return done, err
}
