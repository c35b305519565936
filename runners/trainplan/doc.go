// Package trainplan runs training jobs from plans: YAML files that say what the job's
// RunConfig is, how large it is, how long it runs and what happens to it.
//
// Two things to use first:
//
//   - [Read] reads a plan; what makes no sense in it is an error with line and column.
//   - [Plan.Run] runs it in virtual time and sums up what happened.
//
// To change what a plan may say look in plan.go, and in engine/cluster for the settings of a
// job; what is printed, in report.go. The plans in plans/ are worked examples.
package trainplan
