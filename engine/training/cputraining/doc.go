// Package cputraining runs the processes of a distributed training: the port of what
// native_training/cpu_training.py does around a model.
//
// Two things to use first:
//
//   - [Run.Train] is one process, from its server to the end: a PS, a worker, or the chief.
//   - [DistributedCPUTrainingConfig] says what runs, ConfigClass knows its fields by name.
//
// What TensorFlow does is an interface, [Work]. To change when a worker tries again look in
// worker.go; what all processes do at first, in train.go; the fields, in config.go.
//
// Cost: a worker that waits for others asks the discovery every 5 s; a failure costs one look
// for the cluster.
package cputraining
