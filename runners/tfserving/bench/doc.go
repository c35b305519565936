// Package bench measures the simulated model server: a served one from outside, over gRPC and with
// a client that costs nearly nothing, and thousands of simulated ones in virtual time.
//
// Three things to use first:
//
//   - [Run] measures all of it, and returns a [Report] with the aims (TFS-18.3).
//   - [Load.Run] measures how often a server answers a [Call] in a second, and how late.
//   - [Idle.Run] measures a day in which many servers only poll.
//
// To change
//
//   - what is measured, and the aims: bench.go
//   - the table: report.go
//   - the requests, and which answers are right: calls.go
//   - the models: model.go
//   - when requests are sent: load.go
//   - how requests are framed and answers read: conn.go, answer.go, head.go
//   - how a server is started: server.go
//
// Unstable: any commit may change it.
package bench
