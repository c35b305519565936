// Package bench measures the simulated model server: a served one from outside,
// over gRPC and with a client that costs nearly nothing, and thousands of simulated
// ones in virtual time.
//
// Three things to use first:
//
//   - [Run]: all of it, as a [Report] with what is aimed at (TFS-18.3).
//   - [Load.Run]: how often a server answers a [Call] in a second, and how late.
//   - [Idle.Run]: what a day costs in which many servers only poll.
//
// To change what is measured and the aims look in bench.go; the table, in report.go;
// the requests and which answers are right, in calls.go; the models, in model.go;
// when requests are sent, in load.go; how they are framed and answers read, in
// conn.go, answer.go and head.go; how a server is started, in server.go.
package bench
