package jsonmodel

import (
	"context"

	"github.com/monosim/monosim/engine/training/rustport/jsonexport"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
)

// ExportOptions say what to export, and how.
type ExportOptions = jsonexport.Options

// Format is the form of an export.
type Format = jsonexport.Format

// Exported is what an export did.
type Exported = jsonexport.Report

// Defaults are the options of an export where nothing else is said.
func Defaults() ExportOptions { return jsonexport.Defaults() }

// Formats are the names of formats, also of those that are refused.
func Formats() (names []string) {
	for _, f := range jsonexport.Formats() {
		names = append(names, string(f))
	}
	return names
}

// Export exports a checkpoint of this machine's disk; relative paths count from the directory of
// the program. warn takes what is no error. The error is the Rust port's, on one line.
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
