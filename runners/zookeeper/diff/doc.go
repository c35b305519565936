// Package diff plays the same scripts on several ZooKeeper servers and compares what
// they do, message by message: the state machine in process, the machine behind a TCP
// server, and a real server.
//
// Two things to use first:
//
//   - [Generate] and [Play]: a script from a seed, and what a server made of it, as
//     lines that are equal on servers that behave alike.
//   - [Check]: many scripts on many servers, with the differing ones made small, and
//     which operations and error codes have occurred.
//
// A script is a list of steps of a few clients that are done one after another: after
// each that can touch other clients, every connection is asked for what has come to it,
// so that order and absence of events can be compared. What may differ between servers
// is made equal in lines.go: zxids are counted from the script's first, sessions are
// named in their order, times are hidden, names that no server orders are sorted.
//
// To change what scripts do look in generate.go, and how often they do what, in
// inventions.go; how a server is spoken to, in machine.go and tcp.go; what is done
// around a script, in around.go; what is compared, in lines.go; how servers are set up,
// in servers.go; how a result is printed, in result.go; recorded conversations of a
// real server, for machines without one, in golden.go.
package diff
