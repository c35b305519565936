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
// # Loops
//
// What polls and pings do, again and again and without a change, are steps of a [Loop].
// At one instant all steps come before everything else, those of the loop that was made
// first before those of another, and each loop's by their parts. So the place of a step
// follows from its instant and its loop alone, and it makes no difference whether a step
// is an event, or is gone through later, when somebody does something to what it touches
// or looks at it. The rolling hashes have the events, and no steps; a loop counts its steps and
// sums up their instants, which [World.Hash] folds in behind. engine/vtime/leap goes through steps
// without their events; this package knows of it only what hooks.go says.
//
// To change
//
//   - the order of events, look in queue.go, wheel.go (those of the next half
//     millisecond), heap.go (the next few hundred of the others) and far.go (the rest);
//   - how a run goes from event to event, in run.go;
//   - how tasks wait, die and unwind, in task.go, coro.go and process.go; those that wait without
//     a stack, in rest.go;
//   - the steps of loops, in loop.go, and who leaps over them, in hooks.go;
//   - what is loaded ahead of a switch to a task, in warm.go;
//   - choices, in choice.go and tape.go;
//   - hashes, checkpoints and comparison, in hash.go, trace.go and divergence.go;
//   - what engine/walltime does in the same way, in engine/tasks.
package vtime
