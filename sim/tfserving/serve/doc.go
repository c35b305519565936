// Package serve puts the simulated TensorFlow Serving model server behind real sockets: one
// tfserving.Server on the host's clock and disk, with gRPC, REST and Prometheus listeners
// (TFS-1.2). It runs in wall time. The model server's decisions are in package tfserving, which
// has neither clock nor sockets.
//
// Two things to use first:
//
//   - [Start] starts a process with [Options]. Its ports open once its models are loaded
//     ([Server.Serving]). It runs until [Server.Close], or until it ends by itself
//     ([Server.Done], [Server.Exit]).
//   - [ParseCommand] makes Options of the command line of tensorflow_model_server and of our
//     own flags.
//
// A disk that hangs blocks the same work as in a real server (TFS-2.3): the poll or load that
// reads it, reloads that come during a poll, and with an inline load the manager. It blocks
// neither status requests (status_cache.go) nor requests to models, which only use a
// tfserving.Reader.
//
// To change:
//
//   - what the server sees of the real machine: host.go, storage.go
//   - a gRPC service: grpc.go, model_service.go, prediction_service.go, fake.go
//   - requests that cannot be decoded: decoding.go
//   - how ports are opened: listen.go, tls.go
//   - the HTTP side: http*.go, cnumbers.go, rest_backend.go
//   - what the REST API says: package rest
//   - metrics: metrics.go, prometheus.go
//   - log lines: log.go
//   - the command line: command.go, own_flags.go
//   - files that the process writes: main.go
//   - the faults that an operator asks for: faults.go
//
// Unstable: any commit may change it.
package serve
