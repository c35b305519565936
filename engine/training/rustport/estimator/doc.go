// Package estimator trains and evaluates a model step by step as the Rust port's estimator does,
// with hooks around the steps (TRN-4.6, TRN-4.7). Python's estimator is TensorFlow's and is in
// engine/training/estimator.
//
// Two things to use first:
//
//   - [New] makes an [Estimator] of a [ModelFn]; [Estimator.TrainWithLimits] trains it.
//   - [NewCheckpointHook] saves during training.
//
// To change:
//
//   - at which step a training ends: estimator.go
//   - the file of a checkpoint: checkpoint_hook.go
//   - the configurations an estimator is made from: from_config.go
//
// Unstable: any commit may change it.
package estimator
