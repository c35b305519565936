// Package modelexport records which models were exported at which step, so that old exports can be
// deleted. It ports only this part of native_training/model_export.
//
// Two things to use first:
//
//   - [ExportSaverListenerState] reads what was exported into a directory.
//   - [OverwriteExportSaverListenerState] writes it.
//
// To change where it is stored: [StateFile].
//
// Cost: the file grows with the kept exports, and is read and written as a whole.
//
// Unstable: any commit may change it.
package modelexport

import (
	"github.com/monosim/monosim/engine/env"
	modelexport "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/session"
)

// StateFile is the name of the file that lists the exports in a directory
// (export_state_utils.py:22).
const StateFile = "ExportSaverListenerState"

// ExportSaverListenerState reads the state file of a directory. Without a file it returns an empty
// state. A file that cannot be parsed is a ParseError (export_state_utils.py:25).
func ExportSaverListenerState(f env.Files, base string) (*modelexport.ServingModelState, error) {
	state := &modelexport.ServingModelState{}
	data, err := gfile.Read(f, pysem.JoinStrings(base, StateFile))
	if err != nil {
		if pysem.TypeOf(err) == "NotFoundError" {
			return state, nil
		}
		return nil, err
	}
	text, err := pysem.DecodeUTF8(data)
	if err != nil {
		return nil, err
	}
	if err := textformat.Merge(text, state); err != nil {
		return nil, err
	}
	return state, nil
}

// OverwriteExportSaverListenerState replaces the state file of a directory atomically, and makes
// the directory if it is missing (export_state_utils.py:38).
func OverwriteExportSaverListenerState(f env.Files, base string, state *modelexport.ServingModelState) error {
	if err := gfile.MakeDirs(f, base); err != nil {
		return err
	}
	text, err := textpb.Marshal(state)
	if err != nil {
		return err
	}
	name := pysem.JoinStrings(base, StateFile)
	if err := f.WriteFile(name+"-tmp", []byte(text)); err != nil {
		return session.FileError(name+"-tmp", err)
	}
	return session.FileError(name, f.Rename(name+"-tmp", name))
}
