// Package estimator trains and evaluates a model step by step, as the Rust port's estimator
// does, with hooks around the steps (TRN-4.6, TRN-4.7). Python's is TensorFlow's and is in
// engine/training/estimator.
//
// Two things to use first:
//
//   - [New] makes an [Estimator] of a [ModelFn]; [Estimator.TrainWithLimits] trains it.
//   - [NewCheckpointHook] saves on the way.
//
// To change which step a training ends at look in estimator.go; what a checkpoint's file is, in
// checkpoint_hook.go; from what configurations an estimator is made, in from_config.go.
package estimator
