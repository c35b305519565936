// Package grpcpeers holds our gRPC servers to a bare server on gRPC's C core: conversations that are
// written byte by byte, beside the answers of grpcio 1.85.1, and clients of other languages.
//
// Two things to use first:
//
//   - [Probes] are the conversations; [Probe.Ask] has one with a server.
//   - [Own] is a server of ours with the methods of core.py, the bare server.
//
// To change
//
//   - what is sent: probes.go, of arguments and ends of connections: life.go
//   - headers and compressed messages in unusual forms: headers.go
//   - how it is written and what is noted of the answers: wire.go
//   - which differences are known, and why: known.go
//   - the recorded answers: make check-grpc RECORD=1
//
// Unstable: any commit may change it.
package grpcpeers
