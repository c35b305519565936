// Package vtime runs processes in virtual time: one event queue, one clock that jumps from event to
// event, and tasks that behave like threads.
//
// Two things to use first:
//
//   - [World], made by [New], owns the event queue. [World.Node] makes the places where things
//     happen, and [World.Run] lets time pass.
//   - [Process], made by [Node.NewProcess], is one life of a program on a node. It is the
//     env.Clock, env.Tasks and env.Random of the code that runs in it.
//
// State machines (servers, networks, timers) are callbacks: [Node.Schedule] calls a [Handler] at an
// instant. Code written as threads (loops that sleep, call and wait) runs in tasks: coroutines on
// pooled iter.Pull. Nothing here starts goroutines of its own, or uses channels or the wall clock.
//
// The program and Config.Seed decide everything that happens. Each event is folded into a rolling
// hash per node and for the world ([Trace]); [FirstDivergence] compares two runs that should be
// equal. Random choices are drawn from a [Source] by (seed, node, site, use). A [Tape] records them
// or replays them.
//
// # Loops
//
// The repeated actions of polls and pings that change nothing are steps of a [Loop]. At one instant
// all steps come before everything else, ordered by the creation of their loops, and within a loop
// by their parts. So the instant, the loop and the part of a step decide its place. It therefore
// makes no difference whether a step is an event, or is computed later without one, when somebody
// reads what it changes. The rolling hashes contain events but no steps. A loop counts its steps and
// sums up the squares of their instants, and [World.Hash] folds these totals in last.
// engine/vtime/leap computes steps without events; hooks.go is the interface to it.
//
// To change:
//
//   - the order of events: queue.go, wheel.go (events of the next half millisecond), heap.go (the
//     next few hundred of the others) and far.go (the rest)
//   - how a run goes from event to event: run.go
//   - how tasks wait, die and unwind: task.go, coro.go and process.go
//   - tasks that wait without a stack: rest.go
//   - the steps of loops: loop.go, and the interface to engine/vtime/leap: hooks.go
//   - what is prefetched before a switch to a task: warm.go
//   - random choices: choice.go and tape.go
//   - hashes, checkpoints and comparison: hash.go, trace.go and divergence.go
//   - what engine/walltime does in the same way: engine/tasks
//
// Unstable: any commit may change it.
package vtime
