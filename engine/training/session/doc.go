// Package session models what the training side sees of TensorFlow. A job's processes share
// variables that live on devices; hooks run around each training step; a coordinator ends a
// process's tasks.
//
// Two things to use first:
//
//   - [Session] reads and assigns [Variable]s, several at one instant; [NewMemory] makes one whose variables are in this process.
//   - [Monitored] runs a [Hook] list around steps, as TensorFlow's monitored session does.
//
// Processes of a job reach each other's variables through a [Cluster].
//
// Where to change what:
//
//   - processes that share one memory: servers.go
//   - what a network that loses packets does to their calls: held.go
//   - whom the end of a session waits for: closing.go
//   - processes that are programs of their own, and call each other: wire.go
//   - TensorFlow's errors, each a *pysem.Error of the exception's name: operrors.go
//   - the order in which hooks are called: monitored.go
//   - what a listener of saves is: listener.go
//   - steps that are counted without being run one by one: coast.go
//
// Unstable: any commit may change it.
package session
