// Package train runs training jobs from plans: YAML files that say what the job's
// RunConfig is, how large it is, how long it runs and what happens to it.
//
// Two things to use first:
//
//   - [Read] reads a plan; what makes no sense in it is an error with line and column.
//   - [Plan.Run] runs it in virtual time and sums up what happened.
//
// A plan has a run_config, with all fields of the reference's RunConfig, a runner_config, with
// those of its RunnerConfig as a command line has them, and a job, with what neither knows. The
// configurations go before each other as in the reference (TRN-2.15): a field of run_config that
// has RunConfig's default says nothing, and runner_config's counts, or RunnerConfig's default. What
// does not count, or has no effect on a simulated job, is said in the report.
//
// To change what a plan may say look in plan.go, for what a field of a configuration does to a job
// in config.go, and in engine/cluster for the settings of a job; what is printed, in report.go. The plans in plans/ are worked examples.
package train
