// Package runnerutils configures a process of a training, finds the others, and restores
// checkpoints of another training: the port of native_training/runner_utils.py.
//
// Two things to use first:
//
//   - [Process.Init] completes a [RunnerConfig] from the command line. With a restore_dir it sets
//     up the model's directory, or waits until the chief has.
//   - [WithDiscovery] makes the discovery that a configuration asks for, and closes it.
//
// Faults of the reference are kept unless they are repaired. A checkpoint that only the last of six
// reads can read is an error (Q201). A checkpoint to restore is applied even if it does not exist
// (Q202). A chief that ends between its two writes leaves all others waiting (Q251), without limit
// (Q200).
//
// To change:
//
//   - which checkpoint is restored: checkpoint_state.go
//   - what is copied from another directory: restore.go
//   - how discovery is chosen: discovery.go
//
// Cost: a state grows with the checkpoints that it lists, and is read at most six times. A wait looks
// at one file every 30 s.
//
// Unstable: any commit may change it.
package runnerutils
