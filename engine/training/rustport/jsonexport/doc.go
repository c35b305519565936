// Package jsonexport makes a model for serving of a checkpoint in JSON (TRN-4.10). It has no
// counterpart in Python; its behaviour is that of the Rust port's export command, texts
// included, with the differences that SPEC.md lists.
//
// Two things to use first:
//
//   - [Export] goes from the path of a checkpoint to a directory of files.
//   - [Restore] reads the text of a checkpoint.
//
// To change:
//
//   - which checkpoint is taken, or the order of steps: export.go
//   - what is written: write.go and spec.go
//   - how numbers lose bits: quantize.go
//   - what a checkpoint has to be: state.go
//   - how JSON is read and written: decode.go and encode.go
package jsonexport
