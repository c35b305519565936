// Package network is the simulated network: byte-less streams between hosts in virtual time, and
// gRPC unary calls on top of them.
//
// Two things to use first:
//
//   - [Network], made by [New]: it holds the hosts ([Network.AddHost]) and the faults of a
//     scenario (Partition, Slow, ResetConns, LoseAnswer, HostDown).
//   - [Host], from which everything starts: Listen and Dial for streams, ServeRPC and [NewChannel]
//     for calls, Env for the env.Network of a process.
//
// # What a stream promises
//
// A [Conn] carries messages, any Go value with a size. Each direction is first in, first out, and
// a message is one event on the receiving node, folded into that node's hash with its size, or a
// step of a loop. Latencies are drawn for each connection and direction by themselves. Nothing is
// lost while a connection lives: loss and partitions cost time, as TCP's retransmissions do (see
// pipe.go). Acknowledgments are not modelled: a partition from a to b holds what a sends and lets
// through what b sends.
//
// A receiver must treat what it is handed as shared with the sender: values travel by reference.
//
// # What a call promises
//
// Codes and details are those that grpcio 1.32 was seen to give; engine/runtimetest/networktest
// holds this network and real sockets to them. What differs: a call on a closed channel is
// CANCELLED, where grpc-python raises a ValueError; a connection is ready when TCP has accepted
// it, so a listener that speaks no gRPC hangs a call that gRPC would fail after 20 s; and a
// process that ends always closes its connections in order, where TCP resets one that had
// something unread.
//
// To change:
//
//   - latency and loss: latency.go and link.go
//   - how partitions hold and retransmit: pipe.go
//   - opening and closing: dial.go and conn.go
//   - faults: faults.go and answers.go
//   - how loops that sleep use connections: idle.go
//   - what belongs to a process and dies with it: owner.go
//   - gRPC's client states: grpc_channel.go
//   - calls of loops: grpc_ask.go
//   - its server: grpc_server.go
//   - workers and the texts of Python's errors: grpc_env.go
//
// Unstable: any commit may change it.
package network
