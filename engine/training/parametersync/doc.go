// Package parametersync is the parameter sync of a training's PS: every ten seconds each pushes what
// training has changed on it to the PS that serve (cpu_training.py:1727, runtime/parameter_sync).
//
// Two things to use first:
//
//   - [Start] starts the loop of a PS; [Loop.Finish] ends it.
//   - [Unified] and [Watched] are the backends that say where to push to: the registrations of agents
//     of version 3 and of version 1.
//
// A push takes the ids that training has touched off its list before it is sent, and a failed push
// puts none back (parameter_sync_tf_bridge.cc:71). So a serving PS that misses a push gets these ids
// when training touches them again or with the next version, and not by another try (Q331).
//
// To change:
//
//   - where the targets come from: backend.go
//   - what a push does: client.go
//   - when there is one, and what ends the loop: loop.go
//
// Cost: a round of a PS grows with the serving PS of its index, one call after another.
//
// Unstable: any commit may change it.
package parametersync
