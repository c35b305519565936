// Package estimator trains and evaluates a model by a configuration, alone or as one of
// several processes: the port of native_training/estimator.py, and what the Rust port adds.
//
// Two things to use first:
//
//   - [RunConfig] is what a user says, and ToRunnerConfig what a process makes of it.
//   - [New] makes an [Estimator]; what TensorFlow does is an interface, [Training].
//
// The faults of the reference are kept unless they are repaired: steps and max_steps mean different things alone and with
// others, and evaluating is training in another mode, which stays (Q260). To change which steps
// are trained look in estimator.go; the fields, in run_config.go; what a model's function
// answers, in spec.go.
package estimator
