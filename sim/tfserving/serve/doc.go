// Package serve puts the simulated TensorFlow Serving model server behind real
// sockets: one tfserving.Server on the host's clock and disk, with gRPC, REST and
// Prometheus listeners (TFS-1.2). It lives in wall time; everything that a model
// server decides is in package tfserving, which knows neither clock nor socket.
//
// Two things to use first:
//
//   - [Start]: a process with [Options], whose ports open once its models are
//     loaded ([Server.Serving]) and which runs until [Server.Close], or until it
//     ends by itself ([Server.Done], [Server.Exit]).
//   - [ParseCommand]: the command line of tensorflow_model_server, and our own
//     flags, as Options.
//
// A disk that hangs holds up what a real server has wait for it (TFS-2.3): the poll
// or load that asks it, reloads that come during a poll, and with an inline load the
// manager. Requests for the status of models (status_cache.go), and those to models, which
// read what tfserving.Reader guards, take no lock that is held for more than moments.
//
// To change what of the real machine the server sees look in host.go, storage.go
// and errno.go; a gRPC service, in grpc.go, model_service.go, prediction_service.go
// and fake.go; requests that are no messages, in decoding.go; how ports are opened,
// in listen.go, tls.go and channel_args.go; the HTTP side, in http*.go, cnumbers.go
// and rest_backend.go, and what the API says in package rest; metrics, in metrics.go
// and prometheus.go; log lines, in log*.go; the command line, in command.go, own_flags.go
// and usage.go; files that it leaves, in main.go; what may go wrong when somebody asks
// for it, in faults.go.
package serve
