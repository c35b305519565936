// Package estimator trains and evaluates a model by a configuration, alone or as one of several
// processes: the port of native_training/estimator.py, and what the Rust port adds.
//
// Two things to use first:
//
//   - [RunConfig] holds the user's settings; ToRunnerConfig makes a process's configuration of them.
//   - [New] makes an [Estimator]; TensorFlow's part is the interface [Training].
//
// Faults of the reference are kept unless they are repaired: steps and max_steps mean different
// things alone and with others, and evaluating is training in another mode, which stays (Q260).
//
// To change:
//
//   - which steps are trained: estimator.go
//   - the fields: run_config.go
//   - what a model's function returns: spec.go
//
// Cost: making a configuration grows with the fields of both classes, each of which is compared with
// its default. What training costs is in package cputraining.
//
// Unstable: any commit may change it.
package estimator
