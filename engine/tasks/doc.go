// Package tasks is what the two runtimes of engine code have in common: engine/vtime,
// which runs tasks in virtual time, and engine/walltime, which runs them on goroutines
// and the wall clock. Code above the runtimes meets it in what a run reports.
//
// Two things to use first:
//
//   - [PanicError] is the error of a world in which a task panicked; [BlockedTask]
//     is a line of the list of tasks that wait.
//   - [Draws] are the random choices of one site, the same under both clocks.
//
// To change how choices follow from a seed look in draws.go; how a task that was
// killed or stopped leaves its stack, in unwind.go; what a run reports, in report.go.
//
// Unstable: any commit may change it.
package tasks
