// Package realrun runs the engine on the real world: the wall clock and real
// sockets. So far it has the network; real backends follow.
//
// Two things to use first:
//
//   - [NewNetwork] makes the env.Network of a process of engine/walltime, gRPC
//     over TCP.
//   - [Options] say on which address its servers listen.
//
// What a client says of its own troubles reads as grpc-python's, so that agents
// and observers see the same as in virtual time; engine/runtimetest/networktest
// holds both networks to one suite.
//
// To change how requests become tasks look in server.go; calls and connections,
// channel.go; the words of failures, wording.go; how bytes pass gRPC untouched,
// codec.go.
package realrun
