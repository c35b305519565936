// Package training holds what the processes of a training job know about their host and about each
// other: the port of those parts of monolith/native_training.
//
// Two things to use first:
//
//   - [ServiceDiscovery] finds the processes of a job. It is implemented over ZooKeeper, Consul,
//     MLP's environment variables and TF_CONFIG.
//   - [NewMLPEnv] reads the environment that the MLP scheduler gives a process.
//
// Everything else around a training step has its own package, named after the module it ports:
//
//   - barrierops, synchooks, saveutils, sessionrunhooks, modelexport, hooks and hooks/server
//   - fileops writes the files of a job, and summaries those for TensorBoard
//   - datapatterns and prefetch find and read its input
//   - tpurunner runs a task on a TPU
//   - session, gfile and checkpoints stand for TensorFlow
//   - rustport has what only the Rust port has
//
// SPEC.md states what the reference does, by paragraph (TRN-2.16), and what is built of it. Files
// are named after the Python modules that they port, and comments cite their lines. Exceptions of
// the reference are *pysem.Error; comments name them by their class.
//
// To change:
//
//   - how a process knows its own address: net_utils.go and yarn_runtime.go
//   - how processes are found: service_discovery_*.go, a file for each kind
//
// Unstable: any commit may change it.
package training
