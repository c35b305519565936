// Package jsonexport converts a checkpoint in JSON to a model for serving (TRN-4.10). It has no
// counterpart in Python. It behaves like the Rust port's export command, including its texts, with
// the differences that SPEC.md lists.
//
// Two things to use first:
//
//   - [Export] converts the checkpoint at a path to a directory of files.
//   - [Restore] parses the text of a checkpoint.
//
// To change:
//
//   - which checkpoint is taken, or the order of steps: export.go
//   - what is written: write.go and spec.go
//   - how numbers are quantized: quantize.go
//   - what a checkpoint must contain: state.go
//   - how JSON is read and written: decode.go and encode.go
//
// Unstable: any commit may change it.
package jsonexport
