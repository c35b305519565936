// Package training is what the processes of a training job know of their host and of
// one another: the port of those parts of monolith/native_training.
//
// Two things to use first:
//
//   - [ServiceDiscovery] finds the processes of a job; it is implemented over
//     ZooKeeper, Consul, MLP's environment variables and TF_CONFIG.
//   - [NewMLPEnv] reads the environment that the MLP scheduler gives a process.
//
// What is around a training step has rooms of its own, named after the modules that they port:
// barrierops, synchooks, saveutils, sessionrunhooks, modelexport, hooks and hooks/server; files that
// a job writes are in fileops and, for TensorBoard, in summaries; what it reads, in datapatterns and
// prefetch; tpurunner runs a task on a TPU. They see TensorFlow through session,
// gfile, tfrecord and checkpoints. What the Rust port has and Python has not is in
// localcluster, psservice, jsonexport and rustport, which has its runner and estimator below it.
//
// SPEC.md says what the reference does, by paragraph (TRN-2.16), and what of it is
// built. Files are named after the Python modules that they port, and comments cite
// their lines. What the reference raises is a *pysem.Error of the exception's name;
// comments name it by its class. To change how a process knows its own address look in
// net_utils.go and yarn_runtime.go; each kind of discovery has a file
// service_discovery_*.go.
package training
