// Package rustport is what the Rust port of the reference says of a training's processes: how
// they are configured, how they begin with a checkpoint of another directory, and how they find
// one another. Python has its own of each, in estimator and runnerutils; they differ (TRN-5).
//
// Two things to use first:
//
//   - [RunConfig] is what a user says, and [RunConfig.ToRunnerConfig] what a process makes of it.
//   - [MonolithDiscovery] makes the [Guard] by which a process finds the others.
//
// Where the port does what the rows of the requirements do not want, the default is the rows'
// way, and [Variant] chooses. To change which fields are passed on look in config.go; what is
// written into a model's directory, in restore.go; the override of a checkpoint, in
// checkpoint_state.go. The processes themselves are in runner, what trains in estimator.
package rustport
