// Package jsonmodel does what the Rust port does with checkpoints in JSON, and with models
// made of them (TRN-4.10). Serving is inference; where models are served is discovery, the matter of
// the AgentService (engine/agent/service).
//
// Two things to use first:
//
//   - [Export] makes a model of a checkpoint.
//   - [Serve] serves a model with the simulated TensorFlow Serving.
//
// To change
//
//   - what an export writes: package engine/training/rustport/jsonexport
//   - which files of this host it sees: export.go
//   - how a model is served: serve.go, and package sim/tfserving/serve
//   - the services at two more addresses: listeners.go and predictions.go
//
// Unstable: any commit may change it.
package jsonmodel
