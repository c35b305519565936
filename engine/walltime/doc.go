// Package walltime runs processes on goroutines and the wall clock. It keeps the rules of env that
// virtual time keeps: one monitor per process, control changes hands only inside env calls and
// first come first served, and a killed process has no more effects. So code that was explored in
// virtual time runs here unchanged; engine/runtimetest tests both.
//
// Two things to use first:
//
//   - [World.NewProcess] makes a [Process], which is the env.Clock, env.Tasks and env.Random of
//     the code that runs in it. [World.Wait] waits for the end of all tasks and returns their
//     panics.
//   - [Process.Block] makes a call on the outside world and leaves the monitor meanwhile. Calls
//     from the outside enter by [Process.Enter], [Process.Request] and [Process.Post].
//
// To change:
//
//   - who runs next: monitor.go
//   - how tasks wait, die and unwind: task.go, process.go and cond.go
//   - deadlines: deadlines.go
//   - the border to real I/O: block.go and request.go
//   - random choices: choice.go
//   - what engine/vtime does in the same way: engine/tasks
//
// Unstable: any commit may change it.
package walltime
