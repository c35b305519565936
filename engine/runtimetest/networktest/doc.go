// Package networktest holds an env.Network to what gRPC does: how requests become
// tasks, what a client is told when something goes wrong, and what dies with a
// process. The simulated network and real sockets pass the same cases.
//
// Two things to use first:
//
//   - [Run] is called by a test of the network.
//   - [World] is the small interface that this test implements: a client's host, a
//     server's host and what is between them.
//
// The statuses that a client is told are not written here but recorded from
// grpc-python: [Recorded] has those of grpcio 1.32, which the reference's TensorFlow
// requires. With another grpcio installed,
//
//	python3 runners/diff/python/grpc_statuses.py > grpcio-<version>.json
//
// records its own; a test says in which details versions differ.
//
// To add a case look in calls.go, failures.go and life.go; of plain HTTP ([RunHTTP]), http.go.
package networktest
