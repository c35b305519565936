// Package vtime runs processes in virtual time: one event queue, one clock that
// jumps from event to event, and tasks that look like threads.
//
// Two things to use first:
//
//   - [World]: made by [New], it owns the event queue. [World.Node] names the
//     places where things happen, [World.Run] lets time pass.
//   - [Process]: one life of a program on a node, made by [Node.NewProcess]. It
//     is the env.Clock, env.Tasks and env.Random of the code that runs in it.
//
// State machines (servers, networks, timers) are callbacks: [Node.Schedule]
// runs a [Handler] at an instant. Code that reads as threads do (loops that
// sleep, call and wait) runs in tasks: coroutines on pooled iter.Pull. Nothing
// here uses goroutines of its own, channels or the wall clock.
//
// Everything that happens is a function of the program and Config.Seed. Each
// event is folded into a rolling hash per node and for the world ([Trace]); two
// runs that should be equal are compared by [FirstDivergence]. Random choices
// are drawn from a [Source] by (seed, node, site, use) and may be recorded on,
// or replayed from, a [Tape].
//
// To change the order of events look in queue.go, wheel.go (those of the next half
// millisecond) and heap.go (all others); how a run goes from event to event, and when
// it is fast-forwarded, is in run.go; how tasks wait, die and unwind, in task.go,
// coro.go and process.go; periodic looks of which the idle ones are skipped, in
// every.go; how a loop of calls is spared switches of coroutines, in series.go.
// Choices are in choice.go and tape.go; hashes, checkpoints and comparison in trace.go
// and divergence.go. What engine/walltime does in the same way is in engine/tasks.
package vtime
