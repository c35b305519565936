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
// A disk that hangs holds up the machine, as its calls come from one thread: with
// it polls, loads, reloads and requests to models, of which a real server would go
// on with the last. Status requests are answered all the same (board.go).
//
// To change what of the real machine the server sees look in host.go, storage.go
// and errno.go; a gRPC service, in grpc.go, model_service.go, prediction_service.go
// and fake.go; requests that are no messages, in decoding.go; how ports are opened,
// in listen.go, tls.go and channel_args.go; the HTTP side, in http*.go, cnumbers.go
// and rest_backend.go, and what the API says in package rest; metrics, in metrics.go
// and prometheus.go; log lines, in log*.go; the command line, in command.go, own_flags.go
// and usage.go; files that it leaves, in main.go.
package serve
