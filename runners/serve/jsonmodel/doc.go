// Package jsonmodel runs on this machine what the Rust port does with checkpoints in JSON and
// with models that were made of them (TRN-4.10).
//
// Two things to use first:
//
//   - [Export] makes a model of a checkpoint.
//   - [Serve] serves one, by the simulated TensorFlow Serving.
//
// What an export does is in package engine/training/rustport/jsonexport; to change what it sees of the
// machine look in export.go; how a model is served, in serve.go and package sim/tfserving/serve, and
// what is served at two more addresses, in listeners.go and predictions.go.
package jsonmodel
