// Package runnerutils configures a process of a training, finds the others, and restores
// checkpoints of another training: the port of native_training/runner_utils.py.
//
// Two things to use first:
//
//   - [Process.Init] completes a [RunnerConfig] by the command line and, where it has a
//     restore_dir, waits until the chief has set the model's directory up.
//   - [WithDiscovery] finds the discovery that a configuration asks for, and closes it.
//
// The faults of the reference are kept unless they are repaired: a checkpoint that is read well
// by the last of six reads is an error (Q201), a checkpoint to restore is applied though it is
// not there (Q202), and a chief that ends between its two writes leaves all others waiting
// (Q251), without end (Q200). To change which checkpoint is restored look in
// checkpoint_state.go; what is copied from another directory, in restore.go; how discovery is
// chosen, in discovery.go.
//
// Cost: a wait looks at one file every 30 s; reading a state reads one file, at most six times.
package runnerutils
