// Package train runs training jobs from plans. A plan is a YAML file with the job's RunConfig, its
// size, how long it runs, and what happens to it.
//
// Two things to use first:
//
//   - [Read] reads a plan; its error gives the line and column of every mistake.
//   - [Plan.Run] runs the plan in virtual time and returns a report.
//
// A plan has three parts: run_config, with the fields of the reference's RunConfig; runner_config,
// with the fields of its RunnerConfig as on a command line; and job, with what neither has. The
// priorities are those of the reference (TRN-2.15): a field of run_config that equals RunConfig's
// default does not count, and the value of runner_config, or RunnerConfig's default, holds. The
// report says which values do not count or have no effect on a simulated job.
//
// To change:
//
//   - what a plan may contain: plan.go
//   - what a field of a configuration does to a job: config.go
//   - the settings of a job: engine/cluster
//   - agents that serve its exports: serving.go, and what the report says of them: served.go
//   - what is printed: report.go
//   - the time series, the row of a sweep, and the page: sample.go, page.go and page.js
//
// The plans in plans/ are worked examples.
//
// Unstable: any commit may change it.
package train
