// Package networktest is the test suite for an env.Network: how requests become tasks, what a
// client is told when something goes wrong, and what ends with a process. The simulated network and
// real sockets pass the same cases.
//
//   - [Run] runs the suite for gRPC and [RunHTTP] that for plain HTTP; the test of a network calls
//     them.
//   - [World] is the small interface that this test implements: a client's host, a server's host
//     and the network between them.
//
// The statuses that a client should get are recorded from grpc-python: [Recorded] has those of
// grpcio 1.32, which the reference's TensorFlow requires. With another grpcio installed,
//
//	python3 runners/diff/python/grpc_statuses.py > grpcio-<version>.json
//
// records that version's statuses; a test lists the details in which versions differ.
//
// Unstable: any commit may change it.
package networktest
