// Package diff plays the same scripts on several ZooKeeper servers and compares what they
// do, message by message: the state machine in process, the machine behind a TCP server,
// and a real server.
//
// Two things to use first:
//
//   - [Generate] makes a script from a seed; [Play] plays it on a server and returns lines
//     that are equal on servers that behave alike.
//   - [Check] plays many scripts on many servers. It minimises those that differ, and counts
//     the operations and error codes that occurred.
//
// A script lists steps of a few clients, which are done one after another. After each step
// that can affect other clients, every connection is asked for its events, so that their
// order and their absence can be compared. lines.go makes equal what may differ between
// servers: zxids count from the script's first, sessions are named in their order, times
// are hidden, names without an order are sorted.
//
// To change
//
//   - what scripts do: generate.go
//   - how often they do it: inventions.go
//   - how to talk to a server: machine.go and tcp.go
//   - how servers are set up: servers.go
//   - the acts around a script: around.go
//   - what is compared: lines.go
//   - how a result is printed: result.go
//   - recorded conversations of a real server, for hosts without one: recording_test.go
//
// Unstable: any commit may change it.
package diff
