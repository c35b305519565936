// Package modelservertest holds an env.ModelServer to what a client of TensorFlow
// Serving is told: states and their order, the texts and codes of what a reload
// refuses, reloads that wait or hang, and what becomes of calls when the server or the
// caller dies. The simulated server in virtual time, the same server on real sockets
// and a real tensorflow_model_server pass the same cases.
//
// Two things to use first:
//
//   - [Run] is called by a test of the client.
//   - [World] is the small interface that this test implements: processes, a model
//     server, its disk.
//
// What a client says of its own troubles (connections, deadlines) are the words that
// networktest has recorded of grpc-python. Paragraph numbers such as TFS-8.2 refer to
// sim/tfserving/SPEC.md.
//
// To add a case look in status.go, reloads.go, waits.go and life.go.
package modelservertest
