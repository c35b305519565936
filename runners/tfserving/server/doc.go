// Package server runs programs that serve models as tensorflow_model_server does, for tests:
// `monosim tfserving`, or a real one.
//
// Three things to use first:
//
//   - [Monosim] and [Real] find the program; Real skips the test where there is none.
//   - [New] makes a [Server] with ports of its own; [Server.Start] and [Server.Kill] begin and end
//     its process, as often as wanted.
//   - [WriteVersion] exports a small model that any of them can load.
//
// To change
//
//   - how a process is started and watched: server.go
//   - the model: model.go and sim/tfserving/savedmodel
//
// Unstable: any commit may change it.
package server
