// Package training is what the processes of a training job know of their host and of
// one another: the port of those parts of monolith/native_training.
//
// Two things to use first:
//
//   - [ServiceDiscovery] finds the processes of a job; it is implemented over
//     ZooKeeper, Consul, MLP's environment variables and TF_CONFIG.
//   - [NewMLPEnv] reads the environment that the MLP scheduler gives a process.
//
// What is around a training step has rooms of its own, named after the modules that they
// port:
//
//   - barrierops, synchooks, saveutils, sessionrunhooks, modelexport, hooks and hooks/server
//   - fileops writes the files of a job, and summaries those for TensorBoard
//   - datapatterns and prefetch find and read its input
//   - tpurunner runs a task on a TPU
//   - session, gfile and checkpoints stand for TensorFlow
//   - rustport has what the Rust port has and Python has not
//
// SPEC.md says what the reference does, by paragraph (TRN-2.16), and what of it is
// built. Files are named after the Python modules that they port, and comments cite
// their lines. What the reference raises is a *pysem.Error of the exception's name;
// comments name it by its class.
//
// To change:
//
//   - how a process knows its own address: net_utils.go and yarn_runtime.go
//   - how processes are found: service_discovery_*.go, a file for each kind
package training
