// Package hooks has the hooks that watch and steer a training: the port of native_training/hooks,
// without the controller's server, which is package server.
//
// Two things to use first:
//
//   - [NewBarrierSaverListener] delays a save until all workers stand still.
//   - [NewPsHealthCheckerHook] stops training when a PS is out of memory.
//
// Files are named after the Python modules that they port. To change what an operator can request
// by a file: controller_hooks.go.
//
// Cost: the health of all PS is one read every 30 s; a request file is looked for every 60 s; a
// save looks at the barrier once a second.
//
// Unstable: any commit may change it.
package hooks
