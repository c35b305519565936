// Package train runs training jobs from plans: YAML files with the job's RunConfig, its
// size, how long it runs and what happens to it.
//
// Two things to use first:
//
//   - [Read] reads a plan; mistakes in it are an error with line and column.
//   - [Plan.Run] runs it in virtual time and sums up what happened.
//
// A plan has a run_config with the fields of the reference's RunConfig, a runner_config
// with the fields of its RunnerConfig as on a command line, and a job with everything else.
// The configurations have the reference's precedence (TRN-2.15): a field of run_config that
// has RunConfig's default does not count; then runner_config's counts, or RunnerConfig's
// default. The report lists what does not count, or has no effect on a simulated job. The
// plans in plans/ are worked examples.
//
// To change
//
//   - what a plan may say: plan.go
//   - what a field of a configuration does to a job: config.go; the settings of a job: engine/cluster
//   - what is printed: report.go
package train
