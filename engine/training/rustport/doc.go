// Package rustport simulates the Rust port's handling of a training's processes: their
// configuration, their start from a checkpoint of another directory, and their service discovery.
// Python's counterparts are in estimator and runnerutils; TRN-5 lists the differences.
//
// Two things to use first:
//
//   - [RunConfig] holds a user's settings; [RunConfig.ToRunnerConfig] makes a process's
//     configuration of them.
//   - [MonolithDiscovery] makes the [Guard] by which a process finds the others.
//
// If the Rust port contradicts the rows of the requirements, the default follows the rows, and
// [Variant] selects the port's behaviour.
//
// To change:
//
//   - which fields are passed on: config.go
//   - what is written into a model's directory: restore.go
//   - the override of a checkpoint: checkpoint_state.go
//   - the processes themselves: package runner
//   - training: package estimator
//
// Unstable: any commit may change it.
package rustport
