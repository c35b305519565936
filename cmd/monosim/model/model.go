// Package model has the commands of monosim for models that are made of checkpoints in
// JSON, as the Rust port's command line has them (TRN-4.10).
//
// Two things to use first:
//
//   - [Commands] makes them, for the root command.
//   - newExport is `monosim export`, in export.go; newServe is `monosim serve-model`, in serve.go.
//
// To change what they do: package runners/serve/jsonmodel.
//
// Unstable: any commit may change it.
package model

import "github.com/spf13/cobra"

// Commands makes the commands.
func Commands() []*cobra.Command { return []*cobra.Command{newExport(), newServe()} }
