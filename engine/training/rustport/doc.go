// Package rustport is the Rust port's version of a training's processes: how they are configured,
// how they begin with a checkpoint of another directory, and how they find each other. Python's
// versions are in estimator and runnerutils; they differ (TRN-5).
//
// Two things to use first:
//
//   - [RunConfig] holds a user's settings; [RunConfig.ToRunnerConfig] makes a process's
//     configuration of them.
//   - [MonolithDiscovery] makes the [Guard] by which a process finds the others.
//
// If the Rust port contradicts the rows of the requirements, the default follows the rows, and
// [Variant] chooses.
//
// To change:
//
//   - which fields are passed on: config.go
//   - what is written into a model's directory: restore.go
//   - the override of a checkpoint: checkpoint_state.go
//   - the processes themselves: package runner; what trains: package estimator
package rustport
