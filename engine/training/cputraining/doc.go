// Package cputraining runs the processes of a distributed training: the port of what
// native_training/cpu_training.py does around a model.
//
// Two things to use first:
//
//   - [Run.Train] runs one process, from its server to the end: a PS, a worker, or the chief.
//   - [DistributedCPUTrainingConfig] configures it; ConfigClass gives access to its fields by name.
//
// TensorFlow's part is the interface [Work].
//
// To change:
//
//   - when a worker tries again: worker.go
//   - what all processes do first: train.go
//   - the fields of the configuration: config.go
//
// Cost: a failure takes one more query for the cluster, which grows with its processes. A worker that
// waits for others asks the discovery every 5 s.
//
// Unstable: any commit may change it.
package cputraining
