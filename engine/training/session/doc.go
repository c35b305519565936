// Package session is what the training side sees of TensorFlow: variables that live on
// some device and that all processes of a job share, the hooks around a training step, and
// the coordinator that ends its tasks.
//
// Two things to use first:
//
//   - [Session] reads and assigns [Variable]s, several at one instant; [NewMemory] makes one
//     whose variables are in this process.
//   - [Monitored] runs a [Hook] list around steps, as TensorFlow's monitored session does.
//
// Processes of a job reach each other's variables through a [Cluster]: servers.go where they
// share one memory, wire.go where each is a program of its own. What TensorFlow raises is a *pysem.Error of the exception's name (operrors.go). To change
// in which order hooks are called look in monitored.go; what a listener of saves is, in
// listener.go.
package session
