// Package hooks has the hooks of a training that watch and steer it: the port of
// native_training/hooks, but for the controller's server, which is in server below.
//
// Two things to use first:
//
//   - [NewBarrierSaverListener] has a save wait until all workers stand still.
//   - [NewPsHealthCheckerHook] stops training when a PS is out of memory.
//
// Files are named after the Python modules that they port: ckpt_hooks.go,
// controller_hooks.go, hook_utils.go, ps_check_hooks.go, session_hooks.go. To change what
// an operator can ask for by a file look in controller_hooks.go.
//
// Cost: the health of all PS is one read every 30 s; a request file is looked for every
// 60 s; a save looks at the barrier once a second.
package hooks
