// Package modelservertest is the test suite for an env.ModelServer. It checks what a client of
// TensorFlow Serving is told: the states of models and their order, the texts and codes with which
// a reload is refused, reloads that wait or hang, and how calls end when the server or the caller
// dies. The simulated server in virtual time, the same server on real sockets and a real
// tensorflow_model_server pass the same cases.
//
//   - [Run] runs the suite; the test of a client calls it.
//   - [World] is the small interface that this test implements: processes, a model server and
//     its disk.
//
// Failures that a client reports itself (connections, deadlines) have the words of grpc-python,
// which networktest has recorded. Paragraph numbers such as TFS-8.2 refer to sim/tfserving/SPEC.md.
//
// Unstable: any commit may change it.
package modelservertest
